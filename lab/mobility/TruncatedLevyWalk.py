# SPDX-License-Identifier: MIT
"""The truncated Lévy walk (Rhee et al. 2011, "On the Levy-walk nature of human mobility", section V).

Lengths of flights and stays are drawn from power laws between a least and a greatest value; directions are uniform.
Exponents are those of Mininet-WiFi (pymobility): 1.6 of flights, 0.8 of stays. Speeds are drawn as in the other models
here, and are not a function of the length. A flight ends at the edge of the area.
"""

from __future__ import annotations

import random
from typing import Literal

from pydantic import Field

from lab.mobility._legs import direction, inward, to_edge
from lab.mobility._pausing_legs import PausingLegs
from lab.model.base import Duration
from lab.model.mobility import Extent, Spot

_FLIGHTS, _STAYS = 1.6, 0.8  # exponents of the share that is longer
_SHORTEST_M, _SHORTEST_NS = 1.0, 1_000_000_000


def _power_law(draws: random.Random, exponent: float, least: float, most: float) -> float:
    """Draw from a power law between two values: the share longer than x falls with x to that exponent."""
    low, high = least**-exponent, most**-exponent
    return float((low + draws.random() * (high - low)) ** (-1 / exponent))


class TruncatedLevyWalk(PausingLegs):
    """Nodes make many short flights and stays, and few long ones."""

    model: Literal["TruncatedLevyWalk"] = Field(
        description="TruncatedLevyWalk: each flies in a random direction, mostly not far, sometimes as far as "
        "max_flight; stays are mostly short, too."
    )
    max_flight: Extent = Field(50.0, description="Longest flight; the shortest one is 1 m.")
    max_pause: Duration | None = Field(
        100_000_000_000, description="Longest stay before each flight; the shortest one is 1 s, or min_pause."
    )

    def pause(self, draws: random.Random) -> int:
        least = max(self.min_pause, _SHORTEST_NS)
        longest = max(least, self.max_pause or least)
        return round(_power_law(draws, _STAYS, least, longest))

    def leg(self, draws: random.Random, here: Spot) -> tuple[Spot, float]:
        """Draw a speed in m/s, a direction and a length; return where the flight ends."""
        speed_m_s, heading = self.speed(draws), inward(self.area, here, direction(draws))
        length_m = _power_law(draws, _FLIGHTS, min(_SHORTEST_M, self.max_flight), self.max_flight)
        there, _ = to_edge(self.area, here, heading, length_m * 1000)
        return there, speed_m_s
