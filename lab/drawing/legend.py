# SPDX-License-Identifier: MIT
"""Draws the legend of a chart: a sample of each mark and its name."""

from __future__ import annotations

from collections.abc import Callable

from lab.drawing.bars import BOX_TINT, heat, rectangle
from lab.drawing.figure import Chart, Key, Look, Ramp
from lab.drawing.marks import Line
from lab.drawing.palette import Colour, dash, of_node, series
from lab.drawing.series import marker, stroke
from lab.drawing.shapes import Dots, Path, Shape, Shapes, Text, box
from lab.drawing.words import shortened, text_width

_ROW = 21.0
_BEFORE, _AFTER = 34.0, 20.0  # width of the sample before a name, and of the space after it
_STEPS = 24  # number of colours in the scale of a heat map
_STEP = 6.0  # width of each, in pixels


def keys(chart: Chart) -> list[Key]:
    """Return all entries as keys; (label, colour) pairs get the look of the first line of that colour."""
    lines = [mark for panel in chart.panels for mark in panel.axes.marks if isinstance(mark, Line)]
    found = []
    for entry in chart.legend:
        if isinstance(entry, Key):
            found.append(entry)
            continue
        label, colour = entry
        line = next((line for line in lines if line.colour == colour), None)
        found.append(Key(label, colour, _look_of(line)))
    return found


def _look_of(line: Line | None) -> Look:
    if line is None or line.area or line.solid:
        return "patch"
    return "dots" if line.dots else "stroke"


def legend(chart: Chart, width: float, y: float) -> tuple[list[Shape], float]:
    """Return samples and names in rows, the colour scale of a heat map, and the position below them."""
    shapes: list[Shape] = []
    x = 0.0
    found = keys(chart)
    for key in found:
        label = shortened(key.label, width - _BEFORE, "mark")
        wide = _BEFORE + text_width(label, "mark") + _AFTER
        if x and x + wide - _AFTER > width:
            x, y = 0.0, y + _ROW
        shapes += _SAMPLES[key.look](key, x, y)
        shapes.append(Text(x + _BEFORE, y + 10, label, "mark", colour="ink"))
        x += wide
    if found:
        y += _ROW + 4
    if chart.ramp:
        shapes += _ramp(chart.ramp, y)
        y += _ROW + 4
    return shapes, y


def _colour(key: Key) -> Colour:
    return "soft" if key.style is None else series(key.style)


def _of_line(key: Key) -> Colour:
    return "soft" if key.style is None else of_node(key.style)


def _bar(key: Key, x: float, y: float) -> Shapes:
    yield from rectangle(x + 4, y, x + 26, y + 12, key.style, key.published)


def _boxed(key: Key, x: float, y: float) -> Shapes:
    if key.published:
        yield from _joined(key, x, y)
        return
    corners = box(x + 4, y, x + 26, y + 12)
    yield Path(corners, None, _colour(key), closed=True, opacity=BOX_TINT)
    yield Path(corners, _colour(key), None, closed=True, width=1.5)
    yield marker(x + 15, y + 6, key.style or 0, False, _colour(key))


def _joined(key: Key, x: float, y: float) -> Shapes:
    yield from stroke(((x, y + 6), (x + 28, y + 6)), key.style, key.published)
    yield marker(x + 14, y + 6, key.style or 0, key.published, _colour(key))


def _patch(key: Key, x: float, y: float) -> Shapes:
    yield Path(box(x + 4, y, x + 26, y + 12), None, _of_line(key), closed=True)


def _stroke(key: Key, x: float, y: float) -> Shapes:
    yield Path(((x, y + 6), (x + 28, y + 6)), _of_line(key), dash=dash(key.style or 0))


def _dotted(key: Key, x: float, y: float) -> Shapes:
    yield Dots(tuple((x + 5 + 9 * index, y + 6) for index in range(3)), 2.0, fill=_of_line(key))


_SAMPLES: dict[Look, Callable[[Key, float, float], Shapes]] = {
    "line": _joined,
    "bar": _bar,
    "box": _boxed,
    "patch": _patch,
    "stroke": _stroke,
    "dots": _dotted,
}


def _ramp(ramp: Ramp, y: float) -> Shapes:
    yield Text(0, y + 11, ramp.label, "mark", colour="ink")
    x = text_width(ramp.label, "mark") + 12
    yield Text(x, y + 11, ramp.low, "mark")
    x += text_width(ramp.low, "mark") + 6
    for step in range(_STEPS):
        overlap = 0 if step == _STEPS - 1 else 2  # avoids visible gaps
        left = x + step * _STEP
        yield Path(box(left, y, left + _STEP + overlap, y + 13), fill=heat(step / (_STEPS - 1)), closed=True)
    yield Text(x + _STEPS * _STEP + 6, y + 11, ramp.high, "mark")
