# SPDX-License-Identifier: MIT
"""A node with a radio changes its position."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from lab.model.base import Position, Speed, Text
from lab.model.event import Event, Resolved, Scene


class Move(Event):
    """A station or access point goes to another place."""

    move: Text = Field(description="The station or access point that moves.")
    to: Position = Field(description="Where it goes: [x, y, z], each with a unit.")
    speed: Speed | None = Field(
        None, description="How fast it goes there, in a straight line. If nothing is said: it is there at once."
    )

    def resolve(self, scene: Scene) -> Resolved:
        """``{position_m}`` for each node, and ``{speed_m_s}`` where it takes time."""
        for node in scene.nodes(self.move, "move"):
            if node.radio is None:
                scene.refuse(f"{node.name} has no radio (it is a {node.kind}), so its place does not matter", "move")
                continue
            params: dict[str, Any] = {"position_m": list(self.to)}
            if self.speed is not None:
                params["speed_m_s"] = self.speed
                if scene.position(node) is None:
                    scene.refuse(
                        f"{node.name} has no position to start from; write position: in nodes.{node.name}, "
                        "or leave the speed out",
                        "speed",
                    )
                    continue
            scene.move(node, self.to, self.speed)
            yield node.name, params
