# SPDX-License-Identifier: MIT
"""Changes the parameters of a wired link."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from pydantic import Field

from lab.model.event import Event, Resolved, Scene
from lab.model.links import Shape, complaint
from lab.model.names import LinkName
from lab.shared.types import Netem
from lab.show.words import shape


class Shapes(dict[str, Netem]):
    """The parameters of links that events have changed."""


class NetemChange(Event, Shape):
    """Change parameters of a wired link; parameters that are not given stay unchanged."""

    netem: LinkName = Field(description="The link, by its name or its two ends: h1-s1 or [h1, s1].")

    def resolve(self, scene: Scene) -> Resolved:
        """Yield all parameters of the link from then on."""
        link = scene.link(self.netem, "netem")
        if link is None:
            return
        shapes = scene.state(Shapes)
        netem = self.applied_to(shapes.get(link.name, link.netem))
        wrong = complaint(netem)
        if wrong is not None:
            scene.refuse(wrong[1], wrong[0])
        shapes[link.name] = netem
        yield link.name, dataclasses.asdict(netem)

    @classmethod
    def summary(cls, params: Mapping[str, Any]) -> str:
        return shape(Netem(**params))
