# SPDX-License-Identifier: MIT
"""Lays a chart out: where its texts, axes, marks and legend go."""

from __future__ import annotations

import math
from collections.abc import Iterable

from lab.experiments.draw.chart import Chart, Key, Panel, Ramp, Scale
from lab.experiments.draw.marks import (
    DRAWN,
    Frame,
    Shapes,
    colour_of,
    corners_of,
    heat,
    marker,
    rectangle,
    share_of,
    stroke,
)
from lab.experiments.draw.scene import Circle, Path, Scene, Text, shortened, text_width, wrapped
from lab.report.numbers import short, ticks

WIDTH = 880.0
_PLOT = 300.0  # height of a pair of axes
_CELL = (26.0, 44.0)  # least and greatest height of a row of a heat map
_LINE, _ROW = 16.0, 21.0  # of notes, of the legend
_RIGHT = 18.0
_LONGEST = 170.0  # pixels of a name on an axis
_KEY = 320.0  # pixels of a name in the legend
_TILT = -32.0  # degrees, of names that are wider than their place


def draw(chart: Chart) -> Scene:
    """The chart, laid out."""
    shapes: list[Path | Circle | Text] = []
    y = 18.0
    for line in wrapped(chart.title, WIDTH, "title"):
        shapes.append(Text(0, y, line, "title"))
        y += 19
    for note in chart.notes:
        for line in wrapped(note, WIDTH, "about"):
            shapes.append(Text(0, y, line, "about", colour="ink" if note in chart.warnings else None))
            y += _LINE
    y += 2
    legend, y = _legend(chart.legend, y)
    shapes += legend
    if chart.ramp:
        shapes += _ramp(chart.ramp, y)
        y += _ROW + 4
    left = max(_left(panel) for panel in chart.panels)
    for panel in chart.panels:
        drawn, y = _panel(panel, left, y)
        shapes += drawn
    return Scene(WIDTH, y, chart.title, shapes)


# Legend


def _legend(keys: Iterable[Key], y: float) -> tuple[list[Path | Circle | Text], float]:
    """The legend, and where what follows begins."""
    shapes: list[Path | Circle | Text] = []
    x, any_key = 0.0, False
    for key in keys:
        any_key = True
        label = shortened(key.label, WIDTH - 60 if key.style is None else _KEY, "mark")
        width = 54 + text_width(label, "mark")
        if x and x + width > WIDTH:
            x, y = 0.0, y + _ROW
        shapes += _sample(key, x, y)
        shapes.append(Text(x + 34, y + 10, label, "mark", colour="ink"))
        x += width
    return shapes, y + _ROW + 4 if any_key else y


def _sample(key: Key, x: float, y: float) -> Shapes:
    """What stands before a label: a bit of line with a marker, or a small bar."""
    colour: int | str = "soft" if key.style is None else colour_of(key.style)
    if key.look == "box" and not key.published:
        corners = corners_of(x + 4, y, x + 26, y + 12)
        yield Path(corners, None, colour, closed=True, opacity=0.28)
        yield Path(corners, colour, None, closed=True, width=1.5)
        yield marker(x + 15, y + 6, key.style or 0, False, colour)
        return
    if key.look == "bar":
        yield from rectangle(x + 4, y, x + 26, y + 12, key.style, key.published)
        return
    yield from stroke(((x, y + 6), (x + 28, y + 6)), key.style, key.published)
    yield marker(x + 14, y + 6, key.style or 0, key.published, colour)


def _ramp(ramp: Ramp, y: float) -> Shapes:
    yield Text(0, y + 11, ramp.label, "mark", colour="ink")
    x = text_width(ramp.label, "mark") + 12
    yield Text(x, y + 11, ramp.low, "mark")
    x += text_width(ramp.low, "mark") + 6
    steps = 24
    for step in range(steps):
        overlap = 0 if step == steps - 1 else 2  # no seams
        yield Path(
            corners_of(x + step * 6, y, x + step * 6 + 6 + overlap, y + 13), fill=heat(step / (steps - 1)), closed=True
        )
    yield Text(x + steps * 6 + 6, y + 11, ramp.high, "mark")


# Axes


def _left(panel: Panel) -> float:
    """The room that the y axis takes."""
    texts = panel.y.names or tuple(text for _, text in _ticks(panel.y, _PLOT, 60))
    left = 34 + min(max((text_width(text) for text in texts), default=0.0), _LONGEST)
    room = (WIDTH - left - _RIGHT) / max(len(panel.x.names), 1)
    if _tilted(panel.x, room):  # the first name begins left of its place
        first = shortened(panel.x.names[0], _LONGEST)
        left = max(left, text_width(first) * math.cos(math.radians(_TILT)) - room / 2 + 4)
    return left


def _tilted(scale: Scale, room: float) -> bool:
    """Whether the names of an x axis are wider than the room that each has."""
    return any(text_width(shortened(name, _LONGEST)) > room - 6 for name in scale.names)


def _panel(panel: Panel, left: float, y: float) -> tuple[list[Path | Circle | Text], float]:
    if panel.title:
        y += 20
    top = y + 8
    height = _PLOT
    if panel.y.names:
        height = len(panel.y.names) * min(max(_PLOT / len(panel.y.names), _CELL[0]), _CELL[1])
    frame = Frame(left, top, WIDTH - left - _RIGHT, height, panel.x, panel.y)
    shapes: list[Path | Circle | Text] = []
    if panel.title:
        shapes.append(Text(left, y - 4, shortened(panel.title, frame.width, "panel"), "panel"))
    shapes += _y_axis(frame)
    for mark in panel.marks:
        shapes += DRAWN[type(mark)](mark, frame)
    axis, below = _x_axis(frame)
    return shapes + axis, frame.bottom + below


def _y_axis(frame: Frame) -> Shapes:
    scale = frame.y_scale
    if scale.names:
        for index, name in enumerate(scale.names):
            place = frame.bottom - share_of(scale, index) * frame.height
            yield Text(frame.left - 8, place + 4, shortened(name, _LONGEST), "tick", "end")
    else:
        for value, text in _ticks(scale, frame.height, 60):
            place = frame.y(value)
            yield Path(((frame.left, place), (frame.right, place)), "grid", width=1)
            yield Text(frame.left - 8, place + 4, text, "tick", "end")
    middle = frame.top + frame.height / 2
    yield Text(13, middle, shortened(scale.label, frame.height + 40, "axis"), "axis", "middle", turn=-90)


def _x_axis(frame: Frame) -> tuple[list[Path | Circle | Text], float]:
    """The axis, and how much room it takes below."""
    scale = frame.x_scale
    shapes: list[Path | Circle | Text] = [
        Path(((frame.left, frame.bottom), (frame.right, frame.bottom)), "soft", width=1)
    ]
    below = 40.0
    if scale.names:
        room = frame.width / len(scale.names)
        names = [shortened(name, _LONGEST) for name in scale.names]
        tilted = _tilted(scale, room)
        every = max(1, math.ceil(15 / room)) if tilted else 1  # of very many names some
        for index, name in enumerate(names):
            x = frame.x(index)
            if tilted and index % every == 0:
                shapes.append(Text(x + 4, frame.bottom + 14, name, "tick", "end", turn=_TILT))
            elif not tilted:
                shapes.append(Text(x, frame.bottom + 17, name, "tick", "middle"))
        if tilted:
            below = 40 + max(text_width(name) for name in names) * math.sin(math.radians(-_TILT))
    else:
        for value, text in _ticks(scale, frame.width, 110):
            x = frame.x(value)
            shapes.append(Path(((x, frame.bottom), (x, frame.bottom + 4)), "soft", width=1))
            shapes.append(Text(x, frame.bottom + 17, text, "tick", "middle"))
    middle = frame.left + frame.width / 2
    shapes.append(Text(middle, frame.bottom + below - 4, shortened(scale.label, frame.width, "axis"), "axis", "middle"))
    return shapes, below + 6


def _ticks(scale: Scale, length: float, apart: float) -> list[tuple[float, str]]:
    """Values and texts, about ``apart`` pixels apart."""
    wanted = max(2, int(length / apart))
    if not scale.log:
        return [(value, short(value)) for value in ticks(scale.low, scale.high, wanted=wanted)]
    low, high = math.log10(scale.low), math.log10(scale.high)
    decades = range(math.floor(low + 1e-9), math.ceil(high - 1e-9) + 1)
    every = max(1, math.ceil(len(decades) / (wanted + 1)))
    factors: tuple[int, ...] = (1,)
    if every == 1:
        factors = next(
            (some for some in ((1, 2, 3, 4, 5, 6, 8), (1, 2, 5), (1, 3)) if len(decades) * len(some) <= wanted + 2),
            (1,),
        )
    found = [factor * 10.0**power for power in decades if power % every == 0 for factor in factors]
    return [(value, short(value)) for value in found if scale.low * 0.999 <= value <= scale.high * 1.001]
