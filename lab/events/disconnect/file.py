# SPDX-License-Identifier: MIT
"""Disconnects a station from its access point."""

from __future__ import annotations

from pydantic import Field

from lab.model.base import Text
from lab.model.event import Event, Resolved, Scene, stations


class Away(set[str]):
    """Stations that events have disconnected."""


class Disconnect(Event):
    """Disconnect a station, as its user would: it informs its access point, and stays away until a connect event.

    A handoff in progress ends, unfinished.
    """

    disconnect: Text = Field(description="The station that disconnects.")

    def resolve(self, scene: Scene) -> Resolved:
        away = scene.state(Away)
        for station in stations(scene, self.disconnect, "disconnect", "disconnect"):
            if station.name in away:
                scene.refuse(f"{station.name} is already disconnected at that time; remove this", "disconnect")
            else:
                away.add(station.name)
                yield station.name, {}
