# SPDX-License-Identifier: MIT
"""The random direction model (Camp, Boleng, Davies 2002, section 2.3)."""

from __future__ import annotations

import random
from typing import Literal

from pydantic import Field

from lab.mobility._legs import direction, inward, to_edge
from lab.mobility._pausing_legs import PausingLegs
from lab.model.mobility import Spot


class RandomDirection(PausingLegs):
    """Nodes go up to the edge of the area, stay there, and continue in another direction."""

    model: Literal["RandomDirection"] = Field(
        description="RandomDirection: each goes in a random direction up to the edge of the area, stays there, and "
        "continues in another direction."
    )

    def leg(self, draws: random.Random, here: Spot) -> tuple[Spot, float]:
        """Draw a speed in m/s, and a direction; return the position on the edge."""
        speed_m_s, heading = self.speed(draws), inward(self.area, here, direction(draws))
        there, _ = to_edge(self.area, here, heading)
        return there, speed_m_s
