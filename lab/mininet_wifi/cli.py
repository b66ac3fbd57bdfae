# SPDX-License-Identifier: MIT
"""``CLI(net)``: the prompt of ``lab shell``; without a terminal, the lines of the host's standard input."""

from __future__ import annotations

import os
import sys
from typing import Any, TextIO

from mininet.cli import CLI as MininetCLI
from mininet.log import error, lg, output

from lab.guest.batch import Batch, _Errors
from lab.guest.shell import PLAIN, Shell
from lab.guest.tasks import ENVIRONMENT
from lab.mininet_wifi.running import session
from lab.mininet_wifi.running_net import RunningNet


class _Commands(Shell):
    """What both have: Mininet-WiFi's commands."""

    prompt = "mininet-wifi> "

    def _open(self, network: RunningNet, stdin: TextIO) -> None:
        """Do what Shell's constructor does; the session exists, and the network runs."""
        self._session = session()
        self._guest = self._session.guest
        self._network = network
        self._sources: list[str] = []
        self._location = ""
        self._typed = b""
        lg.addFilter(self._placed)
        try:
            self.greet()
            MininetCLI.__init__(self, network, stdin)
        finally:
            lg.removeFilter(self._placed)

    def do_distance(self, line: str) -> None:
        """Print the distance between two nodes: distance sta1 sta2."""
        names = line.split()
        if len(names) != 2:
            error("distance NODE NODE\n")
            return
        self.mn.get_distance(*names)

    def do_position(self, line: str) -> None:
        """Print where nodes are: position, or position sta1."""
        for name in line.split() or list(self.mn):
            where = self.mn.position_of(self.mn[name])
            output(f"{name} {', '.join(f'{one:g}' for one in where) if where else 'has no position'}\n")


class _Lines(_Commands, Batch):
    """The prompt without a terminal."""

    def __init__(self, network: RunningNet) -> None:
        self._status = 0
        self._errors = _Errors()
        lg.addHandler(self._errors)
        silent, self._never_written = os.pipe()
        try:
            self._open(network, os.fdopen(silent))
        finally:
            lg.removeHandler(self._errors)

    def greet(self) -> None:
        """Say nothing."""
        ENVIRONMENT.update(PLAIN)

    def run(self) -> None:
        from lab.guest.loop import now_ns

        number = 0
        while (line := self._session.ask("line")["line"]) is not None:
            number += 1
            self._guest.loop.run_until(now_ns())  # listen to daemons
            self._location = f"line {number}: "
            command = line.strip()
            if command and not command.startswith("#") and self.onecmd(command):
                return


class _Prompt(_Commands):
    """The prompt on a terminal."""

    def __init__(self, network: RunningNet) -> None:
        self._open(network, sys.stdin)


def CLI(network: RunningNet, stdin: Any = None, script: str | None = None, **_others: Any) -> Any:
    """Open the prompt; return once its user has left it."""
    network.build()
    prompt = _Prompt if session().terminal else _Lines
    return prompt(network)


CLI_wifi = CLI
