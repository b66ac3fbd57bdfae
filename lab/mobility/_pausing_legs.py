# SPDX-License-Identifier: MIT
"""Models whose nodes stay where they are for a while, and go straight to another position."""

from __future__ import annotations

import random
from abc import abstractmethod
from collections.abc import Iterator

from pydantic import Field, model_validator

from lab import units
from lab.mobility._legs import travel_ns
from lab.model.base import Duration, refuse
from lab.model.mobility import Roaming, Spot
from lab.shared.mobility_types import Waypoint


class PausingLegs(Roaming):
    """Nodes stay for a while before each leg."""

    min_pause: Duration = Field(0, description="Shortest stay before each leg.")
    max_pause: Duration | None = Field(
        None, description="Longest stay before each leg; stays are uniformly distributed. Default: min_pause."
    )

    @model_validator(mode="after")
    def _pauses(self) -> PausingLegs:
        if self.max_pause is not None and self.max_pause < self.min_pause:
            refuse(f"must not be less than min_pause ({units.DURATION.format(self.min_pause)})", key="max_pause")
        return self

    def pause(self, draws: random.Random) -> int:
        """Draw a stay, in ns."""
        longest = self.min_pause if self.max_pause is None else self.max_pause
        return self.min_pause + round(draws.random() * (longest - self.min_pause)) if longest else 0

    @abstractmethod
    def leg(self, draws: random.Random, here: Spot) -> tuple[Spot, float]:
        """Draw where the next leg goes to, and its speed in m/s."""

    def walk(self, draws: random.Random, begin: Spot) -> Iterator[Waypoint]:
        at_ns, here = self.start, begin
        while True:
            stay_ns = self.pause(draws)
            if stay_ns:
                at_ns += stay_ns
                yield Waypoint(at_ns, *here)
            there, speed_m_s = self.leg(draws, here)
            at_ns, here = at_ns + travel_ns(here, there, speed_m_s), there
            yield Waypoint(at_ns, *here)


class ToRandomPlaces(PausingLegs):
    """Each leg goes to a random position in the area."""

    def leg(self, draws: random.Random, here: Spot) -> tuple[Spot, float]:
        return self.area.drawn(draws, here[2]), self.speed(draws)
