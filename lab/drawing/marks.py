# SPDX-License-Identifier: MIT
"""What can stand between a pair of axes, in the numbers of the axes; lab.drawing.series and others draw it.

On an axis of names the first name is at 0, the next at 1, and so on. A ``colour`` is a number of the palette; a
``style`` is the number of a series, which chooses a colour, a marker and a texture.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Line:
    """A line through points, or steps (each value holds back to the x before it)."""

    label: str
    x: list[float]
    y: list[float]
    colour: int = 0
    step: bool = False
    area: bool = False  # the space below it is tinted
    solid: bool = False  # the space below it is filled, without a line: what lies behind is hidden
    dots: bool = False  # points without a line
    gap: float | None = None  # no line between points further apart than this


@dataclass(frozen=True)
class Band:
    """A shaded stretch of the x axis."""

    begin: float
    end: float
    label: str = ""
    colour: int | None = None  # None: grey


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
    thin: bool = False  # a bracket below the bars: what they add up to


@dataclass(frozen=True)
class Dot:
    """A value with its error bar. ``y`` None: there is none, which is marked."""

    x: float
    y: float | None
    low: float | None = None
    high: float | None = None
    tip: str = ""


@dataclass(frozen=True)
class Trace:
    """Dots, joined up to where one is missing."""

    dots: tuple[Dot, ...]
    style: int
    published: bool = False  # hollow and dashed
    joined: bool = True
    marked: bool = True  # each dot has a marker; else a few along the line, where series must be told apart
    step: bool = False  # a value holds up to the next x
    few: int = 0  # how many markers along a line that is not marked


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
    """Quartiles, whiskers, what lies outside of them."""

    left: float
    right: float
    style: int
    quartiles: tuple[float, float, float] | None  # None: no value
    whiskers: tuple[float, float] = (0.0, 0.0)
    outside: tuple[float, ...] = ()
    tip: str = ""


@dataclass(frozen=True)
class Dash:
    """A level that a paper tells, from ``left`` to ``right``."""

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
class Cell:
    """A field of a heat map. ``share`` of the way from the least to the greatest; None: no value."""

    column: int
    row: int
    share: float | None
    text: str
    published: str = ""
    tip: str = ""


Mark = Line | Band | Rule | Span | Trace | Bar | Box | Dash | Area | Cell
