# SPDX-License-Identifier: MIT
"""Where nodes go by themselves, as the plan has it: whole millimetres and nanoseconds, the same on every machine."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import NamedTuple

from lab.shared.frozen import frozen


class Waypoint(NamedTuple):
    """Where a node is at a time. Between two waypoints it goes in a straight line, at constant speed."""

    at_ns: int
    x_mm: int
    y_mm: int
    z_mm: int

    def place_m(self) -> tuple[float, float, float]:
        """The position in m."""
        return self.x_mm / 1000, self.y_mm / 1000, self.z_mm / 1000


@frozen
class Way:
    """The way of a node through a run."""

    node: str
    model: str  # RandomWayPoint, as in the topology
    waypoints: list[Waypoint]  # by time; at least one
    source: str = ""


def place_at(waypoints: Sequence[Waypoint], at_ns: int) -> tuple[float, float, float]:
    """The position at a time, in m. Before the first waypoint a node waits there, after the last one it stays there."""
    index = bisect_right(waypoints, at_ns, key=lambda waypoint: waypoint.at_ns)
    if index == 0:
        return waypoints[0].place_m()
    before = waypoints[index - 1]
    if index == len(waypoints):
        return before.place_m()
    after = waypoints[index]
    done = (at_ns - before.at_ns) / (after.at_ns - before.at_ns)
    x, y, z = ((a + done * (b - a)) / 1000 for a, b in zip(before[1:], after[1:], strict=True))
    return x, y, z
