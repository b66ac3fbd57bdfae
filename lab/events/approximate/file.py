# SPDX-License-Identifier: MIT
"""A radio's switch for damaged frames is turned."""

from __future__ import annotations

from pydantic import Field

from lab.model.base import Text
from lab.model.event import Event, Resolved, Scene
from lab.model.node import unreadable


class Approximate(Event):
    """A node takes data frames with a wrong FCS from now on, or no longer (key approximate of a node)."""

    approximate: Text = Field(description="The node, an access point or a station of an open network.")
    enabled: bool = Field(description="Whether it takes them.")

    def resolve(self, scene: Scene) -> Resolved:
        """``{enabled}`` for each node."""
        if not scene.has_medium():
            scene.refuse("the perfect medium damages no frames; write medium: {} in the topology", "approximate")
            return
        for node in scene.nodes(self.approximate, "approximate"):
            if node.radio is None or not node.radio.ssid:  # of a radio that only listens
                scene.refuse(f"{node.name} receives no data frames (it is a {node.kind})", "approximate")
            elif self.enabled and (why := unreadable(node.radio.ssid, node.radio.encrypt)):
                scene.refuse(why, "approximate")
            else:
                yield node.name, {"enabled": self.enabled}
