# SPDX-License-Identifier: MIT
"""The session of the script that runs: its line to the host, and what it may build."""

from __future__ import annotations

from typing import Any, cast

from lab.guest.host import Host, opened
from lab.guest.live import LiveGuest
from lab.guest.session import Session


class ScriptSession(Session):
    """A session whose guest has no network at first."""

    def __init__(self) -> None:
        super().__init__(cast(LiveGuest, None), Host(opened()))
        self.begun = False
        self.told: dict[str, Any] = self.ask("script")

    @property
    def terminal(self) -> bool:
        """Whether somebody types at a terminal, in real time."""
        return bool(self.told["terminal"])

    def begin(self, guest: LiveGuest) -> None:
        """Take the network of the script; from now on, nodes move."""
        self._guest, self.begun = guest, True
        self.start(attachable=self.terminal)


_current: list[ScriptSession] = []


def session() -> ScriptSession:
    """Return the session of this guest."""
    if not _current:
        _current.append(ScriptSession())
    return _current[0]
