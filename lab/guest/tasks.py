# SPDX-License-Identifier: MIT
"""Processes: started in the guest or in a node, watched through pidfds, their output on hostfs."""

from __future__ import annotations

import os
import shlex
import signal
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from lab.guest.errors import GuestError
from lab.guest.loop import Loop, now_ns, readable
from lab.shared.paths import RUN

ENVIRONMENT = {
    "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    "HOME": "/root",
    "LC_ALL": "C.UTF-8",
    "TZ": "UTC",
    "TERM": "dumb",
}


MOST_OUTPUT_BYTES = 16 << 20  # of a short command: the agent holds it in memory
COMMAND_TIMEOUT_S = 60  # of virtual time, in which computation takes no time: only a command that waits can exceed it
_SHOWN = 200  # characters of a command that cannot be started
_IGNORED_BY_PYTHON = (signal.SIGPIPE, signal.SIGXFSZ)  # programs expect the default


def spawn(
    argv: Sequence[str],
    stdin: int,
    stdout: int,
    stderr: int,
    environment: Mapping[str, str] = ENVIRONMENT,
    new_session: bool = False,
    further: Sequence[int] = (),
) -> int:
    """Start a program with these file descriptors and no others, ``further`` from 3 on; return its process id.

    By posix_spawn: importing ``subprocess`` takes as long as several commands.

    Raises:
        GuestError: If it cannot be started, such as with too many arguments.
    """
    files = [(os.POSIX_SPAWN_DUP2, number, target) for target, number in enumerate((stdin, stdout, stderr, *further))]
    try:
        return os.posix_spawnp(
            argv[0],
            list(argv),
            environment,
            file_actions=files,
            setsid=new_session,
            setsigmask=(),  # the thread that starts it may leave signals to another one (lab.guest.loop_thread)
            setsigdef=_IGNORED_BY_PYTHON,
        )
    except OSError as error:
        shown = shlex.join(argv)
        shown = shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}\N{HORIZONTAL ELLIPSIS}"
        raise GuestError(f"cannot start {shown}: {error.strerror}") from None


def run(
    argv: Sequence[str],
    input_text: str = "",
    culprit: str | None = None,
    environment: Mapping[str, str] = ENVIRONMENT,
    of_user: Sequence[str] = (),
    named: Sequence[str] = (),
) -> bytes:
    """Run a short command to its end and return its output; GuestError if it fails.

    ``named``: what messages call it; ``of_user``: the same, as a user wrote it. Its output goes to a file in memory,
    not a pipe: a process that it leaves running (a container) may keep the output open.
    """
    command = shlex.join(of_user) or " ".join(named or argv)
    with os.fdopen(os.memfd_create("in"), "w+b") as given, os.fdopen(os.memfd_create("out"), "w+b") as output:
        given.write(input_text.encode())
        given.seek(0)
        pid = spawn(argv, given.fileno(), output.fileno(), output.fileno(), environment)
        ended = _wait(pid, COMMAND_TIMEOUT_S)
        if not ended:
            os.kill(pid, signal.SIGKILL)
        status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        length = output.seek(0, os.SEEK_END)
        output.seek(0)
        printed = output.read(MOST_OUTPUT_BYTES)
    if not ended:
        why = f"did not end within {COMMAND_TIMEOUT_S} s"
    elif length > MOST_OUTPUT_BYTES:
        why = f"printed more than {MOST_OUTPUT_BYTES >> 20} MiB"
    elif status:
        shown = f"\n{input_text.rstrip()}" if input_text else ""
        why = f"ended with {status}" + ("" if of_user else f": {printed.decode(errors='replace').strip()}{shown}")
    else:
        return printed
    raise GuestError(f"{command} {why}", culprit, output=printed if of_user else b"")


def _wait(pid: int, timeout_s: float) -> bool:
    """Wait for the end of a child; return whether it has ended in time."""
    pidfd = os.pidfd_open(pid)
    try:
        return readable(pidfd, timeout_s)
    finally:
        os.close(pidfd)


class Task:
    """A running process. ``exit`` and ``signal`` are set once it has ended; ``logs`` are its streams, stderr last."""

    def __init__(
        self,
        loop: Loop,
        name: str,
        argv: Sequence[str],
        out: Path,
        err: Path | None = None,
        on_exit: Callable[[Task], None] | None = None,
        environment: Mapping[str, str] = ENVIRONMENT,
        stdin: Path = Path(os.devnull),
        further: Sequence[int] = (),
        terminal: int | None = None,
    ) -> None:
        """Start ``argv`` with stdout appended to ``out`` and stderr to ``err`` (None: ``out`` as well).

        ``further``: descriptors that it gets from 3 on, and are closed here. ``terminal``: what it has as all three
        streams instead; who starts it writes ``out``.
        """
        self.name = name
        self.logs = tuple(str(file.relative_to(RUN)) for file in (out, err) if file)
        self.out = out
        self.started_ns = now_ns()
        self.ended_ns: int | None = None
        self.exit: int | None = None
        self.signal: int | None = None
        self.expected = False  # it was asked to end
        self._loop = loop
        self._on_exit = on_exit
        with stdin.open("rb") as given, out.open("ab") as stdout, (err or out).open("ab") as stderr:
            streams = (given.fileno(), stdout.fileno(), stderr.fileno()) if terminal is None else (terminal,) * 3
            self._pid = spawn(argv, *streams, environment, new_session=True, further=further)
        for descriptor in further:
            os.close(descriptor)
        self._pidfd = os.pidfd_open(self._pid)
        loop.add_reader(self._pidfd, self._ended)

    @property
    def alive(self) -> bool:
        """Whether it still runs."""
        return self.ended_ns is None

    def _ended(self) -> None:
        self._loop.remove_reader(self._pidfd)
        os.close(self._pidfd)
        status = os.waitstatus_to_exitcode(os.waitpid(self._pid, 0)[1])
        self.ended_ns = now_ns()
        if status < 0:
            self.signal = -status
        else:
            self.exit = status
        if self._on_exit:
            self._on_exit(self)

    def send(self, number: int) -> None:
        """Signal it (``enter`` passes signals on to the container); its end is then not a failure."""
        if self.alive:
            self.expected = True
            os.kill(self._pid, number)

    def describe_end(self) -> str:
        """Describe how it ended, for a message."""
        if self.signal is not None:
            from lab.shared.signals import signal_name

            return f"was killed by {signal_name(self.signal)}"
        return f"ended with status {self.exit}"
