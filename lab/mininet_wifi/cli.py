# SPDX-License-Identifier: MIT
"""``CLI(net)``: the prompt of ``lab shell``; without a terminal, the lines of the host's standard input."""

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


def CLI(network: RunningNet, stdin: Any = None, script: str | None = None, **_others: Any) -> Any:
    """Open the prompt; return once its user has left it. ``script``: a file whose lines are run instead."""
    network.build()
    if script is not None:
        return _Lines(network, Path(script).read_text().splitlines())
    if stdin is not None and stdin is not sys.stdin:
        return _Lines(network, stdin)
    return _Prompt(session(), network) if session().terminal else _Lines(network, sys.stdin)


CLI_wifi = CLI
