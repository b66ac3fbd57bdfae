# SPDX-License-Identifier: MIT
"""Ways that the topology gives: times and positions."""

from __future__ import annotations

from itertools import pairwise
from typing import Annotated, Literal

from pydantic import Field, model_validator

from lab import units
from lab.model.base import Model, Moment, Position, refuse
from lab.model.mobility import Crowd, Mobility, Ways
from lab.shared.mobility_types import Waypoint

_MOST = 10_000


class PathPoint(Model):
    """A time and a position."""

    at: Moment = Field(description="When they are there.")
    position: Position = Field(description="The position: [x, y, z], each with a unit.")


class Waypoints(Mobility):
    """Nodes go from one given position to the next."""

    model: Literal["Waypoints"] = Field(
        description="Waypoints: they are at given positions at given times, and go evenly from one to the next."
    )
    path: Annotated[list[PathPoint], Field(min_length=1, max_length=_MOST)] = Field(
        description="Times and positions, by time: [{at: 0 s, position: [0 m, 0 m, 1 m]}, …]. Before the first one "
        "they wait there; at the last one they stay."
    )

    @model_validator(mode="after")
    def _ascending(self) -> Waypoints:
        for before, after in pairwise(self.path):
            if after.at <= before.at:
                refuse(
                    f"{units.DURATION.format(after.at)} is not later than {units.DURATION.format(before.at)} before "
                    "it; write the points by time",
                    key="path",
                )
        return self

    def ways(self, crowd: Crowd) -> Ways:
        for name in crowd.names:
            if crowd.given(name) is not None:
                crowd.refuse_position(name, f"{name} begins where its path in mobility: begins; remove this")
            yield name, [Waypoint(point.at, *(round(1000 * at) for at in point.position)) for point in self.path]
