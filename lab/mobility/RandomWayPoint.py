# SPDX-License-Identifier: MIT
"""The random waypoint model (Camp, Boleng, Davies 2002, section 2.2).

It takes long to settle: nodes begin uniformly distributed, but later there are more of them in the middle of the area;
and slow legs last longer, so the mean speed falls from the middle of min_v and max_v to their logarithmic mean,
(max_v - min_v) / ln(max_v / min_v) without stays (J. Yoon, M. Liu, B. Noble, "Random waypoint considered harmful",
INFOCOM 2003). The nearer min_v is to 0, the longer that takes. Nothing here removes the beginning: begin to measure
later, or take a narrow range of speeds.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from lab.mobility._pausing_legs import ToRandomPlaces


class RandomWayPoint(ToRandomPlaces):
    """Nodes go to a random position, stay there for a while, and continue to the next one."""

    model: Literal["RandomWayPoint"] = Field(
        description="RandomWayPoint: each goes in a straight line to a random position in the area, at a random speed, "
        "stays there, and continues."
    )
