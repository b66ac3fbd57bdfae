# SPDX-License-Identifier: MIT
"""Takes a wired link down or up."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field

from lab.model.event import Event, Resolved, Scene
from lab.model.names import LinkName


class LinkState(Event):
    """Unplug a wired link, or plug it in again."""

    link: LinkName = Field(description="The link, by its name or its two ends: h1-s1 or [h1, s1].")
    to: Literal["up", "down"] = Field(description="The new state: up or down.")

    def resolve(self, scene: Scene) -> Resolved:
        link = scene.link(self.link, "link")
        if link is not None:
            yield link.name, {"up": self.to == "up"}

    @classmethod
    def summary(cls, params: Mapping[str, Any]) -> str:
        return "up" if params["up"] else "down"
