# SPDX-License-Identifier: MIT
"""The reference point group model (Camp, Boleng, Davies 2002, section 3.5; X. Hong et al., MSWiM 1999).

The group's centre moves by the random waypoint model. Each node is at a random vector from it, uniform in direction and
in length up to the radius, of which it takes a new one every interval and goes there evenly. So a node is at most
max_v + 2 radius / interval fast.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterable, Iterator
from itertools import chain, islice
from typing import Literal

from pydantic import Field, model_validator

from lab.mobility._legs import direction
from lab.mobility._pausing_legs import ToRandomPlaces
from lab.model.base import refuse
from lab.model.mobility import HEIGHT_MM, Crowd, Extent, Interval, MobilityArea, Ways, cut
from lab.shared.mobility_types import Waypoint
from lab.shared.positions import position_at

_LEGS_MOST = 100_000  # of the centre


class ReferencePoint(ToRandomPlaces):
    """Nodes move as a group: around a centre that goes from one random position to the next."""

    model: Literal["ReferencePoint"] = Field(
        description="ReferencePoint: they move as a group, each within radius of a centre that moves as by "
        "RandomWayPoint."
    )
    radius: Extent = Field(description="How far from the centre a node is at most.")
    interval: Interval = Field(
        10_000_000_000, description="How long a node takes from one random position around the centre to the next."
    )

    @property
    def area(self) -> MobilityArea:
        """Where the centre moves: a radius from the edge."""
        return self.whole.shrunk(math.ceil(self.radius * 1000))

    @model_validator(mode="after")
    def _room(self) -> ReferencePoint:
        room_mm = min(high - low for low, high in zip(self.whole.low, self.whole.high, strict=True))
        if room_mm < 2000 * self.radius + 100:
            refuse("must be less than half of each side of the area", key="radius")
        return self

    def ways(self, crowd: Crowd) -> Ways:
        draws = crowd.common()
        begin = self.area.drawn(draws, HEIGHT_MM)
        end_ns = crowd.until_ns if self.stop is None else min(self.stop, crowd.until_ns)
        legs = cut(chain([Waypoint(self.start, *begin)], self.walk(draws, begin)), end_ns)
        centre = list(islice(legs, _LEGS_MOST))
        for name in crowd.names:
            if crowd.given(name) is not None:
                crowd.refuse_position(name, f"{name} begins near the centre of its group ({self.model}); remove this")
            yield name, cut(self._around(centre, crowd.draws(name), end_ns), end_ns)

    def _around(self, centre: list[Waypoint], draws: random.Random, end_ns: int) -> Iterator[Waypoint]:
        """Yield where a node is whenever it, or the centre, takes another direction."""
        offset_mm, next_mm = self._offset(draws), self._offset(draws)
        since_ns = self.start
        times = self._times([waypoint.at_ns for waypoint in centre], end_ns)
        for at_ns in times:
            while at_ns > since_ns + self.interval:
                since_ns, offset_mm, next_mm = since_ns + self.interval, next_mm, self._offset(draws)
            done = (at_ns - since_ns) / self.interval
            x, y, z = (1000 * value for value in position_at(centre, at_ns))
            across, along = (a + done * (b - a) for a, b in zip(offset_mm, next_mm, strict=True))
            yield Waypoint(at_ns, round(x + across), round(y + along), round(z))

    def _times(self, turns_ns: Iterable[int], end_ns: int) -> list[int]:
        """Return when a node takes another direction: with the centre, and every interval up to the end."""
        own = islice(range(self.start, end_ns + self.interval, self.interval), _LEGS_MOST)
        return sorted({*turns_ns, *own})

    def _offset(self, draws: random.Random) -> tuple[float, float]:
        """Draw a vector from the centre, in mm."""
        (x, y), far_mm = direction(draws), draws.random() * self.radius * 1000
        return far_mm * x, far_mm * y
