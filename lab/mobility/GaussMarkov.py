# SPDX-License-Identifier: MIT
"""The Gauss-Markov model (Camp, Boleng, Davies 2002, section 2.5).

Speed and direction of a step are alpha times those of the step before, plus 1 - alpha times their means, plus
sqrt(1 - alpha²) times normal noise. The noise of the direction has a standard deviation of 1 rad, as in the paper's
example; that of the speed, a quarter of max_v - min_v. Speeds outside these bounds are set to them. Near an edge the
mean direction leads away from it; who would leave the area nevertheless is reflected.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field

from lab.model.base import Number
from lab.model.mobility import Interval, Roaming, Spot
from lab.shared.mobility_types import Waypoint

_EDGE = 0.1  # of a side: where the mean direction begins to lead away
_DIRECTION_DEVIATION = 1.0  # rad


class GaussMarkov(Roaming):
    """Nodes change speed and direction a little at each step."""

    model: Literal["GaussMarkov"] = Field(
        description="GaussMarkov: speed and direction change a little every interval, and follow those before."
    )
    alpha: Annotated[Number, Field(ge=0, le=1)] = Field(
        0.75, description="How much each step follows the one before: 0 not at all, 1 entirely."
    )
    interval: Interval = Field(1_000_000_000, description="Duration of a step.")

    def walk(self, draws: random.Random, begin: Spot) -> Iterator[Waypoint]:
        mean_m_s, deviation_m_s = (self.min_v + self.max_v) / 2, (self.max_v - self.min_v) / 4
        mean_rad = angle_rad = draws.random() * math.tau
        at_ns, here, speed_m_s = self.start, begin, mean_m_s
        while True:
            mean_rad = self._away(here, mean_rad)
            noise = math.sqrt(1 - self.alpha**2)
            speed_m_s = self._next(speed_m_s, mean_m_s) + noise * deviation_m_s * _normal(draws)
            speed_m_s = min(max(speed_m_s, self.min_v), self.max_v)
            mean_rad = angle_rad + math.remainder(mean_rad - angle_rad, math.tau)  # the short way round
            angle_rad = self._next(angle_rad, mean_rad) + noise * _DIRECTION_DEVIATION * _normal(draws)
            here, angle_rad = self._step(here, speed_m_s * self.interval / 1e6, angle_rad)
            at_ns += self.interval
            yield Waypoint(at_ns, *here)

    def _next(self, value: float, mean: float) -> float:
        return self.alpha * value + (1 - self.alpha) * mean

    def _away(self, here: Spot, mean_rad: float) -> float:
        """Return the mean direction: away from the edges that are near, else as before."""
        x, y = (
            (at < low + _EDGE * (high - low)) - (at > high - _EDGE * (high - low))
            for at, low, high in zip(here, self.area.low, self.area.high, strict=False)
        )
        return math.atan2(y, x) if x or y else mean_rad

    def _step(self, here: Spot, far_mm: float, angle_rad: float) -> tuple[Spot, float]:
        """Return the position after a step, and the direction, both reflected at the edge."""
        x, turned_x = _folded(here[0] + far_mm * math.cos(angle_rad), self.area.low[0], self.area.high[0])
        y, turned_y = _folded(here[1] + far_mm * math.sin(angle_rad), self.area.low[1], self.area.high[1])
        if turned_x:
            angle_rad = math.pi - angle_rad
        return (x, y, here[2]), -angle_rad if turned_y else angle_rad


def _folded(at: float, low: int, high: int) -> tuple[int, bool]:
    """Reflect a coordinate at both ends of a range until it is inside; return whether it then goes the other way."""
    times, rest = divmod(at - low, high - low)
    turned = times % 2 == 1
    return round(high - rest if turned else low + rest), turned


def _normal(draws: random.Random) -> float:
    """Draw from the normal distribution (Box and Muller, 1958)."""
    return math.sqrt(-2 * math.log(1 - draws.random())) * math.cos(math.tau * draws.random())
