# SPDX-License-Identifier: MIT
"""Makes axes drawable whatever their numbers are: ranges that have two ends, marks without odd values.

A value that is not a number, or is infinite, counts as missing: it leaves a gap or a cross. A place beyond the ends of
an axis, however far, is drawn at its end.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

from lab.drawing.figure import Axes, Scale
from lab.drawing.marks import Area, Band, Bar, Box, Dash, Dot, HeatCell, Line, Mark, Rule, Span, Trace

_DECADES = 1000.0  # of a logarithmic axis whose lower end is not positive


def drawable(axes: Axes) -> Axes:
    """Return the same axes, with sound ranges and only marks that can be drawn."""
    marks = tuple(sound for mark in axes.marks for sound in _SOUND[type(mark)](mark))
    if not axes.y.names:
        marks = tuple(mark for mark in marks if not isinstance(mark, Span))  # it has no row
    return replace(axes, x=_usable(axes.x), y=_usable(axes.y), marks=marks)


def _usable(scale: Scale) -> Scale:
    low, high = min(scale.low, scale.high), max(scale.low, scale.high)
    if not _finite(low, high):
        low, high = 0.0, 1.0
    if scale.log and low <= 0:
        low, high = (high / _DECADES, high) if high / _DECADES > 0 else (1 / _DECADES, 1.0)
    return replace(scale, low=low, high=high)


def _finite(*values: float) -> bool:
    return all(map(math.isfinite, values))


def _numbers(*values: float) -> bool:
    return not any(map(math.isnan, values))


def _pieces(*columns: Sequence[float]) -> Iterator[list[tuple[float, ...]]]:
    """Yield the points, given by columns, in parts that are interrupted where one is missing."""
    for whole, points in groupby(zip(*columns, strict=True), key=lambda point: _finite(*point)):
        if whole:
            yield list(points)


def _lines(mark: Line) -> Iterator[Line]:
    for points in _pieces(mark.x, mark.y):
        yield replace(mark, x=[x for x, _ in points], y=[y for _, y in points])


def _areas(mark: Area) -> Iterator[Area]:
    for points in _pieces(mark.x, mark.low, mark.high):
        x, low, high = zip(*points, strict=True)
        yield replace(mark, x=x, low=low, high=high)


def _dot(dot: Dot) -> Dot:
    if dot.y is not None and not math.isfinite(dot.y):
        return replace(dot, y=None, low=None, high=None)
    ends = (dot.low, dot.high)
    return dot if _numbers(*(end for end in ends if end is not None)) else replace(dot, low=None, high=None)


def _traces(mark: Trace) -> Iterator[Trace]:
    yield replace(mark, dots=tuple(_dot(dot) for dot in mark.dots if math.isfinite(dot.x)))


def _bars(mark: Bar) -> Iterator[Bar]:
    if _finite(mark.left, mark.right, mark.dot.x):
        yield replace(mark, dot=_dot(mark.dot))


def _boxes(mark: Box) -> Iterator[Box]:
    if _finite(mark.left, mark.right):
        whole = mark.quartiles is not None and _finite(*mark.quartiles, *mark.whiskers)
        outside = tuple(value for value in mark.outside if math.isfinite(value))
        yield replace(mark, quartiles=mark.quartiles if whole else None, outside=outside)


def _dashes(mark: Dash) -> Iterator[Dash]:
    if _finite(mark.left, mark.right, mark.y):
        yield mark


def _cells(mark: HeatCell) -> Iterator[HeatCell]:
    missing = mark.share is None or math.isnan(mark.share)
    yield replace(mark, share=None if missing else min(max(mark.share or 0.0, 0.0), 1.0))


def _rules(mark: Rule) -> Iterator[Rule]:
    if _numbers(mark.x):
        yield mark


def _between(mark: Band | Span) -> Iterator[Band | Span]:
    if _numbers(mark.begin, mark.end):
        yield mark


_SOUND: dict[type, Callable[[Any], Iterable[Mark]]] = {
    Line: _lines,
    Trace: _traces,
    Area: _areas,
    Band: _between,
    Rule: _rules,
    Span: _between,
    Bar: _bars,
    Box: _boxes,
    Dash: _dashes,
    HeatCell: _cells,
}
