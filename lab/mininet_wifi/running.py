# SPDX-License-Identifier: MIT
"""The session of the script that runs: its line to the host, and what it may build."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from lab.guest.host import Host, opened
from lab.guest.live import LiveGuest
from lab.guest.session import Session

T = TypeVar("T")


class ScriptSession(Session):
    """A session whose guest has no network at first."""

    def __init__(self) -> None:
        super().__init__(cast(LiveGuest, None), Host(opened()))
        self.begun = self._plays = False
        self.told: dict[str, Any] = self.ask("script")

    @property
    def terminal(self) -> bool:
        """Whether somebody types at a terminal, in real time."""
        return bool(self.told["terminal"])

    def attach(self, guest: LiveGuest) -> None:
        """Take the network of the script, whose clock does not run yet."""
        self._guest, self.begun = guest, True

    def begin(self) -> None:
        """From now on, nodes move."""
        self.start(attachable=self.terminal)
        self._plays = True

    def call(self, action: Callable[[], T]) -> T:
        """Have the thread of the loop do something; before it runs, do it."""
        return super().call(action) if self._plays else action()


_current: list[ScriptSession] = []


def session() -> ScriptSession:
    """Return the session of this guest."""
    if not _current:
        _current.append(ScriptSession())
    return _current[0]
