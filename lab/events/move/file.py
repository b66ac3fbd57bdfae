# SPDX-License-Identifier: MIT
"""Moves a node with a radio."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import Field

from lab import units
from lab.model.base import NamedPosition, Speed, Text
from lab.model.event import Event, Resolved, Scene
from lab.show.words import position


class Move(Event):
    """Move a station or access point."""

    move: Text = Field(description="The station or access point that moves.")
    to: NamedPosition = Field(description="The new position: [x, y, z], each with a unit, or a name of positions:.")
    speed: Speed | None = Field(
        None, description="Speed of the move, in a straight line. Default: the node jumps there at once."
    )

    def resolve(self, scene: Scene) -> Resolved:
        """Yield ``{position_m}`` for each node, and ``{speed_m_s}`` if given."""
        to = scene.place(self.to, "to") if isinstance(self.to, str) else self.to
        for node in scene.nodes(self.move, "move", lambda node: node.radio):
            if node.radio is None:
                message = f"{node.name} has no radio (it is a {node.kind}); only nodes with a radio move"
                scene.refuse(message, "move")
                continue
            if node.owner is not None:
                scene.refuse(f"{node.name} is a radio of {node.owner}, and moves with it; write {node.owner}", "move")
                continue
            if to is None:
                continue
            params: dict[str, Any] = {"position_m": list(to)}
            if self.speed is not None:
                params["speed_m_s"] = self.speed
                if scene.position(node) is None:
                    scene.refuse(
                        f"{node.name} has no start position; write position: in nodes.{node.name}, or remove speed:",
                        "speed",
                    )
                    continue
            scene.move(node, to, self.speed)
            yield node.name, params

    @classmethod
    def summary(cls, params: Mapping[str, Any]) -> str:
        speed = f" at {units.SPEED.format(params['speed_m_s'])}" if "speed_m_s" in params else ""
        return f"to {position(params['position_m'])}{speed}"
