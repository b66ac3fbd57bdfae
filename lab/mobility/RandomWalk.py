# SPDX-License-Identifier: MIT
"""The random walk (Camp, Boleng, Davies 2002, section 2.1)."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Literal

from pydantic import Field, model_validator

from lab.mobility._legs import direction, inward, to_edge, travel_ns
from lab.model.base import refuse
from lab.model.mobility import Extent, Interval, Roaming, Spot
from lab.shared.mobility_types import Waypoint

_INTERVAL_NS = 10_000_000_000


class RandomWalk(Roaming):
    """Nodes take a new direction and speed at regular intervals, and bounce off the edge of the area."""

    model: Literal["RandomWalk"] = Field(
        description="RandomWalk: each takes a new direction and speed every interval or distance, and bounces off the "
        "edge of the area."
    )
    interval: Interval | None = Field(
        None, description="Time between changes of direction. Default: 10 s, unless distance is given."
    )
    distance: Extent | None = Field(None, description="Distance between changes of direction, instead of a time.")

    @model_validator(mode="after")
    def _one(self) -> RandomWalk:
        if self.interval is not None and self.distance is not None:
            refuse("cannot be combined with interval; remove one of them", key="distance")
        return self

    def walk(self, draws: random.Random, begin: Spot) -> Iterator[Waypoint]:
        """Yield the end of each leg, and where it bounces."""
        at_ns, here = self.start, begin
        while True:
            heading, speed_m_s = direction(draws), self.speed(draws)
            left_mm = self._leg_m(speed_m_s) * 1000
            while left_mm > 0:
                heading = inward(self.area, here, heading)
                there, left_mm = to_edge(self.area, here, heading, left_mm)
                at_ns, here = at_ns + travel_ns(here, there, speed_m_s), there
                yield Waypoint(at_ns, *here)

    def _leg_m(self, speed_m_s: float) -> float:
        if self.distance is not None:
            return self.distance
        return speed_m_s * (self.interval or _INTERVAL_NS) / 1e9
