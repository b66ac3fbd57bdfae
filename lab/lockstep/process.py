# SPDX-License-Identifier: MIT
"""Programs in nodes: those that have ended, and those that run. Names are those of Python's ``subprocess``."""

from __future__ import annotations

import signal
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from lab import left
from lab.lockstep.errors import CommandError, WaitError
from lab.lockstep.forward import Forward
from lab.lockstep.words import Time, longer_duration, signal_of, text_of, time_ns
from lab.machine.watch import tails
from lab.shared.signals import signal_name

__tracebackhide__ = True  # pytest shows the line of the caller
TIMEOUT_S = 60.0
_NOT_STARTED = (125, 126, 127)  # images/initrd/enter.c


@dataclass(frozen=True)
class Result:
    """A program that has ended. ``status`` is below 0 if a signal ended it; times are those of the timeline."""

    node: str
    args: list[str]
    status: int
    stdout: str
    stderr: str
    started_s: float
    ended_s: float
    logs: tuple[Path, Path]  # the files of both streams
    because: str = ""  # the limits of the node that may be why it failed, after a colon

    def check(self) -> Result:
        """Return itself if the program ended with 0.

        Raises:
            CommandError: If it did not; shows the last lines that it wrote.
        """
        if self.status:
            end = f"{_end(self.status)}{self.because}"
            raise CommandError(f"{self.node}: {' '.join(self.args)} {end}{tails(self.logs)}")
        return self


def _end(status: int) -> str:
    if status < 0:
        return f"was killed by {signal_name(-status)}"
    return f"ended with status {status}"


class LabOfProcesses(Protocol):
    """What nodes and their processes need of a lab."""

    @property
    def now_ns(self) -> int:
        """The time of the timeline."""

    @property
    def end_ns(self) -> int:
        """When the timeline ends."""

    @property
    def exchanged(self) -> Path:
        """The directory of files on their way to and from nodes."""

    @property
    def logs(self) -> Path:
        """The directory of what programs in nodes print."""

    def ap_with(self, bssid: str) -> str | None:
        """Return the access point with this address."""

    def ask(self, do: str, **parameters: object) -> dict[str, object]:
        """Have the agent do something."""

    def forward(self, node: str, port: int, quiet_ns: int) -> Forward:
        """Forward a port of a node."""


class Process:
    """A program in a node; ``Node.popen`` starts it. It runs while virtual time passes, and only then."""

    def __init__(self, lab: LabOfProcesses, node: str, args: list[str], number: int, logs: tuple[Path, Path]) -> None:
        self.node = node
        self.args = args
        self.logs = logs
        self._lab = lab
        self._number = number
        self._result: Result | None = None

    def __repr__(self) -> str:
        return f"<{self.node}: {' '.join(self.args)}>"

    @property
    def stdout(self) -> str:
        """What it has printed so far."""
        return left.text(self.logs[0])

    @property
    def stderr(self) -> str:
        """What it has written to its standard error so far."""
        return left.text(self.logs[1])

    @property
    def returncode(self) -> int | None:
        """Its status; None while it runs."""
        return self.poll()

    def poll(self) -> int | None:
        """Return its status; None while it runs. No virtual time passes."""
        if self._result is None:
            state = self._lab.ask("state", process=self._number)
            if not state["alive"]:
                self._result = self._ended(state)
        return None if self._result is None else self._result.status

    def end(self) -> str:
        """Return how it ended, for a message; empty while it runs. No virtual time passes.

        Raises:
            CommandError: If the program could not start.
        """
        self.poll()
        return f"{_end(self._result.status)}{self._result.because}" if self._result else ""

    def wait(self, timeout_s: Time = TIMEOUT_S) -> Result:
        """Let time pass until it has ended, at most this virtual time.

        Raises:
            CommandError: If the program could not start.
            WaitError: If it still runs then; shows the last lines that it wrote.
        """
        timeout_ns = time_ns(timeout_s, "timeout_s")
        until_ns = self._lab.now_ns + timeout_ns
        if self.poll() is None:
            self._lab.ask("run_until", at_ns=min(until_ns, self._lab.end_ns), process=self._number)
        if self.poll() is None:
            raise self._outlasts(timeout_ns, at_end=until_ns > self._lab.end_ns)
        assert self._result is not None  # it has ended
        return self._result

    def _outlasts(self, timeout_ns: int, *, at_end: bool) -> WaitError:
        """Return the error of a program that still runs after this time, or where the timeline ends."""
        reached = "where the timeline ends" if at_end else f"after {timeout_ns / 1e9:g} s of virtual time"
        longer = longer_duration(self._lab.end_ns) if at_end else "allow more with timeout_s="
        runs = f"{self.node}: {' '.join(self.args)} still runs at {self._lab.now_ns / 1e9:g} s"
        return WaitError(f"{runs}, {reached}{tails(self.logs)}", hint=longer)

    def send(self, text: str) -> None:
        """Type text at its terminal, which shows it, and which it reads once time passes: ``process.send("yes\\n")``.

        Without a newline, a program gets it at the next one, unless it reads keys. ``"\\x04"`` at the beginning of a
        line ends its input; ``"\\x03"`` is Ctrl-C.

        Raises:
            CallError: If it was not started with ``tty=True``, has ended, or reads nothing.
        """
        self._lab.ask("type", process=self._number, text=text_of(text, "send:"))

    def send_signal(self, number: int) -> None:
        """Send it a signal, which it sees once time passes; do nothing if it has ended."""
        self._lab.ask("signal", process=self._number, number=signal_of(number))

    def terminate(self) -> None:
        """Send SIGTERM."""
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """Send SIGKILL."""
        self.send_signal(signal.SIGKILL)

    def _ended(self, state: dict[str, object]) -> Result:
        number = state["signal"]
        status = state["exit"] if number is None else -int(str(number))
        started_s, ended_s = (int(str(state[key])) / 1e9 for key in ("started_ns", "ended_ns"))
        because = str(state["because"])
        streams = (self.stdout, self.stderr)
        ended = Result(self.node, self.args, int(str(status)), *streams, started_s, ended_s, self.logs, because)
        unstarted = ended.status in _NOT_STARTED and ended.stderr.startswith(f"cannot start {self.args[0]}")
        return ended.check() if unstarted else ended
