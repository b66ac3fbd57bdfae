# SPDX-License-Identifier: MIT
"""Models whose nodes stay where they are for a while, and go straight to another place."""

from __future__ import annotations

import random
from abc import abstractmethod
from collections.abc import Iterator

from lab.mobility._legs import travel_ns
from lab.model.mobility import Pausing, Spot
from lab.shared.mobility_types import Waypoint


class PausingLegs(Pausing):
    """A stay before each leg."""

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
    """Each leg goes to a random place of the area."""

    def leg(self, draws: random.Random, here: Spot) -> tuple[Spot, float]:
        return self.area.drawn(draws, here[2]), self.speed(draws)
