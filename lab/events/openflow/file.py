# SPDX-License-Identifier: MIT
"""Changes flow rules of a switch or access point."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import Field, model_validator

from lab.errors import unknown
from lab.model.base import Text, refuse
from lab.model.event import Event, Resolved, Scene
from lab.model.openflow import Matches, Rules, unknown_port


class OpenFlowRules(Event):
    """Delete and add flow rules, as ovs-ofctl does; what it prints is kept."""

    openflow: Text = Field(description="The switch, or access point with a controller: or openflow:.")
    delete: Matches = Field([], description='Rules to delete first, by what they match: [in_port=s1-eth1]; all: [""].')
    add: Rules = Field([], description='Rules to add: ["priority=10,in_port=s1-eth1,actions=drop"].')

    @model_validator(mode="after")
    def _something(self) -> OpenFlowRules:
        if not self.delete and not self.add:
            refuse("needs add: or delete: with flow rules", key="openflow")
        return self

    def resolve(self, scene: Scene) -> Resolved:
        for node in scene.nodes(self.openflow, "openflow", lambda node: node.kind == "switch" or node.openflow):
            if node.kind != "switch" and node.openflow is None:
                scene.refuse(
                    f"{node.name} has no flow rules; name a switch, or an access point with controller:", "openflow"
                )
                continue
            for key, rules in (("delete", self.delete), ("add", self.add)):
                for rule in rules:
                    if (port := unknown_port(rule, node.ports)) is not None:
                        scene.refuse(unknown("port", port, node.ports), key)
            yield node.name, {"delete": list(self.delete), "add": list(self.add)}

    @classmethod
    def summary(cls, params: Mapping[str, Any]) -> str:
        deleted, added = (", ".join(f'"{rule}"' for rule in params[key]) for key in ("delete", "add"))
        return "; ".join(filter(None, [deleted and f"delete {deleted}", added and f"add {added}"]))
