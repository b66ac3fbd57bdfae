# SPDX-License-Identifier: MIT
"""Switches reception of damaged frames on or off."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import Field

from lab.model.base import Text
from lab.model.event import Event, Resolved, Scene
from lab.radio_settings.approximate import unreadable


class Approximate(Event):
    """Switch reception of data frames with a wrong FCS on or off at a node (see the key approximate of a node)."""

    approximate: Text = Field(description="The node, an access point or a station of an open network.")
    enabled: bool = Field(description="Whether it accepts damaged frames.")

    def resolve(self, scene: Scene) -> Resolved:
        if not scene.has_medium():
            scene.refuse("the perfect medium damages no frames; write medium: {} in the topology", "approximate")
            return
        for node in scene.nodes(self.approximate, "approximate", lambda node: node.radio and node.radio.ssid):
            if node.radio is None or not node.radio.ssid:  # of a radio that only listens
                scene.refuse(f"{node.name} receives no data frames (it is a {node.kind})", "approximate")
            elif self.enabled and (why := unreadable(node.radio)):
                scene.refuse(why, "approximate")
            else:
                yield node.name, {"enabled": self.enabled}

    @classmethod
    def summary(cls, params: Mapping[str, Any]) -> str:
        return "on" if params["enabled"] else "off"
