# SPDX-License-Identifier: MIT
"""``lab shell`` without a terminal: runs the lines of the host's standard input, as ``sh`` does, in virtual time.

Each line comes from the host, and its exit status goes back (lab.guest.host). While the host has no further line, the
whole guest stands still. Programs in nodes have no input.
"""

from __future__ import annotations

import logging
import os
from typing import Any

from mininet.log import lg, output, setLogLevel

from lab.guest.network.network import LabNet
from lab.guest.network.nodes import LabNode
from lab.guest.session import Session
from lab.guest.shell import PLAIN, Shell
from lab.guest.tasks import ENVIRONMENT

_FAILED, _UNKNOWN = 1, 127  # as in sh


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

    def __init__(self, session: Session, network: LabNet) -> None:
        self._status = 0
        self._begun = False  # whether a line has come
        self._errors = _Errors()
        session.tell = lambda _text: None  # the output is that of the commands
        lg.addHandler(self._errors)
        silent, self._never_written = os.pipe()
        super().__init__(session, network, os.fdopen(silent))

    def greet(self) -> None:
        """Say nothing: the output is that of the commands, without colours."""
        ENVIRONMENT.update(PLAIN)
        setLogLevel("output")

    def initReadline(self) -> None:
        """Do nothing: nobody types."""

    def run(self) -> None:
        ended = False
        number = 0
        while (line := self.next_line()) is not None:
            number += 1
            self._location = f"line {number}: "
            command = line.strip()
            if command and not command.startswith("#") and not ended:
                ended = bool(self.onecmd(command))

    def next_line(self) -> str | None:
        """Report the status of the line before; return the next one. At the end, report that all have run."""
        with self._session.exclusive_host() as host:
            if self._begun:
                host.send({"status": self._status})
            self._begun = True
            asked = host.ask()
            if asked is None:
                host.send({"status": self._status})
                return None
        line: str = asked["line"]
        return line

    def onecmd(self, line: str) -> Any:
        self._errors.seen, self._status = False, 0
        ended = super().onecmd(line)
        if self._errors.seen and not self._status:
            self._status = _FAILED
        return ended

    def default(self, line: str) -> Any:
        """Run a command in a node; its status is 127 if no node has that name."""
        self._status = 0 if line.partition(" ")[0] in self.mn else _UNKNOWN
        return super().default(line)

    def _status_of(self, node: LabNode, words: str) -> int:
        """Run a command with nothing to read, since nobody types; return its status."""
        self._status = node.execute(words, output)
        return self._status
