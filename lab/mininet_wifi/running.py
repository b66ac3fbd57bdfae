# SPDX-License-Identifier: MIT
"""The session of the script that runs: its line to the host, and what it may build."""

from __future__ import annotations

import math
from typing import Any, cast

from lab.guest.host import Host, opened
from lab.guest.live import LiveGuest
from lab.guest.session import Session
from lab.shared.mobility_types import Waypoint
from lab.shared.positions import position_at


class ScriptSession(Session):
    """A session whose guest has no network at first."""

    def __init__(self) -> None:
        super().__init__(cast(LiveGuest, None), Host(opened()))
        self.begun = False
        self._ways: dict[str, list[Waypoint]] = {}
        self.told: dict[str, Any] = self.ask("script")

    @property
    def terminal(self) -> bool:
        """Whether somebody types at a terminal, in real time."""
        return bool(self.told["terminal"])

    @property
    def guest(self) -> LiveGuest:
        """The guest, once it has a network."""
        return self._guest

    def begin(self, guest: LiveGuest) -> None:
        """Take the network of the script; from now on, nodes move."""
        self._guest, self.begun = guest, True
        self._ways = {way.node: way.waypoints for way in guest.plan.mobility}
        self.start()

    def ask(self, what: str, **content: Any) -> dict[str, Any]:
        found = super().ask(what, **content)
        for event in found.get("events", []) if what == "event" else []:
            if event["kind"] == "move":
                self._note_move(event["target"], event["params"], content["at_ns"])
        return found

    def _note_move(self, node: str, params: dict[str, Any], at_ns: int) -> None:
        """Remember where a node goes."""
        there_m: list[float] = params["position_m"]
        here_m = self.position_m(node) or there_m
        takes_s = math.dist(here_m, there_m) / params["speed_m_s"] if "speed_m_s" in params else 0.0
        begin, end = (Waypoint(0, *(round(1000 * at) for at in spot)) for spot in (here_m, there_m))
        later = [end._replace(at_ns=at_ns + round(takes_s * 1e9))]
        self._ways[node] = [begin._replace(at_ns=at_ns), *later] if takes_s else later

    def position_m(self, node: str) -> tuple[float, float, float] | None:
        """Return where a node is now; None if it has no position."""
        if node in self._ways:
            return position_at(self._ways[node], self._guest.clock.elapsed_ns())
        found = self._guest.plan.node(node).position_m
        return (found[0], found[1], found[2]) if found else None


_current: list[ScriptSession] = []


def session() -> ScriptSession:
    """Return the session of this guest."""
    if not _current:
        _current.append(ScriptSession())
    return _current[0]
