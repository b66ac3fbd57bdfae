# SPDX-License-Identifier: MIT
"""``CLI(net)``: the prompt of ``lab shell``; without a terminal, the lines of the host's standard input.

A class of the script may derive from ``CLI`` and add commands, as methods ``do_…``."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from lab.guest.batch import Batch
from lab.guest.shell import PLAIN, Shell
from lab.guest.shell_commands import Commands
from lab.guest.tasks import ENVIRONMENT
from lab.mininet_wifi.running import session
from lab.mininet_wifi.running_net import RunningNet


class _Positions(Commands):
    """Positions as scripts say them."""

    prompt = "mininet-wifi> "

    def position_m(self, node: str) -> tuple[float, float, float] | None:
        found: tuple[float, float, float] | None = self.mn.position_of(self.mn[node])
        return found


class _Prompt(_Positions, Shell):
    """The prompt on a terminal."""


class _Lines(_Positions, Batch):
    """The prompt without a terminal."""

    def __init__(self, network: RunningNet, lines: Iterable[str]) -> None:
        self._lines = iter(lines)
        super().__init__(session(), network)

    def greet(self) -> None:
        """Say nothing."""
        ENVIRONMENT.update(PLAIN)

    def next_line(self) -> str | None:
        return next(self._lines, None)


class CLI:
    """The prompt, which opens as it is made; what follows runs once its user has left it."""

    def __init__(
        self, network: RunningNet, stdin: Any = None, script: str | None = None, *_more: Any, **_others: Any
    ) -> None:
        """Open it. ``script``: a file whose lines are run instead."""
        network.build()
        lines: Iterable[str] | None = stdin or sys.stdin
        if script is not None:
            lines = Path(script).read_text().splitlines()
        elif session().terminal and stdin in (None, sys.stdin):
            lines = None
        # which one it is, is known only here; commands of the script's own class come before those of the lab's
        own = type(self)
        self.__class__ = type(own.__name__, (own, _Prompt if lines is None else _Lines), {})
        if lines is None:
            assert isinstance(self, _Prompt)
            _Prompt.__init__(self, session(), network)
        else:
            assert isinstance(self, _Lines)
            _Lines.__init__(self, network, lines)


CLI_wifi = CLI
