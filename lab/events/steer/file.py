# SPDX-License-Identifier: MIT
"""Suggests another access point to a station."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import Field

from lab.events.roam.file import reachable
from lab.model.base import Flag, Text
from lab.model.event import Event, Resolved, Scene, stations


class Steer(Event):
    """Have the access point of a station suggest another one to it (802.11v, BSS transition management request).

    The station decides: it may stay if the other one is not better. Nothing happens if it is there already.
    """

    steer: Text = Field(description="The station that is to change its access point.")
    to: Text = Field(description="The access point that is suggested; it must have the station's SSID.")
    leaves: Flag = Field(
        False,
        description="Whether the access point also announces that it will disassociate the station in ten beacon "
        "intervals, and does so.",
    )

    def resolve(self, scene: Scene) -> Resolved:
        targets = scene.nodes(self.to, "to", lambda node: node.kind == "ap")
        if len(targets) > 1:
            scene.refuse(f'"{self.to}" stands for {len(targets)} nodes; name one access point', "to")
        for station in stations(scene, self.steer, "steer", "are steered"):
            if len(targets) != 1 or not reachable(scene, station, targets[0], "steer"):
                continue
            network = targets[0].network(station.radio.ssid) if station.radio else None
            if network is not None and not network.has("bss_transition"):
                scene.refuse(
                    f"write btm: true in the access points of {network.ssid}; without it, they suggest nothing", "to"
                )
            else:
                yield station.name, {"to": targets[0].name, "leaves": self.leaves}

    @classmethod
    def summary(cls, params: Mapping[str, Any]) -> str:
        return f"to {params['to']}{', which has to leave' if params['leaves'] else ''}"
