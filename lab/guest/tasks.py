# SPDX-License-Identifier: MIT
"""Processes: started in the guest or in a node, watched through pidfds, their output on hostfs."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from lab.guest.errors import GuestError
from lab.guest.loop import Loop, now_ns
from lab.shared.paths import RUN

ENVIRONMENT = {
    "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    "HOME": "/root",
    "LC_ALL": "C.UTF-8",
    "TZ": "UTC",
    "TERM": "dumb",
}


COMMAND_TIMEOUT_S = 60  # of virtual time, in which computation takes no time: only a command that waits can exceed it


def run(argv: Sequence[str], input_text: str = "", culprit: str | None = None) -> str:
    """Run a short command to its end and return its output; GuestError if it fails.

    Its output goes to a file, not a pipe: a process that it leaves running (a container) may keep the output open.
    """
    command = " ".join(argv)
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=output, stderr=output, env=ENVIRONMENT)
        try:
            process.communicate(input_text.encode(), timeout=COMMAND_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            process.kill()
            raise GuestError(f"{command} did not end within {COMMAND_TIMEOUT_S} s", culprit) from None
        output.seek(0)
        text = output.read().decode(errors="replace")
    if process.returncode:
        shown = f"\n{input_text.rstrip()}" if input_text else ""
        raise GuestError(f"{command} ended with {process.returncode}: {text.strip()}{shown}", culprit)
    return text


class Task:
    """A running process. ``exit`` and ``signal`` are set once it has ended."""

    def __init__(
        self,
        loop: Loop,
        name: str,
        argv: Sequence[str],
        out: Path,
        err: Path | None = None,
        on_exit: Callable[[Task], None] | None = None,
        environment: Mapping[str, str] = ENVIRONMENT,
    ) -> None:
        """Start ``argv`` with stdout appended to ``out`` and stderr to ``err`` (None: ``out`` as well)."""
        self.name = name
        self.log = str((err or out).relative_to(RUN))
        self.out = out
        self.started_ns = now_ns()
        self.ended_ns: int | None = None
        self.exit: int | None = None
        self.signal: int | None = None
        self.expected = False  # it was asked to end
        self._loop = loop
        self._on_exit = on_exit
        with out.open("ab") as stdout, (err or out).open("ab") as stderr:
            self._process = subprocess.Popen(
                argv, stdin=subprocess.DEVNULL, stdout=stdout, stderr=stderr, env=environment, start_new_session=True
            )
        self._pidfd = os.pidfd_open(self._process.pid)
        loop.add_reader(self._pidfd, self._ended)

    @property
    def alive(self) -> bool:
        """Whether it still runs."""
        return self.ended_ns is None

    def _ended(self) -> None:
        self._loop.remove_reader(self._pidfd)
        os.close(self._pidfd)
        status = self._process.wait()
        self.ended_ns = now_ns()
        if status < 0:
            self.signal = -status
        else:
            self.exit = status
        if self._on_exit:
            self._on_exit(self)

    def send(self, number: signal.Signals) -> None:
        """Signal it (``enter`` passes signals on to the container); its end is then not a failure."""
        if self.alive:
            self.expected = True
            self._process.send_signal(number)

    def describe_end(self) -> str:
        """How it ended, for a message."""
        if self.signal is not None:
            return f"was killed by {signal.Signals(self.signal).name}"
        return f"ended with status {self.exit}"
