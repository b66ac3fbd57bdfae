# SPDX-License-Identifier: MIT
"""``lab shell``: a guest with a prompt in real time, or for commands from a pipe in virtual time."""

from __future__ import annotations

import contextlib
import io
import os
import signal
import sys
import termios
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from lab.errors import writing
from lab.machine import batch
from lab.machine.channel import Channel
from lab.machine.guest import Answer, Guest
from lab.machine.scratch import scratch
from lab.plan.load import load
from lab.runs.limits import ending_after, wall_s
from lab.runs.session import PIECE_NS, WORKLOAD, HostSession
from lab.runs.sessions import attachable
from lab.runs.start import machine_for, started
from lab.shared.paths import INTERRUPTED, PROMPT
from lab.terminal import reporter


@dataclass(frozen=True)
class ShellOptions:
    """The options of ``lab shell``."""

    topology: str
    seed: int = 1
    overrides: Sequence[str] = ()  # of --set
    stack: str | None = None  # whose programs every node gets
    timeout: str | None = None  # of the session, in wall time
    source: Path | None = None  # of the kernel
    kernel: str | None = None  # that has been built: beginning of its hash


def interact(options: ShellOptions) -> int:
    """Open a prompt on a topology, in real time.

    If standard input is not a terminal, run its lines instead, in virtual time; the exit status is the last one's.

    Raises:
        RunError: If it took longer than the timeout since the start of its guest.
    """
    timeout_s = wall_s("--timeout", options.timeout)
    overrides = ["workload.duration=24h", *options.overrides]  # a prompt has no end
    locations = {}
    if options.stack is not None:
        overrides.append(f"workload.stack={options.stack}")
        locations["workload.stack"] = f"--stack {options.stack}"
    plan = load(options.topology, WORKLOAD, options.seed, overrides, locations=locations, piece=(0, PIECE_NS))
    with reporter() as report:
        machine = machine_for(plan, WORKLOAD, report, source=options.source, built=options.kernel)
    with scratch({}) as home, ending_after(timeout_s, "the shell"):
        directory = home / "session"
        with writing(directory):
            directory.mkdir()
        session = HostSession(directory, options.topology, options.seed, overrides, locations)
        with Channel(attachable=os.isatty(0)) as channel:
            if not os.isatty(0):
                lines = io.FileIO(0, closefd=False)  # without a lock, which the exit would wait for
                return batch.run(
                    lambda console: started(plan, machine, directory, mode="batch", console=console, channel=channel),
                    lines,
                    sys.stdout.buffer,
                    session.answer,
                )
            with (
                terminal_kept(),
                attachable(channel, Path(options.topology).stem) as session.socket,
                started(plan, machine, directory, mode="shell", channel=channel) as guest,
            ):
                return _wait_for_shell(guest, directory, session.answer)


@contextlib.contextmanager
def terminal_kept() -> Iterator[None]:
    """Leave the terminal as it was: the kernel of a guest that is killed cannot."""
    before = termios.tcgetattr(0)
    try:
        yield
    finally:
        termios.tcsetattr(0, termios.TCSADRAIN, before)


def end_by_signals() -> None:
    """From now on, SIGTERM and SIGHUP (a closed window) end this process with 128 + n, and its guest on the way out.

    Ctrl-C does not: it belongs to the prompt.
    """

    def terminate(number: int, _frame: FrameType | None) -> None:
        raise SystemExit(128 + number)

    for ending in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(ending) != signal.SIG_IGN:
            signal.signal(ending, terminate)


def _wait_for_shell(guest: Guest, directory: Path, answer: Answer) -> int:
    """Wait until the guest of a prompt is off, and return the exit status.

    Raises:
        KeyboardInterrupt: If Ctrl-C came before the prompt.
    """
    end_by_signals()
    interrupted = False
    while True:
        try:
            guest.wait(answer)
            break
        except KeyboardInterrupt:  # the guest received it as well, and ends unless it has a prompt
            interrupted = True
    if (directory / PROMPT.name).exists():
        return 0
    if interrupted or (directory / INTERRUPTED.name).exists():
        raise KeyboardInterrupt
    return 1  # it failed; its console is this terminal
