# SPDX-License-Identifier: MIT
"""The random direction model (Camp, Boleng, Davies 2002, section 2.3)."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Literal

from pydantic import Field

from lab.mobility._legs import direction, inward, to_edge, travel_ns
from lab.model.mobility import Pausing, Spot
from lab.shared.mobility_types import Waypoint


class RandomDirection(Pausing):
    """Nodes go up to the edge of the area, stay there, and go on in another direction."""

    model: Literal["RandomDirection"] = Field(
        description="RandomDirection: each goes in a random direction up to the edge of the area, stays there, and "
        "goes on in another direction."
    )

    def walk(self, draws: random.Random, begin: Spot) -> Iterator[Waypoint]:
        """Yield the end of each stay and of each leg."""
        at_ns, here = self.start, begin
        while True:
            stay_ns = self.pause(draws)
            if stay_ns:
                at_ns += stay_ns
                yield Waypoint(at_ns, *here)
            speed_m_s, heading = self.speed(draws), inward(self.area, here, direction(draws))
            there, _ = to_edge(self.area, here, heading)
            at_ns, here = at_ns + travel_ns(here, there, speed_m_s), there
            yield Waypoint(at_ns, *here)
