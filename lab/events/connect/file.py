# SPDX-License-Identifier: MIT
"""Lets a station connect again."""

from __future__ import annotations

from pydantic import Field

from lab.events.disconnect.file import Away
from lab.model.base import Text
from lab.model.event import Event, Resolved, Scene, stations


class Connect(Event):
    """Let a station that has been disconnected join its network again: it scans, and takes the best access point."""

    connect: Text = Field(description="The station that connects again.")

    def resolve(self, scene: Scene) -> Resolved:
        away = scene.state(Away)
        for station in stations(scene, self.connect, "connect", "connect"):
            if station.name in away:
                away.discard(station.name)
                yield station.name, {}
            else:
                scene.refuse(f"{station.name} is not disconnected at that time; remove this", "connect")
