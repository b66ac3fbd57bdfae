# SPDX-License-Identifier: MIT
"""Marks between a pair of axes, in values of the axes; lab.drawing.series and lab.drawing.bars draw them.

On an axis of names the first name is at 0, the next at 1, and so on. A ``colour`` is an index into the palette, or None
for grey; a ``style`` is the number of a series, which determines colour, marker and texture.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Line:
    """A line through points, or steps (each value is valid back to the previous x).

    A grey one is thin, and one of many: its label is shown when the pointer is over it.
    """

    label: str
    x: list[float]
    y: list[float]
    colour: int | None = 0
    step: bool = False
    area: bool = False  # the space below it is tinted
    solid: bool = False  # the space below it is filled, without a line, and hides what is behind
    dots: bool = False  # points without a line
    gap: float | None = None  # no line between points further apart than this
    dashed: bool = True  # in the dashes of its colour; a line that is alone needs none


@dataclass(frozen=True)
class Band:
    """A shaded range of the x axis."""

    begin: float
    end: float
    label: str = ""
    colour: int | None = None


@dataclass(frozen=True)
class Rule:
    """A vertical line at a moment."""

    x: float
    label: str


@dataclass(frozen=True)
class Span:
    """A bar from one x to another in a row of a chart."""

    row: int
    begin: float
    end: float
    colour: int
    label: str = ""
    thin: bool = False  # a bracket below the bars: their total


@dataclass(frozen=True)
class Dot:
    """A value with its error bar. ``y`` None: the value is missing, which is marked."""

    x: float
    y: float | None
    low: float | None = None
    high: float | None = None
    tip: str = ""
    beyond: bool = False  # the value is above y, which an arrow shows


@dataclass(frozen=True)
class Trace:
    """Dots, joined except where one is missing."""

    dots: tuple[Dot, ...]
    style: int
    published: bool = False  # hollow and dashed
    joined: bool = True
    marked: bool = True  # each dot has a marker; else a few along the line to distinguish series
    step: bool = False  # a value is valid up to the next x
    few: int = 0  # number of markers along a line that is not marked


@dataclass(frozen=True)
class Bar:
    """A bar from 0, or from the end of a logarithmic axis."""

    left: float
    right: float
    dot: Dot
    style: int
    published: bool = False


@dataclass(frozen=True)
class Box:
    """Quartiles, whiskers and outliers."""

    left: float
    right: float
    style: int
    quartiles: tuple[float, float, float] | None  # None: no value
    whiskers: tuple[float, float] = (0.0, 0.0)
    outside: tuple[float, ...] = ()
    tip: str = ""


@dataclass(frozen=True)
class Dash:
    """A published value, from ``left`` to ``right``."""

    left: float
    right: float
    y: float
    style: int
    tip: str = ""


@dataclass(frozen=True)
class Area:
    """The space between two lines."""

    x: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    style: int


@dataclass(frozen=True)
class HeatCell:
    """A cell of a heat map. ``share`` is from 0 (lowest value) to 1 (highest value); None: no value."""

    column: int
    row: int
    share: float | None
    text: str
    published: str = ""
    tip: str = ""


Mark = Line | Band | Rule | Span | Trace | Bar | Box | Dash | Area | HeatCell
