# SPDX-License-Identifier: MIT
"""``lab shell`` without a terminal: runs the lines of the host's standard input, as ``sh`` does, in virtual time.

Each line arrives as a file, COMMANDS/0 and so on; after the last one comes COMMANDS/end. The exit status of the first
one goes to COMMANDS/0.status. Programs in nodes have no input.

While the agent waits for the host, no virtual time passes: it never sleeps, and computation takes none.
"""

from __future__ import annotations

import itertools
import logging
import os
from collections.abc import Iterator
from typing import Any

from mininet.log import lg, output, setLogLevel

from lab.guest.live import LiveGuest
from lab.guest.network.network import LabNet
from lab.guest.shell import Shell
from lab.shared.paths import COMMANDS, COMMANDS_DONE, COMMANDS_END

_FAILED, _UNKNOWN = 1, 127  # as in sh


def _lines() -> Iterator[str]:
    COMMANDS.mkdir(exist_ok=True)
    for number in itertools.count():
        # to list a directory of the host takes no virtual time; to look for a file that is not there takes 1 us
        path = COMMANDS / str(number)
        while path not in (found := set(COMMANDS.iterdir())):
            if COMMANDS_END in found and path not in COMMANDS.iterdir():
                return
        yield path.read_text(errors="replace")


class _Errors(logging.Handler):
    """Notes whether a command of Mininet's has reported an error: it returns nothing."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.seen = False

    def emit(self, record: logging.LogRecord) -> None:
        """Note it."""
        self.seen = True


class Batch(Shell):
    """Runs lines without a prompt."""

    def __init__(self, guest: LiveGuest, network: LabNet) -> None:
        self._status = 0
        self._errors = _Errors()
        lg.addHandler(self._errors)
        silent, self._never_written = os.pipe()
        super().__init__(guest, network, os.fdopen(silent))

    def greet(self) -> None:
        """Say nothing: the output is that of the commands."""
        setLogLevel("output")

    def run(self) -> None:
        """Run all lines."""
        for number, line in enumerate(_lines()):
            self._guest.pause(0)  # listen to daemons
            command = line.strip()
            if command and not command.startswith("#"):
                self.onecmd(command)
            part = COMMANDS / "part.status"
            part.write_text(f"{self._status}\n")
            part.rename(COMMANDS / f"{number}.status")
        COMMANDS_DONE.touch()

    def onecmd(self, line: str) -> Any:
        """Run a command and note its status."""
        self._errors.seen, self._status = False, 0
        ended = super().onecmd(line)
        if self._errors.seen and not self._status:
            self._status = _FAILED
        return ended

    def default(self, line: str) -> Any:
        """Run a command in a node, as Mininet does, but with nothing to read: no one types there."""
        first, _, rest = line.partition(" ")
        if first not in self.mn:
            self._status = _UNKNOWN
        if first not in self.mn or not rest:
            return super().default(line)
        words = " ".join(self._address(word) for word in rest.split(" "))
        begun_ns = self._guest.clock.elapsed_ns()
        self._status = self.mn[first].execute(words, output)
        if not self._status:
            self._note_command(first, words, begun_ns)

    def _wait_for_host(self) -> None:
        """Take no virtual time."""
