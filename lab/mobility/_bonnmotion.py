# SPDX-License-Identifier: MIT
"""Movements of BonnMotion: a line for each node, of times in s and positions in m (t x y t x y …)."""

from __future__ import annotations

from lab.mobility._trace import HEIGHT_M, WAYPOINTS_MOST, TraceError, number, time
from lab.shared.mobility_types import Waypoint

_EACH = 3  # numbers


def read(text: str) -> dict[int, list[Waypoint]]:
    """Return the waypoints of each node, counted from 0.

    Raises:
        TraceError: If a line is not such a line.
    """
    found: dict[int, list[Waypoint]] = {}
    count = 0
    for line, written in enumerate(text.split("\n"), 1):
        words = written.split()
        if not words or words[0].startswith("#"):
            continue
        if len(words) % _EACH:
            raise TraceError(
                line, f"has {len(words)} numbers; a node's line consists of times and positions in the plane: t x y …"
            )
        count += len(words) // _EACH
        if count > WAYPOINTS_MOST:
            raise TraceError(line, f"the file has more than {WAYPOINTS_MOST} waypoints")
        found[len(found)] = _way(words, line)
    if not found:
        raise TraceError(1, "has no nodes")
    return found


def _way(words: list[str], line: int) -> list[Waypoint]:
    way: list[Waypoint] = []
    for index in range(0, len(words), _EACH):
        at_ns = round(time(words[index], line) * 1e9)
        if way and at_ns < way[-1].at_ns:
            raise TraceError(line, f"{words[index][:40]} s comes after a later time")
        x, y = (number(word, "position in m", line) for word in words[index + 1 : index + _EACH])
        way.append(Waypoint(at_ns, round(1000 * x), round(1000 * y), round(1000 * HEIGHT_M)))
    return way
