# SPDX-License-Identifier: MIT
"""Lays a chart out: where its texts, axes, marks and legend go.

Series differ in colour (lab.report.figure.PALETTE, after Okabe and Ito), in marker and, as bars, in texture: six
colours and seven markers make 42 lines that can be told apart, without colours too. What a paper tells is hollow and
dashed, in the colour and with the marker of the series it belongs to.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from lab.experiments.chart import Area, Bar, Box, Cell, Chart, Dash, Dot, Key, Panel, Ramp, Scale, Trace
from lab.experiments.scene import Circle, Path, Place, Scene, Text, shortened, text_width, wrapped
from lab.report.figure import PALETTE
from lab.report.numbers import plain, ticks

WIDTH = 880.0
_PLOT = 300.0  # height of a pair of axes
_CELL = (26.0, 44.0)  # least and greatest height of a row of a heat map
_LINE, _ROW = 16.0, 21.0  # of notes, of the legend
_RIGHT = 18.0
_LONGEST = 170.0  # pixels of a name on an axis
_KEY = 320.0  # pixels of a name in the legend
_TILT = -32.0  # degrees, of names that are wider than their place
_SUPERSCRIPT = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
_COLD, _HOT = (0xE8, 0xF1, 0xFA), (0x08, 0x3A, 0x6B)  # of a heat map: light to dark, so that grey tells it too
_MARKERS: tuple[tuple[Place, ...], ...] = (
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

Shapes = Iterator[Path | Circle | Text]


@dataclass(frozen=True)
class _Frame:
    """Where the axes lie, and how their numbers become places."""

    left: float
    top: float
    width: float
    height: float
    x_scale: Scale
    y_scale: Scale

    @property
    def bottom(self) -> float:
        return self.top + self.height

    @property
    def right(self) -> float:
        return self.left + self.width

    def x(self, value: float) -> float:
        return self.left + _share(self.x_scale, value) * self.width

    def y(self, value: float) -> float:
        """Never outside of the axes: error bars may be."""
        return self.bottom - min(max(_share(self.y_scale, value), 0.0), 1.0) * self.height


def _share(scale: Scale, value: float) -> float:
    if scale.names:
        return (value + 0.5) / len(scale.names)
    low, high = scale.low, scale.high
    if scale.log:
        if value <= 0:
            return 0.0
        low, high, value = math.log10(low), math.log10(high), math.log10(value)
    return (value - low) / (high - low) if high > low else 0.5


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
    colour: int | str = "soft" if key.style is None else _colour(key.style)
    if key.look == "box" and not key.published:
        corners = _corners(x + 4, y, x + 26, y + 12)
        yield Path(corners, None, colour, closed=True, opacity=0.28)
        yield Path(corners, colour, None, closed=True, width=1.5)
        yield _marker(x + 15, y + 6, key.style or 0, False, colour)
        return
    if key.look == "bar":
        yield from _rectangle(x + 4, y, x + 26, y + 12, key.style, key.published)
        return
    yield Path(((x, y + 6), (x + 28, y + 6)), colour, dash="5 3" if key.published else "", width=1.8)
    yield _marker(x + 14, y + 6, key.style or 0, key.published, colour)


def _ramp(ramp: Ramp, y: float) -> Shapes:
    yield Text(0, y + 11, ramp.label, "mark", colour="ink")
    x = text_width(ramp.label, "mark") + 12
    yield Text(x, y + 11, ramp.low, "mark")
    x += text_width(ramp.low, "mark") + 6
    steps = 24
    for step in range(steps):
        yield Path(_corners(x + step * 6, y, x + step * 6 + 6.3, y + 13), fill=_heat(step / (steps - 1)), closed=True)
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
    frame = _Frame(left, top, WIDTH - left - _RIGHT, height, panel.x, panel.y)
    shapes: list[Path | Circle | Text] = []
    if panel.title:
        shapes.append(Text(left, y - 4, shortened(panel.title, frame.width, "panel"), "panel"))
    shapes += _y_axis(frame)
    for mark in panel.marks:
        shapes += _DRAWN[type(mark)](mark, frame)
    axis, below = _x_axis(frame)
    return shapes + axis, frame.bottom + below


def _y_axis(frame: _Frame) -> Shapes:
    scale = frame.y_scale
    if scale.names:
        for index, name in enumerate(scale.names):
            place = frame.bottom - _share(scale, index) * frame.height
            yield Text(frame.left - 8, place + 4, shortened(name, _LONGEST), "tick", "end")
    else:
        for value, text in _ticks(scale, frame.height, 60):
            place = frame.y(value)
            yield Path(((frame.left, place), (frame.right, place)), "grid", width=1)
            yield Text(frame.left - 8, place + 4, text, "tick", "end")
    middle = frame.top + frame.height / 2
    yield Text(13, middle, shortened(scale.label, frame.height + 40, "axis"), "axis", "middle", turn=-90)


def _x_axis(frame: _Frame) -> tuple[list[Path | Circle | Text], float]:
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
        return [(value, plain(value)) for value in ticks(scale.low, scale.high, wanted=wanted)]
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
    return [(value, _power(value)) for value in found if scale.low * 0.999 <= value <= scale.high * 1.001]


def _power(value: float) -> str:
    """A number on a logarithmic axis: 0.01, 20, 10⁻⁷."""
    exponent = math.floor(math.log10(value) + 1e-9)
    if -4 <= exponent <= 5:
        return plain(value)
    factor = round(value / 10.0**exponent)
    return ("" if factor == 1 else f"{factor}·") + "10" + str(exponent).translate(_SUPERSCRIPT)


# Marks


def _colour(style: int) -> int:
    return style % len(PALETTE)


def _trace(trace: Trace, frame: _Frame) -> Shapes:
    colour = _colour(trace.style)
    for dot in trace.dots:
        yield from _error(dot, frame, colour)
    if trace.joined:
        for run in _runs(trace.dots):
            places = tuple(_places(run, frame, trace.step))
            if len(places) > 1:
                yield Path(places, colour, dash="5 3" if trace.published else "", width=1.8)
    present = [dot for dot in trace.dots if dot.y is not None]
    if not trace.marked:
        every = max(1, len(present) // trace.few) if trace.few else 0
        present = present[every // 2 :: every] if every else []
    for dot in present:
        assert dot.y is not None
        yield _marker(frame.x(dot.x), frame.y(dot.y), trace.style, trace.published, colour, dot.tip)
    for dot in trace.dots:
        if dot.y is None and trace.marked:
            yield from _missing(frame.x(dot.x), frame, colour, dot.tip)


def _runs(dots: Iterable[Dot]) -> list[list[Dot]]:
    """Stretches without a gap."""
    runs: list[list[Dot]] = [[]]
    for dot in dots:
        if dot.y is None:
            runs.append([])
        else:
            runs[-1].append(dot)
    return runs


def _places(run: list[Dot], frame: _Frame, step: bool) -> Iterator[Place]:
    before: float | None = None
    for dot in run:
        assert dot.y is not None
        x, y = frame.x(dot.x), frame.y(dot.y)
        if step and before is not None:
            yield x, before
        yield x, y
        before = y


def _error(dot: Dot, frame: _Frame, colour: int | str) -> Shapes:
    if dot.low is None or dot.high is None:
        return
    x, low, high = frame.x(dot.x), frame.y(dot.low), frame.y(dot.high)
    if low - high < 0.4:  # nothing to be seen
        return
    yield Path(((x, low), (x, high)), colour, width=1.2)
    for end in (low, high):
        yield Path(((x - 3.5, end), (x + 3.5, end)), colour, width=1.2)


def _marker(x: float, y: float, style: int, hollow: bool, colour: int | str, tip: str = "") -> Path | Circle:
    size, fill = 3.9, "paper" if hollow else colour
    outline = _MARKERS[style % len(_MARKERS)]
    if not outline:
        return Circle(x, y, size, colour, fill, tip=tip)
    places = tuple((x + size * across, y + size * down) for across, down in outline)
    return Path(places, colour, fill, closed=True, width=1.6, tip=tip)


def _missing(x: float, frame: _Frame, colour: int | str, tip: str) -> Shapes:
    """A cross on the axis, where a value should be."""
    y = frame.bottom - 6
    yield Path(((x - 3.5, y - 3.5), (x + 3.5, y + 3.5)), colour, width=1.8, tip=tip)
    yield Path(((x - 3.5, y + 3.5), (x + 3.5, y - 3.5)), colour, width=1.8, tip=tip)


def _corners(left: float, top: float, right: float, bottom: float) -> tuple[Place, ...]:
    return ((left, top), (right, top), (right, bottom), (left, bottom))


def _rectangle(
    left: float, top: float, right: float, bottom: float, style: int | None, published: bool, tip: str = ""
) -> Shapes:
    """A filled bar, textured from the seventh series on, or a hollow one."""
    colour: int | str = "soft" if style is None else _colour(style)
    if published:
        inset = min(0.9, (right - left) / 4)
        corners = _corners(left + inset, min(top + inset, bottom), right - inset, bottom)
        yield Path(corners, colour, "paper", closed=True, width=1.6, dash="4 2.5", tip=tip)
        return
    yield Path(_corners(left, top, right, bottom), None, colour, closed=True, tip=tip)
    texture = 0 if style is None else style // len(PALETTE)
    if texture % 2:
        y = bottom - 4
        while y > top + 1:
            yield Path(((left, y), (right, y)), "paper", width=1.5)
            y -= 5
    if texture // 2 % 2:
        middle = (left + right) / 2
        yield Path(((middle, top), (middle, bottom)), "paper", width=1.5)


def _bar(bar: Bar, frame: _Frame) -> Shapes:
    left, right = frame.x(bar.left), frame.x(bar.right)
    if bar.dot.y is None:
        yield from _missing((left + right) / 2, frame, _colour(bar.style), bar.dot.tip)
        return
    base = frame.bottom if frame.y_scale.log else frame.y(max(frame.y_scale.low, min(0.0, frame.y_scale.high)))
    top = frame.y(bar.dot.y)
    yield from _rectangle(left, min(top, base), right, max(top, base), bar.style, bar.published, bar.dot.tip)
    if not bar.published:
        yield from _error(bar.dot, frame, "ink")


def _box(box: Box, frame: _Frame) -> Shapes:
    left, right, colour = frame.x(box.left), frame.x(box.right), _colour(box.style)
    middle = (left + right) / 2
    if box.quartiles is None:
        yield from _missing(middle, frame, colour, box.tip)
        return
    lower, median, upper = (frame.y(value) for value in box.quartiles)
    least, most = (frame.y(value) for value in box.whiskers)
    quarter = (right - left) / 4
    for inner, outer in ((lower, least), (upper, most)):
        yield Path(((middle, inner), (middle, outer)), colour, width=1.3)
        yield Path(((middle - quarter, outer), (middle + quarter, outer)), colour, width=1.3)
    yield Path(_corners(left, upper, right, lower), None, "paper", closed=True)
    yield Path(_corners(left, upper, right, lower), None, colour, closed=True, opacity=0.28)
    yield Path(_corners(left, upper, right, lower), colour, None, closed=True, width=1.5, tip=box.tip)
    yield Path(((left, median), (right, median)), colour, width=2.6)
    for value in box.outside:
        yield Circle(middle, frame.y(value), 2.2, None, colour)
    if (right - left) > 22:  # the marker of the series too, where colours are used twice
        yield _marker(middle, median, box.style, False, colour)


def _dash(dash: Dash, frame: _Frame) -> Shapes:
    left, right, y, colour = frame.x(dash.left), frame.x(dash.right), frame.y(dash.y), _colour(dash.style)
    yield Path(((left, y), (right, y)), colour, dash="5 3", width=1.8, tip=dash.tip)
    yield _marker((left + right) / 2, y, dash.style, True, colour, dash.tip)


def _area(area: Area, frame: _Frame) -> Shapes:
    there = [(frame.x(x), frame.y(y)) for x, y in zip(area.x, area.high, strict=True)]
    back = [(frame.x(x), frame.y(y)) for x, y in zip(area.x, area.low, strict=True)]
    yield Path((*there, *reversed(back)), None, _colour(area.style), closed=True, opacity=0.18)


def _heat(share: float) -> str:
    """The colour of a share of the way from least to greatest."""
    mixed = (round(cold + (hot - cold) * share) for cold, hot in zip(_COLD, _HOT, strict=True))
    return "#" + "".join(f"{part:02x}" for part in mixed)


def _cell(cell: Cell, frame: _Frame) -> Shapes:
    left, right = frame.x(cell.column - 0.5), frame.x(cell.column + 0.5)
    top = frame.bottom - _share(frame.y_scale, cell.row + 0.5) * frame.height
    bottom = frame.bottom - _share(frame.y_scale, cell.row - 0.5) * frame.height
    x, y = (left + right) / 2, (top + bottom) / 2
    if cell.share is None:
        inner = _corners(left + 1.5, top + 1.5, right - 1.5, bottom - 1.5)
        yield Path(inner, "soft", None, closed=True, width=1, dash="3 3", tip=cell.tip)
    else:
        yield Path(_corners(left, top, right, bottom), "paper", _heat(cell.share), closed=True, width=1, tip=cell.tip)
    fits = text_width(cell.text) < right - left - 4
    colour = "soft" if cell.share is None else "#ffffff" if cell.share > 0.6 else "#1c2127"
    second = bool(cell.published) and bottom - top >= 34 and text_width(cell.published, "note") < right - left - 4
    if fits:
        yield Text(x, y - 2 if second else y + 4, cell.text, "inside", "middle", colour=colour)
    if second:
        yield Text(x, y + 12, cell.published, "note", "middle", colour=colour)


_DRAWN: dict[type, Callable[[Any, _Frame], Shapes]] = {
    Trace: _trace,
    Bar: _bar,
    Box: _box,
    Dash: _dash,
    Area: _area,
    Cell: _cell,
}
