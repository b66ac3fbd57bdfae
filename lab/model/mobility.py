# SPDX-License-Identifier: MIT
"""How nodes move by themselves: the base classes of the models in lab/mobility.

Imported only for a topology with ``mobility:`` (``lab.model.topology``).
"""

from __future__ import annotations

import math
import random
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Annotated, Protocol

from pydantic import Field, model_validator

from lab import units
from lab.errors import InputError
from lab.model.base import Model, Moment, Quantity, Texts, refuse
from lab.model.one_of import OneOf, by_model
from lab.registry import Room
from lab.shared.mobility_types import Waypoint
from lab.shared.positions import position_at

_LEAST_SIDE_MM = 100
_NEARLY = 1e-6  # mm: 1.001 m are 1000.9999999999999 mm
HEIGHT_MM = 1000  # of a node without a position

Coordinate = Annotated[float, Quantity(units.LENGTH, least=-1e6, most=1e6)]
Extent = Annotated[float, Quantity(units.LENGTH, least=0.1, most=1e6)]
Pace = Annotated[float, Quantity(units.SPEED, least=0.01, most=1e6)]
Interval = Annotated[int, Quantity(units.DURATION, least=100_000_000, usual="s")]
Spot = tuple[int, int, int]  # x, y, z in mm


class Crowd(Protocol):
    """What a model can ask about the nodes that it moves, and about the run."""

    @property
    def names(self) -> Sequence[str]:
        """The nodes, in the order of ``nodes:``."""

    @property
    def until_ns(self) -> int:
        """The end of the run."""

    def given(self, name: str) -> Spot | None:
        """Return the ``position:`` of a node, if it has one."""

    def draws(self, name: str) -> random.Random:
        """Return the random numbers of a node, which depend on the seed and on its name only."""

    def common(self) -> random.Random:
        """Return the random numbers that all of its nodes share."""

    def text(self, file: str) -> str:
        """Return the content of a file that the model names with ``files``."""

    def label(self, file: str) -> str:
        """Return the name of that file in messages."""

    def refuse(self, message: str, *keys: str | int) -> None:
        """Report a mistake in the value at these keys."""

    def refuse_position(self, name: str, message: str) -> None:
        """Report a mistake in the ``position:`` of a node."""

    def fail(self, error: InputError) -> None:
        """Report a mistake elsewhere."""


Ways = Iterator[tuple[str, Iterable[Waypoint]]]


class Mobility(Model):
    """Nodes that move by themselves, all by one model."""

    model: str
    nodes: Texts = Field(
        min_length=1,
        description="The nodes that it moves, such as [sta1, sta2]; a name with count: stands for each of its nodes.",
    )

    def files(self) -> list[str]:
        """Return the files that it reads, as paths relative to the topology."""
        return []

    @abstractmethod
    def ways(self, crowd: Crowd) -> Ways:
        """Yield each node with its waypoints by time, which need not end."""


class MobilityArea:
    """The rectangle in which nodes move, in whole mm."""

    def __init__(self, min_x: float, max_x: float, min_y: float, max_y: float) -> None:
        """Set bounds, given in m."""
        self.low = (math.ceil(1000 * min_x - _NEARLY), math.ceil(1000 * min_y - _NEARLY))
        self.high = (math.floor(1000 * max_x + _NEARLY), math.floor(1000 * max_y + _NEARLY))

    def shrunk(self, by_mm: int) -> MobilityArea:
        """Return an area that is smaller by that on each side."""
        found = MobilityArea(0, 0, 0, 0)
        found.low = (self.low[0] + by_mm, self.low[1] + by_mm)
        found.high = (self.high[0] - by_mm, self.high[1] - by_mm)
        return found

    def drawn(self, draws: random.Random, z_mm: int) -> Spot:
        """Draw a position, uniformly distributed."""
        x, y = (low + round(draws.random() * (high - low)) for low, high in zip(self.low, self.high, strict=True))
        return x, y, z_mm

    def holds(self, spot: Spot) -> bool:
        """Return whether a position is in it, including its edge."""
        return all(low <= at <= high for at, low, high in zip(spot, self.low, self.high, strict=False))


class Roaming(Mobility):
    """Keys of models whose nodes move at random in a rectangle."""

    min_x: Coordinate = Field(0.0, description="Least x of the area.")
    max_x: Coordinate = Field(description="Greatest x of the area.")
    min_y: Coordinate = Field(0.0, description="Least y of the area.")
    max_y: Coordinate = Field(description="Greatest y of the area.")
    min_v: Pace = Field(0.5, description="Least speed.")
    max_v: Pace = Field(
        1.5, description="Greatest speed. Speeds are uniformly distributed, except those of GaussMarkov."
    )
    start: Moment = Field(0, description="When they begin to move; before, they wait where they start.")
    stop: Moment | None = Field(None, description="When they stop. Default: at the end of the run.")

    @property
    def whole(self) -> MobilityArea:
        """The area as written."""
        return MobilityArea(self.min_x, self.max_x, self.min_y, self.max_y)

    @property
    def area(self) -> MobilityArea:
        """Where ``walk`` leads."""
        return self.whole

    @model_validator(mode="after")
    def _ranges(self) -> Roaming:
        for axis, low, high in zip("xy", self.whole.low, self.whole.high, strict=True):
            if high - low < _LEAST_SIDE_MM:
                least = units.LENGTH.format(getattr(self, f"min_{axis}"))
                refuse(f"must be at least 10 cm more than min_{axis} ({least})", key=f"max_{axis}")
        if self.max_v < self.min_v:
            refuse(f"must not be less than min_v ({units.SPEED.format(self.min_v)})", key="max_v")
        if self.stop is not None and self.stop <= self.start:
            refuse(f"must be later than start ({units.DURATION.format(self.start)})", key="stop")
        return self

    def ways(self, crowd: Crowd) -> Ways:
        for name in crowd.names:
            draws = crowd.draws(name)
            begin = crowd.given(name) or self.area.drawn(draws, HEIGHT_MM)
            if self.area.holds(begin):
                way = chain([Waypoint(self.start, *begin)], self.walk(draws, begin))
                yield name, way if self.stop is None else cut(way, self.stop)
            else:
                x, y = (units.LENGTH.format(at / 1000) for at in begin[:2])
                crowd.refuse_position(
                    name, f"({x}, {y}) is outside the area in which {self.model} moves {name}; move it inside"
                )

    @abstractmethod
    def walk(self, draws: random.Random, begin: Spot) -> Iterator[Waypoint]:
        """Yield the waypoints of a node after the first one, which is ``begin`` at ``start``, without an end."""

    def speed(self, draws: random.Random) -> float:
        """Draw a speed, in m/s."""
        return self.min_v + draws.random() * (self.max_v - self.min_v)


def cut(waypoints: Iterable[Waypoint], end_ns: int) -> Iterator[Waypoint]:
    """Yield the waypoints up to a time, and where the node is then; at least the first one."""
    before = None
    for waypoint in waypoints:
        if before is None or waypoint.at_ns <= end_ns:
            yield waypoint
        elif before.at_ns < end_ns:
            x, y, z = (round(1000 * at) for at in position_at((before, waypoint), end_ns))
            yield Waypoint(end_ns, x, y, z)
        if waypoint.at_ns >= end_ns:
            return
        before = waypoint


MOBILITY = Room("mobility", Mobility)
AnyMobility = Annotated[Mobility, OneOf(MOBILITY, by_model)]
