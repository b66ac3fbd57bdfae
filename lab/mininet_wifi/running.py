# SPDX-License-Identifier: MIT
"""The session of the script that runs: its line to the host, and what it may build."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

from lab.guest.errors import GuestError
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

    def ask(self, what: str, **content: Any) -> dict[str, Any]:
        """Ask the host. About files and history, the guest answers: a script uses none of the host's."""
        if what in _HERE:
            return _HERE[what](**content)
        return super().ask(what, **content)

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


def _source(path: str) -> dict[str, Any]:
    try:
        return {"lines": Path(path).read_text().splitlines()}
    except (OSError, UnicodeError) as error:
        raise GuestError(f"cannot read {path}: {getattr(error, 'strerror', None) or error}") from None


def _files(begins: str) -> dict[str, Any]:
    folder = begins.rpartition("/")[0] + "/" if "/" in begins else ""
    found = Path(folder or ".").iterdir() if Path(folder or ".").is_dir() else ()
    return {"files": sorted(f"{folder}{one.name}{'/' if one.is_dir() else ''}" for one in found)}


_HERE: dict[str, Callable[..., dict[str, Any]]] = {
    "history": lambda: {"lines": []},
    "remember": lambda line: {},
    "source": _source,
    "files": _files,
}
_current: list[ScriptSession] = []


def session() -> ScriptSession:
    """Return the session of this guest."""
    if not _current:
        _current.append(ScriptSession())
    return _current[0]
