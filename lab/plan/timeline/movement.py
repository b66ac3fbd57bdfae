# SPDX-License-Identifier: MIT
"""Positions of moving nodes: jumps, and straight lines at constant speed.

Positions of nodes that move by themselves are followed at multiples of the step, those of all of them at once.

Not modelled: acceleration, obstacles.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from lab.shared.mobility_types import Waypoint
from lab.shared.positions import position_at
from lab.shared.types import Node

Position = tuple[float, float, float]  # x, y, z in m


@dataclass(frozen=True)
class Leg:
    """One move. A jump ends when it starts."""

    start_ns: int
    end_ns: int
    start_m: Position
    end_m: Position

    def position_m(self, at_ns: int) -> Position:
        """Return the position at ``at_ns``, which must not be before ``start_ns``."""
        if at_ns >= self.end_ns:
            return self.end_m
        done = (at_ns - self.start_ns) / (self.end_ns - self.start_ns)
        x, y, z = (a + done * (b - a) for a, b in zip(self.start_m, self.end_m, strict=True))
        return x, y, z


@dataclass
class Courses:
    """The moves of all nodes, added in order of time, and the ways of those that move by themselves."""

    legs: dict[str, list[Leg]] = field(default_factory=dict)
    ways: Mapping[str, list[Waypoint]] = field(default_factory=dict)

    def move(self, node: Node, at_ns: int, to_m: Position, speed_m_s: float | None) -> None:
        """Start a move at ``at_ns``; it replaces a move that has not ended.

        Raises:
            ValueError: If a speed is given, but the node has no position.
        """
        start_m = self.position_m(node, at_ns)
        if speed_m_s is not None and start_m is None:
            raise ValueError(f"{node.name} has no start position")
        start_m = start_m or to_m
        takes_ns = round(math.dist(start_m, to_m) / speed_m_s * 1e9) if speed_m_s else 0
        self.legs.setdefault(node.name, []).append(Leg(at_ns, at_ns + takes_ns, start_m, to_m))

    def position_m(self, node: Node, at_ns: int) -> Position | None:
        """Return the position of a node; None if it has none yet."""
        if node.name in self.ways:
            return position_at(self.ways[node.name], at_ns)
        begun = [leg for leg in self.legs.get(node.name, []) if leg.start_ns <= at_ns]
        if begun:
            return begun[-1].position_m(at_ns)
        return xyz(node.position_m) if node.position_m is not None else None

    def waypoints(self, step_ns: int, until_ns: int, since_ns: int = 0) -> dict[int, dict[str, Position]]:
        """Return positions by time, then node: after each jump, every ``step_ns`` of a move, and at its end.

        Only times before ``until_ns`` are included. A move ends when the next one of the node begins. A node that moves
        by itself has those at multiples of ``step_ns`` at which it is not where it was before; of the time before
        ``since_ns``, the last one.
        """
        found: dict[int, dict[str, Position]] = {}
        for name, way in self.ways.items():
            before = position_at(way, 0)
            first_ns = max(1, (since_ns - 1) // step_ns) * step_ns
            for at_ns in range(first_ns, until_ns, step_ns):
                there = position_at(way, at_ns)
                if there != before:
                    found.setdefault(at_ns, {})[name] = before = there
        for name, leg, over_ns in self._until(until_ns):
            for at_ns in _steps(leg, step_ns, over_ns):
                found.setdefault(at_ns, {})[name] = leg.position_m(at_ns)
        return dict(sorted(found.items()))

    def steps(self, step_ns: int, until_ns: int, since_ns: int = 0) -> int:
        """Estimate the number of waypoints without computing them."""
        spans = [(way[0].at_ns, way[-1].at_ns) for way in self.ways.values()]
        spans += [(leg.start_ns, min(leg.end_ns, over_ns)) for _, leg, over_ns in self._until(until_ns)]
        return sum(max(0, min(end_ns, until_ns) - max(begin_ns, since_ns)) // step_ns for begin_ns, end_ns in spans)

    def go_beyond(self, until_ns: int) -> bool:
        """Return whether a node still moves at ``until_ns``, to which its way is known."""
        ends = [way[-1].at_ns for way in self.ways.values()] + [legs[-1].end_ns for legs in self.legs.values()]
        return any(end_ns >= until_ns for end_ns in ends)

    def _until(self, until_ns: int) -> Iterator[tuple[str, Leg, int]]:
        """Yield (node, leg, end time) of every leg; the end time is at most ``until_ns``."""
        for name, legs in self.legs.items():
            for index, leg in enumerate(legs):
                over_ns = legs[index + 1].start_ns if index + 1 < len(legs) else until_ns
                yield name, leg, min(over_ns, until_ns)


def _steps(leg: Leg, step_ns: int, over_ns: int) -> Iterator[int]:
    yield from range(leg.start_ns + step_ns, min(leg.end_ns, over_ns), step_ns)
    if leg.end_ns < over_ns:
        yield leg.end_ns


def xyz(position_m: Iterable[float]) -> Position:
    """Return coordinates as a tuple."""
    x, y, z = position_m
    return x, y, z
