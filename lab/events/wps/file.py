# SPDX-License-Identifier: MIT
"""Lets a station into a network at the push of a button."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import Field

from lab.events.roam.file import reachable
from lab.model.base import Text
from lab.model.event import Event, Resolved, Scene, stations


class Wps(Event):
    """Press the buttons (WPS) of an access point and of a station, which then learns the passphrase and joins.

    The station first scans all channels, which takes seconds.
    """

    wps: Text = Field(description="The station, which has wps: true.")
    to: Text = Field(description="The access point, which has wps: true.")

    def resolve(self, scene: Scene) -> Resolved:
        targets = scene.nodes(self.to, "to", lambda node: node.kind == "ap")
        if len(targets) > 1:
            scene.refuse(f'"{self.to}" stands for {len(targets)} nodes; name one access point', "to")
        for station in stations(scene, self.wps, "wps", "press buttons"):
            if len(targets) != 1 or not reachable(scene, station, targets[0], "wps"):
                continue
            network = targets[0].network(station.radio.ssid) if station.radio else None
            for node, radio, key in ((station, station.radio, "wps"), (targets[0], network, "to")):
                if radio is None or not radio.wps:
                    scene.refuse(f"{node.name} has no button; write wps: true in nodes.{node.name}", key)
                    break
            else:
                yield station.name, {"to": targets[0].name}

    @classmethod
    def summary(cls, params: Mapping[str, Any]) -> str:
        return f"to {params['to']}"
