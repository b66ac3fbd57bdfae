# SPDX-License-Identifier: MIT
"""Takes an access point's power away, and gives it back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field

from lab.model.base import Text
from lab.model.event import Event, Resolved, Scene


class Unpowered(set[str]):
    """Access points without power."""


class Power(Event):
    """Take an access point's power away, or give it back.

    Without power it sends nothing, not even a farewell: its stations notice that its beacons are missing. Its wired
    ports lose their carrier. With power, hostapd starts again and knows no station.
    """

    power: Text = Field(description="The access point.")
    to: Literal["off", "on"] = Field(description="The new state: off or on.")

    def resolve(self, scene: Scene) -> Resolved:
        off = scene.state(Unpowered)
        for ap in scene.nodes(self.power, "power", lambda node: node.kind == "ap"):
            if ap.kind != "ap":
                scene.refuse(
                    f"{ap.name} is not an access point (it is a {ap.kind}); only access points lose power", "power"
                )
            elif (ap.name not in off) == (self.to == "on"):
                scene.refuse(f"{ap.name} is already {self.to} at that time; remove this", "to")
            else:
                (off.discard if self.to == "on" else off.add)(ap.name)
                yield ap.name, {"on": self.to == "on"}

    @classmethod
    def summary(cls, params: Mapping[str, Any]) -> str:
        return "on" if params["on"] else "off"
