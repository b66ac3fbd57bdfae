# SPDX-License-Identifier: MIT
"""``CLI(net)``: the prompt of ``lab shell``; without a terminal, the lines of the host's standard input."""

from __future__ import annotations

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

    def greet(self) -> None:
        """Say nothing."""
        ENVIRONMENT.update(PLAIN)

    def next_line(self) -> str | None:
        line: str | None = self._session.ask("line")["line"]
        return line


def CLI(network: RunningNet, stdin: Any = None, script: str | None = None, **_others: Any) -> Any:
    """Open the prompt; return once its user has left it."""
    network.build()
    prompt = _Prompt if session().terminal else _Lines
    return prompt(session(), network)


CLI_wifi = CLI
