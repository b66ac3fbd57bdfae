# SPDX-License-Identifier: MIT
"""Draws lines, traces and areas.

Series differ in colour and marker: six colours and seven markers distinguish 42 series. When colours repeat, lines are
double. Published values are hollow and dashed, in the colour and with the marker of their series.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TypeVar

from lab.drawing.frame import AxesFrame
from lab.drawing.marks import Area, Dot, Line, Trace
from lab.drawing.palette import SERIES, Colour, dash, of_node, series
from lab.drawing.shapes import XY, Dots, Path, Shapes

Point = TypeVar("Point")
TINT = 0.16
_MARKER, _CAP = 3.9, 3.5  # half the size of a marker, and of the ends of an error bar
_ARROW = 16.0  # length
_WIDE, _THIN = 1.8, 0.9  # of a line; also the radius of a point without a line
_FAINT = 0.55  # opacity of a line that is one of many
_DOT, _SPECK = 1.5, 1.0  # radius of points that have none
_SEEN = 0.4  # shorter error bars are not drawn
_MARKERS: tuple[tuple[XY, ...], ...] = (
    (),  # a circle
    ((-1, -1), (1, -1), (1, 1), (-1, 1)),
    ((0, -1.25), (1.2, 0.85), (-1.2, 0.85)),
    ((0, -1.4), (1.2, 0), (0, 1.4), (-1.2, 0)),
    ((0, 1.25), (1.2, -0.85), (-1.2, -0.85)),
    ((-0.45, -1.3), (0.45, -1.3), (0.45, -0.45), (1.3, -0.45), (1.3, 0.45), (0.45, 0.45), (0.45, 1.3), (-0.45, 1.3),
     (-0.45, 0.45), (-1.3, 0.45), (-1.3, -0.45), (-0.45, -0.45)),
    ((0, -1.45), (0.4, -0.5), (1.4, -0.45), (0.62, 0.2), (0.88, 1.2), (0, 0.6), (-0.88, 1.2), (-0.62, 0.2),
     (-1.4, -0.45), (-0.4, -0.5)),
)  # fmt: skip


def line(mark: Line, frame: AxesFrame) -> Shapes:
    """Draw points, a line through them, or the space below it."""
    colour: Colour = "soft" if mark.colour is None else of_node(mark.colour)
    tip, width, radius = (mark.label, _THIN, _SPECK) if mark.colour is None else ("", _WIDE, _DOT)
    points = list(zip(mark.x, mark.y, strict=True))
    if mark.dots:
        yield Dots(tuple((frame.x(x), frame.y(y)) for x, y in points), radius, fill=colour, tip=tip)
        return
    for run in _runs(points, lambda before, after: mark.gap is not None and after[0] - before[0] > mark.gap):
        drawn = [(frame.x(x), frame.y(y)) for x, y in run]
        if len(drawn) == 1:
            yield Dots(tuple(drawn), width, fill=colour, tip=tip)
            continue
        if mark.step:
            drawn = _steps(drawn, back=True)
        if mark.area or mark.solid:
            base = frame.y(max(frame.y_scale.low, 0.0))
            below = ((drawn[0][0], base), *drawn, (drawn[-1][0], base))
            yield Path(below, fill=colour, closed=True, opacity=1.0 if mark.solid else TINT)
        if not mark.solid:
            dashes = dash(mark.colour or 0) if mark.dashed else ""
            opacity = _FAINT if mark.colour is None else 1.0
            yield Path(tuple(drawn), colour, dash=dashes, width=width, opacity=opacity, tip=tip)


def trace(mark: Trace, frame: AxesFrame) -> Shapes:
    """Draw values with error bars, the lines between them, and crosses for missing values."""
    colour = series(mark.style)
    present = [(dot, dot.y) for dot in mark.dots if dot.y is not None]
    for dot, _ in present:
        yield from error_bar(dot, frame, colour)
    if mark.joined:
        for run in _runs(mark.dots, lambda before, after: before.y is None or after.y is None):
            drawn = [(frame.x(dot.x), frame.y(dot.y)) for dot in run if dot.y is not None]
            if len(drawn) > 1:
                yield from stroke(tuple(_steps(drawn) if mark.step else drawn), mark.style, mark.published)
            elif drawn and not mark.marked:
                yield Dots(tuple(drawn), _WIDE, fill=colour)
    if not mark.marked:
        every = max(1, len(present) // mark.few) if mark.few else 0
        present = present[every // 2 :: every] if every else []
    for dot, y in present:
        yield marker(frame.x(dot.x), frame.y(y), mark.style, mark.published, colour, dot.tip)
    for dot in mark.dots:
        if dot.y is None and mark.marked:
            yield from cross(frame.x(dot.x), frame, colour, dot.tip)


def area(mark: Area, frame: AxesFrame) -> Shapes:
    """Draw the space between two lines."""
    there = [(frame.x(x), frame.y(y)) for x, y in zip(mark.x, mark.high, strict=True)]
    back = [(frame.x(x), frame.y(y)) for x, y in zip(mark.x, mark.low, strict=True)]
    yield Path((*there, *reversed(back)), None, series(mark.style), closed=True, opacity=TINT)


def stroke(points: tuple[XY, ...], style: int | None, published: bool) -> Shapes:
    """Draw the line of a series: dashed if published, double when the colours repeat."""
    colour: Colour = "soft" if style is None else series(style)
    double = style is not None and style // SERIES % 2 == 1
    yield Path(points, colour, dash="5 3" if published else "", width=3.4 if double else 1.8)
    if double:
        yield Path(points, "paper", width=1.2)


def marker(x: float, y: float, style: int, hollow: bool, colour: Colour, tip: str = "") -> Path | Dots:
    """Return the marker of a series."""
    fill = "paper" if hollow else colour
    outline = _MARKERS[style % len(_MARKERS)]
    if not outline:
        return Dots(((x, y),), _MARKER, colour, fill, tip=tip)
    points = tuple((x + _MARKER * across, y + _MARKER * down) for across, down in outline)
    return Path(points, colour, fill, closed=True, width=1.6, tip=tip)


def error_bar(dot: Dot, frame: AxesFrame, colour: Colour) -> Shapes:
    """Draw the error bar of a value, or the arrow of one that is above."""
    if dot.beyond and dot.y is not None:
        x, y = frame.x(dot.x), frame.y(dot.y)
        top = max(y - _ARROW, frame.top)
        yield Path(((x, y), (x, top)), colour, width=1.2)
        yield Path(((x - _CAP, top + _CAP), (x, top), (x + _CAP, top + _CAP)), colour, width=1.2)
    if dot.low is None or dot.high is None:
        return
    x, low, high = frame.x(dot.x), frame.y(dot.low), frame.y(dot.high)
    if low - high < _SEEN:
        return
    yield Path(((x, low), (x, high)), colour, width=1.2)
    for end in (low, high):
        yield Path(((x - _CAP, end), (x + _CAP, end)), colour, width=1.2)


def cross(x: float, frame: AxesFrame, colour: Colour, tip: str) -> Shapes:
    """Draw a cross on the axis for a missing value."""
    y = frame.bottom - 6
    yield Path(((x - _CAP, y - _CAP), (x + _CAP, y + _CAP)), colour, width=1.8, tip=tip)
    yield Path(((x - _CAP, y + _CAP), (x + _CAP, y - _CAP)), colour, width=1.8, tip=tip)


def _runs(points: Sequence[Point], apart: Callable[[Point, Point], bool]) -> list[list[Point]]:
    """Return parts without a gap."""
    runs = [list(points[:1])] if points else []
    for before, after in pairwise(points):
        if apart(before, after):
            runs.append([])
        runs[-1].append(after)
    return runs


def _steps(points: list[XY], *, back: bool = False) -> list[XY]:
    """Return steps: each value is valid up to the next point, or with ``back`` from the previous one."""
    found = points[:1]
    for (x, y), (next_x, next_y) in pairwise(points):
        found += [(x, next_y) if back else (next_x, y), (next_x, next_y)]
    return found
