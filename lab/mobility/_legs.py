# SPDX-License-Identifier: MIT
"""Straight lines in a rectangle: how long they take, and where they meet its edge."""

from __future__ import annotations

import math
import random

from lab.model.mobility import MobilityArea, Spot


def travel_ns(begin: Spot, end: Spot, speed_m_s: float) -> int:
    """Return how long a straight line takes, at least 1 ns: ways must not stop."""
    return max(1, round(math.dist(begin, end) * 1e6 / speed_m_s))


def direction(draws: random.Random) -> tuple[float, float]:
    """Draw a direction, as a vector of length 1."""
    angle = draws.random() * math.tau
    return math.cos(angle), math.sin(angle)


def inward(area: MobilityArea, spot: Spot, heading: tuple[float, float]) -> tuple[float, float]:
    """Return the direction, mirrored at each edge that the position is on and beyond which it leads."""
    x, y = (
        abs(way) if at <= low else -abs(way) if at >= high else way
        for at, low, high, way in zip(spot, area.low, area.high, heading, strict=False)
    )
    return x, y


def to_edge(
    area: MobilityArea, spot: Spot, heading: tuple[float, float], most_mm: float = math.inf
) -> tuple[Spot, float]:
    """Follow a direction up to the edge, or for ``most_mm``; return the position, and what is left of ``most_mm``."""
    rooms_mm = [
        ((high if way > 0 else low) - at) / way
        for at, low, high, way in zip(spot, area.low, area.high, heading, strict=False)
        if way
    ]
    far_mm = min(*rooms_mm, most_mm)
    x, y = (
        min(max(round(at + far_mm * way), low), high)
        for at, low, high, way in zip(spot, area.low, area.high, heading, strict=False)
    )
    return (x, y, spot[2]), most_mm - far_mm
