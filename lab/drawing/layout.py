# SPDX-License-Identifier: MIT
"""Lays a chart out: text, legend and axes."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from lab.drawing import bars, series
from lab.drawing.axes import LABEL, labels, left_of, x_axis, x_grid, y_axis
from lab.drawing.figure import Axes, Chart, Scale
from lab.drawing.frame import AxesFrame
from lab.drawing.legend import keys, legend
from lab.drawing.limits import drawable
from lab.drawing.marks import Area, Band, Bar, Box, Dash, HeatCell, Line, Rule, Span, Trace
from lab.drawing.shapes import Drawing, Shape, Shapes, Text
from lab.drawing.words import shortened, wrapped

WIDTH = 880.0
_AROUND = 104  # pixels of a chart's height besides its axes
_NAMED = 300.0  # height of axes with names, unless _NAME requires another
_NAME = (26.0, 44.0)  # minimum and maximum height of a name
_TITLE, _LINE = 19.0, 16.0  # height of a line
_RIGHT, _BETWEEN = 18.0, 20.0
_BELOW = 5.0  # below the last sentence
_DRAWN: dict[type, Callable[[Any, AxesFrame], Shapes]] = {
    Line: series.line,
    Trace: series.trace,
    Area: series.area,
    Band: bars.band,
    Rule: bars.rule,
    Span: bars.span,
    Bar: bars.bar,
    Box: bars.quartiles,
    Dash: bars.dash,
    HeatCell: bars.cell,
}


def lay_out(chart: Chart) -> Drawing:
    """Return the chart as shapes."""
    return _laid_out(chart, _left(chart))


def lay_out_together(charts: Sequence[Chart]) -> list[Drawing]:
    """Return the charts of a page as shapes. Those with the same x axis have the same left margin, to line up."""
    needed = [(chart, _column(chart), _left(chart)) for chart in charts]
    margins: dict[Scale, float] = {}
    for _, x, left in needed:
        if x is not None:
            margins[x] = max(left, margins.get(x, 0.0))
    return [_laid_out(chart, left if x is None else margins[x]) for chart, x, left in needed]


def _column(chart: Chart) -> Scale | None:
    """Return the x axis of a chart whose panels are in one column; None if they have several or are in a row."""
    scales = {panel.axes.x for panel in chart.panels}
    return scales.pop() if len(scales) == 1 and (chart.stacked or len(chart.panels) == 1) else None


def _left(chart: Chart) -> float:
    return max((left_of(axes, WIDTH - _RIGHT) for row in _rows(chart) for axes in row), default=0.0)


def _laid_out(chart: Chart, left: float) -> Drawing:
    """Return the chart as shapes, with that left margin."""
    shapes: list[Shape] = []
    y = 18.0
    for line in wrapped(chart.title, WIDTH, "title"):
        shapes.append(Text(0, y, line, "title"))
        y += _TITLE
    for note in (chart.about, *chart.warnings):
        for line in wrapped(note, WIDTH, "about"):
            shapes.append(Text(0, y, line, "about", colour="ink" if note in chart.warnings else None))
            y += _LINE
    explained, y = legend(chart, WIDTH, y + 2)
    shapes += explained
    known = [key.label for key in keys(chart)]
    for row in _rows(chart):
        drawn, y = _row(row, chart.columns, left, y, chart.height - _AROUND, known)
        shapes += drawn
    for sentence in chart.below:
        for line in wrapped(sentence, WIDTH, "about"):
            y += _LINE
            shapes.append(Text(0, y, line, "about", colour="ink"))
    return Drawing(WIDTH, math.ceil(y + (_BELOW if chart.below else 0)), chart.title, shapes)


def _rows(chart: Chart) -> list[list[Axes]]:
    """Return the axes of each row of panels. Rows of one scale have the labels of the axes once."""
    axes = [drawable(panel.axes) for panel in chart.panels]
    if chart.stacked:
        return [[one] for one in axes]
    if not axes:
        return []
    alike = _alike(axes)
    columns = chart.columns or len(alike)
    rows = [alike[first : first + columns] for first in range(0, len(alike), columns)]
    return [[_labelled(one, x=row is rows[-1], y=row is rows[len(rows) // 2]) for one in row] for row in rows]


def _labelled(axes: Axes, *, x: bool, y: bool) -> Axes:
    """Return the axes without one of their labels, or both."""
    return replace(axes, x=axes.x if x else replace(axes.x, label=""), y=axes.y if y else replace(axes.y, label=""))


def _alike(row: Sequence[Axes]) -> list[Axes]:
    """Give panels side by side the same y axis, so that they can be compared."""
    low, high = min(axes.y.low for axes in row), max(axes.y.high for axes in row)
    return [replace(axes, y=replace(axes.y, low=low, high=high)) for axes in row]


def _row(
    row: Sequence[Axes], columns: int, left: float, y: float, height: float, known: Sequence[str]
) -> tuple[list[Shape], float]:
    """Return axes side by side below ``y``, as wide as if there were ``columns``, and their lower end."""
    shapes: list[Shape] = []
    room = 2 * height if columns else 40.0  # of the label of y: that of a grid reaches next to other rows
    columns = columns or len(row)
    between = left - 34 + _BETWEEN  # space for the ticks
    width = (WIDTH - left - _RIGHT - (columns - 1) * between) / columns
    height = max(_height(axes, height) for axes in row)
    frames = [
        AxesFrame(left + index * (width + between), 0.0, width, height, axes.x, axes.y)
        for index, axes in enumerate(row)
    ]
    above = max(len(labels(axes, frame, known)) for axes, frame in zip(row, frames, strict=True))
    titled = any(axes.title for axes in row)
    top = y + 8 + (20 if titled else 0) + above * LABEL
    below = 0.0
    for index, (axes, frame) in enumerate(zip(row, (replace(frame, top=top) for frame in frames), strict=True)):
        if axes.title:
            title = shortened(axes.title, frame.width, "panel")
            shapes.append(Text(frame.left, top - 8 - above * LABEL - 4, title, "panel"))
        for texts in labels(axes, frame, known):
            shapes += texts
        shapes += [*y_axis(frame, room=None if index else room), *x_grid(frame)]
        for mark in axes.marks:
            shapes += _DRAWN[type(mark)](mark, frame)
        axis, room = x_axis(frame)
        shapes += axis
        below = max(below, room)
    return shapes, top + height + below


def _height(axes: Axes, otherwise: float) -> float:
    """Return the height of a pair of axes: if y has names, the height that they need."""
    count = len(axes.y.names)
    if not count:
        return otherwise
    least, most = _NAME
    return count * (axes.row or min(max(_NAMED / count, least), most))
