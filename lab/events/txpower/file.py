# SPDX-License-Identifier: MIT
"""A radio changes its transmission power."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import Field

from lab import units
from lab.model.base import Power, Text
from lab.model.event import Event, Resolved, Scene


class Txpower(Event):
    """Change a radio's transmission power: what others hear of it changes by as much."""

    txpower: Text = Field(description="The node.")
    to: Power = Field(description="The new power. The radio sends with less where the country or iw allow no more.")

    def resolve(self, scene: Scene) -> Resolved:
        if not scene.has_medium():
            scene.refuse("every frame arrives on the perfect medium; write medium: {} in the topology", "txpower")
            return
        for node in scene.nodes(self.txpower, "txpower", lambda node: node.radio):
            if node.radio is None:
                scene.refuse(f"{node.name} has no radio (it is a {node.kind})", "txpower")
            else:
                yield node.name, {"dbm": self.to}

    @classmethod
    def summary(cls, params: Mapping[str, Any]) -> str:
        return units.POWER.format(params["dbm"])
