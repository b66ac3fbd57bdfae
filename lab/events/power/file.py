# SPDX-License-Identifier: MIT
"""Takes an access point's or mesh point's power away, and gives it back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from lab.model.base import Text
from lab.model.event import Event, Resolved, Scene
from lab.model.node import NODES

if TYPE_CHECKING:
    from lab.shared.types import Node


class Unpowered(set[str]):
    """Nodes without power."""


class Power(Event):
    """Take an access point's or mesh point's power away, or give it back.

    Without power it sends nothing, not even a farewell: others notice that its beacons and answers are missing. Its
    wired ports lose their carrier. With power, its programs start again and know no other node.
    """

    power: Text = Field(description="The access point or mesh point.")
    to: Literal["off", "on"] = Field(description="The new state: off or on.")

    def resolve(self, scene: Scene) -> Resolved:
        off = scene.state(Unpowered)
        for node in scene.nodes(self.power, "power", _loses_power):
            if node.owner is not None:
                message = f"{node.name} is a radio of {node.owner}, which loses power as a whole; write {node.owner}"
                scene.refuse(message, "power")
            elif not _loses_power(node):
                instead = "; write disconnect: and connect:" if node.kind == "sta" else ""
                scene.refuse(
                    f"{node.name} is not an access point (it is a {node.kind}); only access points and mesh points "
                    f"lose power{instead}",
                    "power",
                )
            elif (node.name not in off) == (self.to == "on"):
                scene.refuse(f"{node.name} is already {self.to} at that time; remove this", "to")
            else:
                (off.discard if self.to == "on" else off.add)(node.name)
                yield node.name, {"on": self.to == "on"}

    @classmethod
    def summary(cls, params: Mapping[str, Any]) -> str:
        return "on" if params["on"] else "off"


def _loses_power(node: Node) -> bool:
    return NODES.get(node.kind).loses_power
