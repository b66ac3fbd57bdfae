# SPDX-License-Identifier: MIT
"""Where a node is between its waypoints. Apart from their types, which the guest imports at every boot."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from lab.shared.mobility_types import Waypoint


def position_at(waypoints: Sequence[Waypoint], at_ns: int) -> tuple[float, float, float]:
    """Return the position at a time, in m; before the first waypoint a node waits there, after the last it stays."""
    index = bisect_right(waypoints, at_ns, key=lambda waypoint: waypoint.at_ns)
    if index == 0:
        return waypoints[0].position_m()
    before = waypoints[index - 1]
    if index == len(waypoints):
        return before.position_m()
    after = waypoints[index]
    done = (at_ns - before.at_ns) / (after.at_ns - before.at_ns)
    x, y, z = ((a + done * (b - a)) / 1000 for a, b in zip(before[1:], after[1:], strict=True))
    return x, y, z
