# SPDX-License-Identifier: MIT
"""Hands a station off to another access point."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pydantic import Field

from lab.events.disconnect.file import Away
from lab.events.power.file import Unpowered
from lab.model.base import Text
from lab.model.event import Event, Resolved, Scene, stations

if TYPE_CHECKING:
    from lab.shared import types as plan


class Roam(Event):
    """Hand a station off to another access point of its network."""

    roam: Text = Field(description="The station that is handed off.")
    to: Text = Field(description="The access point to associate with; it must have the station's SSID.")

    def resolve(self, scene: Scene) -> Resolved:
        targets = scene.nodes(self.to, "to", lambda node: node.kind == "ap")
        if len(targets) > 1:
            scene.refuse(f'"{self.to}" stands for {len(targets)} nodes; name one access point', "to")
        for station in stations(scene, self.roam, "roam", "roam"):
            if len(targets) == 1 and reachable(scene, station, targets[0], "roam"):
                yield station.name, {"to": targets[0].name}

    @classmethod
    def summary(cls, params: Mapping[str, Any]) -> str:
        return f"to {params['to']}"


def reachable(scene: Scene, station: plan.Node, target: plan.Node, key: str) -> bool:
    """Return whether the station can associate there; if not, report why. ``key``: that of the event's station."""
    if target.kind != "ap" or target.radio is None:
        scene.refuse(f"{target.name} is not an access point (it is a {target.kind}){_choice(scene, station)}", "to")
        return False
    if target.home in scene.state(Unpowered):
        scene.refuse(f"{target.home} has no power at that time; write power: {target.home}, to: on before", "to")
        return False
    if station.name in scene.state(Away):
        scene.refuse(f"{station.name} is disconnected at that time; write connect: {station.name} before", key)
        return False
    if station.radio is not None and target.network(station.radio.ssid) is None:
        ssids = " and ".join(f'"{one.ssid}"' for one in target.radio.networks())
        scene.refuse(
            f'{target.name} has the SSID {ssids}, but {station.name} has "{station.radio.ssid}"'
            f"{_choice(scene, station)}",
            "to",
        )
        return False
    return True


def _choice(scene: Scene, station: plan.Node) -> str:
    """Return what a message says of the access points of a station's network."""
    names = [one.name for one in scene.access_points() if station.radio and one.network(station.radio.ssid)]
    return f"; those of its network: {', '.join(names)}" if names else "; its network has no access point"
