# SPDX-License-Identifier: MIT
"""A drawing as a list of shapes, which lab.drawing.svg and lab.drawing.paper write without further layout.

Lengths are in CSS pixels (1/96 inch), y grows downwards. Colours are those of lab.drawing.palette.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from lab.drawing.palette import Colour

XY = tuple[float, float]
MARGIN = 12.0  # around a drawing in its own file
FAMILY = ("DejaVu Sans", "Verdana", "Bitstream Vera Sans", "sans-serif")  # the first three have the same widths


class Face(NamedTuple):
    """The look of a text."""

    size: float
    bold: bool
    colour: Colour


FACES = {
    "title": Face(15.0, True, "ink"),
    "about": Face(12.0, False, "soft"),
    "panel": Face(12.0, True, "ink"),
    "tick": Face(12.0, False, "soft"),
    "axis": Face(12.0, False, "soft"),
    "mark": Face(12.0, False, "soft"),
    "inside": Face(12.0, False, "ink"),
    "note": Face(10.5, False, "soft"),
}


@dataclass(frozen=True)
class Path:
    """Straight lines through points."""

    points: tuple[XY, ...]
    stroke: Colour | None = None
    fill: Colour | None = None
    closed: bool = False
    width: float = 1.8
    dash: str = ""
    opacity: float = 1.0
    tip: str = ""  # shown when the pointer is over it


@dataclass(frozen=True)
class Dots:
    """Circles of one size."""

    points: tuple[XY, ...]
    radius: float
    stroke: Colour | None = None
    fill: Colour | None = None
    width: float = 1.6
    tip: str = ""


@dataclass(frozen=True)
class Text:
    """A line of text with one of FACES. ``turn``: degrees, clockwise; ``colour``: overrides that of its face."""

    x: float
    y: float
    text: str
    face: str
    anchor: str = "start"
    turn: float = 0.0
    colour: Colour | None = None


Shape = Path | Dots | Text
Shapes = Iterator[Shape]


@dataclass(frozen=True)
class Drawing:
    """All shapes, from back to front."""

    width: float
    height: float
    title: str
    shapes: list[Shape] = field(default_factory=list)


def box(left: float, top: float, right: float, bottom: float) -> tuple[XY, ...]:
    """Return the corners of a rectangle."""
    return ((left, top), (right, top), (right, bottom), (left, bottom))
