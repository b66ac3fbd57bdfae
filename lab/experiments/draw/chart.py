# SPDX-License-Identifier: MIT
"""What a figure of an experiment shows, in the numbers of its axes: lab.experiments.draw.figures makes it,
lab.experiments.draw.layout lays it out.

On an axis of names (``Scale.names``) the first name is at 0, the next at 1, and so on.
A ``style`` is the number of a series: it chooses a colour, a marker and a texture.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Look = Literal["line", "bar", "box"]


@dataclass(frozen=True)
class Scale:
    """An axis: of names, or of numbers."""

    label: str
    names: tuple[str, ...] = ()
    low: float = 0.0
    high: float = 1.0
    log: bool = False


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


Mark = Trace | Bar | Box | Dash | Area | Cell


@dataclass(frozen=True)
class Panel:
    """One pair of axes."""

    x: Scale
    y: Scale
    marks: tuple[Mark, ...]
    title: str = ""


@dataclass(frozen=True)
class Key:
    """An entry of the legend."""

    label: str
    style: int | None  # None: it holds for all series
    look: Look
    published: bool = False


@dataclass(frozen=True)
class Ramp:
    """The key to the colours of a heat map."""

    label: str
    low: str
    high: str


@dataclass(frozen=True)
class Chart:
    """A figure: panels below each other."""

    name: str  # of files
    title: str
    notes: tuple[str, ...]  # what is shown, what error bars are, what is missing
    panels: tuple[Panel, ...]
    legend: tuple[Key, ...] = ()
    ramp: Ramp | None = None
    warnings: tuple[str, ...] = ()  # of notes, those that tell of missing points
