# SPDX-License-Identifier: MIT
"""A wired link goes down or comes up."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from lab.model.event import Event, Resolved, Scene
from lab.model.names import LinkName


class LinkState(Event):
    """A wired link is pulled, or plugged in again."""

    link: LinkName = Field(description="The link, by its name or its two ends: h1-s1 or [h1, s1].")
    to: Literal["up", "down"] = Field(description="What it is then: up or down.")

    def resolve(self, scene: Scene) -> Resolved:
        """``{up}`` for the link."""
        link = scene.link(self.link, "link")
        if link is not None:
            yield link.name, {"up": self.to == "up"}
