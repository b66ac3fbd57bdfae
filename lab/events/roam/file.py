# SPDX-License-Identifier: MIT
"""A station is handed off."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

from lab.model.base import Text
from lab.model.event import Event, Resolved, Scene

if TYPE_CHECKING:
    from lab.shared import types as plan


class Roam(Event):
    """A station leaves its access point for another one of the same network."""

    roam: Text = Field(description="The station that is handed off.")
    to: Text = Field(description="The access point it goes to; has the station's SSID.")

    def resolve(self, scene: Scene) -> Resolved:
        """``{to}`` for each station."""
        targets = scene.nodes(self.to, "to")
        if len(targets) > 1:
            scene.refuse(f'"{self.to}" means {len(targets)} nodes; a station goes to one access point', "to")
        for station in scene.nodes(self.roam, "roam"):
            if station.kind != "sta":
                scene.refuse(f"{station.name} is no station (it is a {station.kind}); only stations roam", "roam")
            elif len(targets) == 1 and _reachable(scene, station, targets[0]):
                yield station.name, {"to": targets[0].name}


def _reachable(scene: Scene, station: plan.Node, target: plan.Node) -> bool:
    """Whether that station can associate there; says why not."""
    if target.kind != "ap" or target.radio is None:
        scene.refuse(f"{target.name} is no access point (it is a {target.kind})", "to")
        return False
    if station.radio is not None and station.radio.ibss_bssid is not None:
        scene.refuse(f"{station.name} is in an ad hoc network, which has no access points to roam between", "roam")
        return False
    if station.radio is not None and target.radio.ssid != station.radio.ssid:
        scene.refuse(
            f'{target.name} serves "{target.radio.ssid}", but {station.name} belongs to "{station.radio.ssid}"; '
            "a station roams within its network",
            "to",
        )
        return False
    return True
