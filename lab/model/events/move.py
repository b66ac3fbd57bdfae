# SPDX-License-Identifier: MIT
"""A node with a radio changes its position."""

from __future__ import annotations

from pydantic import Field

from lab.model.base import Position, Text
from lab.model.events.base import Event, Resolved, Scene


class Move(Event):
    """A station or access point is somewhere else from now on."""

    move: Text = Field(description="The station or access point that moves.")
    to: Position = Field(description="Where it is then: [x, y, z], each with a unit.")

    def resolve(self, scene: Scene) -> Resolved:
        """``{position_m}`` for each node."""
        for node in scene.nodes(self.move, "move"):
            if node.radio is None:
                scene.refuse(f"{node.name} has no radio (it is a {node.kind}), so its place does not matter", "move")
            else:
                yield node.name, {"position_m": list(self.to)}
