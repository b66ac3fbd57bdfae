# SPDX-License-Identifier: MIT
"""Where nodes are while they move: jumps, and straight lines at constant speed.

Not modelled: acceleration, obstacles in the way.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from lab.shared.types import Node

Place = tuple[float, float, float]  # x, y, z in m


@dataclass(frozen=True)
class Leg:
    """One move. A jump ends when it starts."""

    start_ns: int
    end_ns: int
    start_m: Place
    end_m: Place

    def position_m(self, at_ns: int) -> Place:
        """Where the node is at a time from ``start_ns`` on."""
        if at_ns >= self.end_ns:
            return self.end_m
        done = (at_ns - self.start_ns) / (self.end_ns - self.start_ns)
        x, y, z = (a + done * (b - a) for a, b in zip(self.start_m, self.end_m, strict=True))
        return x, y, z


@dataclass
class Courses:
    """The moves of all nodes, added in the order of their times."""

    legs: dict[str, list[Leg]] = field(default_factory=dict)

    def move(self, node: Node, at_ns: int, to_m: Place, speed_m_s: float | None) -> None:
        """Let a node go there; a move that it has begun ends where it is then.

        Raises:
            ValueError: a speed, but no place to start from.
        """
        start_m = self.position_m(node, at_ns)
        if speed_m_s is not None and start_m is None:
            raise ValueError(f"{node.name} has no position to start from")
        start_m = start_m or to_m
        takes_ns = round(math.dist(start_m, to_m) / speed_m_s * 1e9) if speed_m_s else 0
        self.legs.setdefault(node.name, []).append(Leg(at_ns, at_ns + takes_ns, start_m, to_m))

    def position_m(self, node: Node, at_ns: int) -> Place | None:
        """Where a node is; None while it has no position."""
        begun = [leg for leg in self.legs.get(node.name, []) if leg.start_ns <= at_ns]
        if begun:
            return begun[-1].position_m(at_ns)
        return place(node.position_m) if node.position_m is not None else None

    def waypoints(self, step_ns: int, until_ns: int) -> dict[int, dict[str, Place]]:
        """Where nodes are when they jump, after every ``step_ns`` of a way, and at its end; by time, then node.

        Only times before ``until_ns``; and once another move has begun, the one before it is over.
        """
        found: dict[int, dict[str, Place]] = {}
        for name, leg, over_ns in self._until(until_ns):
            for at_ns in _steps(leg, step_ns, over_ns):
                found.setdefault(at_ns, {})[name] = leg.position_m(at_ns)
        return dict(sorted(found.items()))

    def steps(self, step_ns: int, until_ns: int) -> int:
        """About how many waypoints there are, without making them."""
        return sum((min(leg.end_ns, over_ns) - leg.start_ns) // step_ns for _, leg, over_ns in self._until(until_ns))

    def _until(self, until_ns: int) -> Iterator[tuple[str, Leg, int]]:
        """Every leg of every node that has begun by then, and when it is over."""
        for name, legs in self.legs.items():
            for index, leg in enumerate(legs):
                over_ns = legs[index + 1].start_ns if index + 1 < len(legs) else until_ns
                yield name, leg, min(over_ns, until_ns)


def _steps(leg: Leg, step_ns: int, over_ns: int) -> Iterator[int]:
    yield from range(leg.start_ns + step_ns, min(leg.end_ns, over_ns), step_ns)
    if leg.end_ns < over_ns:
        yield leg.end_ns


def place(position_m: Iterable[float]) -> Place:
    """Coordinates as a tuple."""
    x, y, z = position_m
    return x, y, z
