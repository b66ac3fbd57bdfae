# SPDX-License-Identifier: MIT
"""Where nodes go by themselves, as the plan has it: whole millimetres and nanoseconds, the same on every machine."""

from __future__ import annotations

from typing import NamedTuple

from lab.shared.frozen import frozen


class Waypoint(NamedTuple):
    """Where a node is at a time. Between two waypoints it goes in a straight line, at constant speed."""

    at_ns: int
    x_mm: int
    y_mm: int
    z_mm: int

    def position_m(self) -> tuple[float, float, float]:
        """Return the position in m."""
        return self.x_mm / 1000, self.y_mm / 1000, self.z_mm / 1000


@frozen
class Way:
    """The way of a node through a run."""

    node: str
    model: str  # RandomWayPoint, as in the topology
    waypoints: list[Waypoint]  # by time; at least one
    source: str = ""
