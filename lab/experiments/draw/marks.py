# SPDX-License-Identifier: MIT
"""How each mark of a chart is drawn, in a frame that turns the numbers of the axes into places.

Series differ in colour (lab.report.figure.PALETTE, after Okabe and Ito) and in marker: six colours and seven markers
make 42 that can be told apart. Where colours come again, lines are double and bars have stripes. What a paper tells is
hollow and dashed, in the colour and with the marker of the series it belongs to.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from lab.experiments.draw.chart import Area, Bar, Box, Cell, Dash, Dot, Scale, Trace
from lab.experiments.draw.scene import Circle, Path, Place, Text, text_width
from lab.report.figure import PALETTE

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
class Frame:
    """Where the axes lie, and how their numbers become places."""

    left: float
    top: float
    width: float
    height: float
    x_scale: Scale
    y_scale: Scale

    @property
    def bottom(self) -> float:
        """The place of the x axis."""
        return self.top + self.height

    @property
    def right(self) -> float:
        """The end of the x axis."""
        return self.left + self.width

    def x(self, value: float) -> float:
        """The place of a number or name on the x axis."""
        return self.left + share_of(self.x_scale, value) * self.width

    def y(self, value: float) -> float:
        """Never outside of the axes: error bars may be."""
        return self.bottom - min(max(share_of(self.y_scale, value), 0.0), 1.0) * self.height


def share_of(scale: Scale, value: float) -> float:
    """How far along an axis a number is, from 0 to 1; of a name its middle."""
    if scale.names:
        return (value + 0.5) / len(scale.names)
    low, high = scale.low, scale.high
    if scale.log:
        if value <= 0:
            return 0.0
        low, high, value = math.log10(low), math.log10(high), math.log10(value)
    return (value - low) / (high - low) if high > low else 0.5


def colour_of(style: int) -> int:
    """The number of a series' colour."""
    return style % len(PALETTE)


def _trace(trace: Trace, frame: Frame) -> Shapes:
    colour = colour_of(trace.style)
    for dot in trace.dots:
        yield from _error(dot, frame, colour)
    if trace.joined:
        for run in _runs(trace.dots):
            places = tuple(_places(run, frame, trace.step))
            if len(places) > 1:
                yield from stroke(places, trace.style, trace.published)
    present = [dot for dot in trace.dots if dot.y is not None]
    if not trace.marked:
        every = max(1, len(present) // trace.few) if trace.few else 0
        present = present[every // 2 :: every] if every else []
    for dot in present:
        assert dot.y is not None
        yield marker(frame.x(dot.x), frame.y(dot.y), trace.style, trace.published, colour, dot.tip)
    for dot in trace.dots:
        if dot.y is None and trace.marked:
            yield from _missing(frame.x(dot.x), frame, colour, dot.tip)


def stroke(places: tuple[Place, ...], style: int | None, published: bool) -> Shapes:
    """The line of a series: dashed if it is the paper's, double where the colours come a second time."""
    colour: int | str = "soft" if style is None else colour_of(style)
    double = style is not None and style // len(PALETTE) % 2 == 1
    yield Path(places, colour, dash="5 3" if published else "", width=3.4 if double else 1.8)
    if double:
        yield Path(places, "paper", width=1.2)


def _runs(dots: Iterable[Dot]) -> list[list[Dot]]:
    """Stretches without a gap."""
    runs: list[list[Dot]] = [[]]
    for dot in dots:
        if dot.y is None:
            runs.append([])
        else:
            runs[-1].append(dot)
    return runs


def _places(run: list[Dot], frame: Frame, step: bool) -> Iterator[Place]:
    before: float | None = None
    for dot in run:
        assert dot.y is not None
        x, y = frame.x(dot.x), frame.y(dot.y)
        if step and before is not None:
            yield x, before
        yield x, y
        before = y


def _error(dot: Dot, frame: Frame, colour: int | str) -> Shapes:
    if dot.low is None or dot.high is None:
        return
    x, low, high = frame.x(dot.x), frame.y(dot.low), frame.y(dot.high)
    if low - high < 0.4:  # nothing to be seen
        return
    yield Path(((x, low), (x, high)), colour, width=1.2)
    for end in (low, high):
        yield Path(((x - 3.5, end), (x + 3.5, end)), colour, width=1.2)


def marker(x: float, y: float, style: int, hollow: bool, colour: int | str, tip: str = "") -> Path | Circle:
    """That of a series."""
    size, fill = 3.9, "paper" if hollow else colour
    outline = _MARKERS[style % len(_MARKERS)]
    if not outline:
        return Circle(x, y, size, colour, fill, tip=tip)
    places = tuple((x + size * across, y + size * down) for across, down in outline)
    return Path(places, colour, fill, closed=True, width=1.6, tip=tip)


def _missing(x: float, frame: Frame, colour: int | str, tip: str) -> Shapes:
    """A cross on the axis, where a value should be."""
    y = frame.bottom - 6
    yield Path(((x - 3.5, y - 3.5), (x + 3.5, y + 3.5)), colour, width=1.8, tip=tip)
    yield Path(((x - 3.5, y + 3.5), (x + 3.5, y - 3.5)), colour, width=1.8, tip=tip)


def corners_of(left: float, top: float, right: float, bottom: float) -> tuple[Place, ...]:
    """Of a rectangle."""
    return ((left, top), (right, top), (right, bottom), (left, bottom))


def rectangle(
    left: float, top: float, right: float, bottom: float, style: int | None, published: bool, tip: str = ""
) -> Shapes:
    """A filled bar, textured from the seventh series on, or a hollow one."""
    colour: int | str = "soft" if style is None else colour_of(style)
    if published:
        inset = min(0.9, (right - left) / 4)
        corners = corners_of(left + inset, min(top + inset, bottom), right - inset, bottom)
        yield Path(corners, colour, "paper", closed=True, width=1.6, dash="4 2.5", tip=tip)
        return
    yield Path(corners_of(left, top, right, bottom), None, colour, closed=True, tip=tip)
    texture = 0 if style is None else style // len(PALETTE)
    middle = (left + right) / 2
    if texture % 2 and bottom - top > 4:  # stripes across: a line as wide as the bar, dashed
        yield Path(((middle, bottom - 4), (middle, top)), "paper", width=right - left, dash="1.5 3.5")
    if texture // 2 % 2:
        yield Path(((middle, top), (middle, bottom)), "paper", width=1.5)


def _bar(bar: Bar, frame: Frame) -> Shapes:
    left, right = frame.x(bar.left), frame.x(bar.right)
    if bar.dot.y is None:
        yield from _missing((left + right) / 2, frame, colour_of(bar.style), bar.dot.tip)
        return
    base = frame.bottom if frame.y_scale.log else frame.y(max(frame.y_scale.low, min(0.0, frame.y_scale.high)))
    top = frame.y(bar.dot.y)
    yield from rectangle(left, min(top, base), right, max(top, base), bar.style, bar.published, bar.dot.tip)
    if not bar.published:
        yield from _error(bar.dot, frame, "ink")


def _box(box: Box, frame: Frame) -> Shapes:
    left, right, colour = frame.x(box.left), frame.x(box.right), colour_of(box.style)
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
    yield Path(corners_of(left, upper, right, lower), None, "paper", closed=True)
    yield Path(corners_of(left, upper, right, lower), None, colour, closed=True, opacity=0.28)
    yield Path(corners_of(left, upper, right, lower), colour, None, closed=True, width=1.5, tip=box.tip)
    yield Path(((left, median), (right, median)), colour, width=2.6)
    for value in box.outside:
        yield Circle(middle, frame.y(value), 2.2, None, colour)
    if (right - left) > 22:  # the marker of the series too, where colours are used twice
        yield marker(middle, median, box.style, False, colour)


def _dash(dash: Dash, frame: Frame) -> Shapes:
    left, right, y, colour = frame.x(dash.left), frame.x(dash.right), frame.y(dash.y), colour_of(dash.style)
    yield Path(((left, y), (right, y)), colour, dash="5 3", width=1.8, tip=dash.tip)
    yield marker((left + right) / 2, y, dash.style, True, colour, dash.tip)


def _area(area: Area, frame: Frame) -> Shapes:
    there = [(frame.x(x), frame.y(y)) for x, y in zip(area.x, area.high, strict=True)]
    back = [(frame.x(x), frame.y(y)) for x, y in zip(area.x, area.low, strict=True)]
    yield Path((*there, *reversed(back)), None, colour_of(area.style), closed=True, opacity=0.18)


def heat(share: float) -> str:
    """The colour of a share of the way from least to greatest."""
    mixed = (round(cold + (hot - cold) * share) for cold, hot in zip(_COLD, _HOT, strict=True))
    return "#" + "".join(f"{part:02x}" for part in mixed)


def _cell(cell: Cell, frame: Frame) -> Shapes:
    left, right = frame.x(cell.column - 0.5), frame.x(cell.column + 0.5)
    top = frame.bottom - share_of(frame.y_scale, cell.row + 0.5) * frame.height
    bottom = frame.bottom - share_of(frame.y_scale, cell.row - 0.5) * frame.height
    x, y = (left + right) / 2, (top + bottom) / 2
    if cell.share is None:
        inner = corners_of(left + 1.5, top + 1.5, right - 1.5, bottom - 1.5)
        yield Path(inner, "soft", None, closed=True, width=1, dash="3 3", tip=cell.tip)
    else:
        yield Path(corners_of(left, top, right, bottom), "paper", heat(cell.share), closed=True, width=1, tip=cell.tip)
    fits = text_width(cell.text) < right - left - 4
    colour = "soft" if cell.share is None else "#ffffff" if cell.share > 0.6 else "#1c2127"
    second = bool(cell.published) and bottom - top >= 34 and text_width(cell.published, "note") < right - left - 4
    if fits:
        yield Text(x, y - 2 if second else y + 4, cell.text, "inside", "middle", colour=colour)
    if second:
        yield Text(x, y + 12, cell.published, "note", "middle", colour=colour)


DRAWN: dict[type, Callable[[Any, Frame], Shapes]] = {
    Trace: _trace,
    Bar: _bar,
    Box: _box,
    Dash: _dash,
    Area: _area,
    Cell: _cell,
}
