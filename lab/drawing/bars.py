# SPDX-License-Identifier: MIT
"""Draws bars, boxes, spans and heat map cells, and the bands and rules behind them.

When the colours of series repeat, bars have stripes.
"""

from __future__ import annotations

from lab.drawing.frame import AxesFrame
from lab.drawing.marks import Band, Bar, Box, Dash, HeatCell, Rule, Span
from lab.drawing.palette import NAMED, SERIES, Colour, series
from lab.drawing.series import TINT, cross, error_bar, marker
from lab.drawing.shapes import Dots, Path, Shapes, Text, box
from lab.drawing.words import text_width

BOX_TINT = 0.28
_COLD, _HOT = (0xE8, 0xF1, 0xFA), (0x08, 0x3A, 0x6B)  # of a heat map: light to dark, so that it is readable in grey
_DARK_FROM = 0.6  # share from which on a cell has white text


def band(mark: Band, frame: AxesFrame) -> Shapes:
    """Draw a band behind lines, over the whole height."""
    left = frame.x(mark.begin)
    right = max(frame.x(mark.end), left + 1.5)
    colour: Colour = "soft" if mark.colour is None else series(mark.colour)

    yield Path(box(left, frame.top, right, frame.bottom), None, colour, closed=True, opacity=TINT, tip=mark.label)


def rule(mark: Rule, frame: AxesFrame) -> Shapes:
    """Draw a thin line over the whole height."""
    x = frame.x(mark.x)
    yield Path(((x, frame.top), (x, frame.bottom)), "ink", width=1.0, dash="3 3", opacity=0.65, tip=mark.label)


def span(mark: Span, frame: AxesFrame) -> Shapes:
    """Draw a bar in its row, or a thin one below the others, with its label."""
    row = frame.height / len(frame.y_scale.names)
    top = frame.top + mark.row * row
    left = frame.x(mark.begin)
    right = max(frame.x(mark.end), left + 1.2)
    if not mark.thin:
        yield Path(box(left, top + 7, right, top + row - 11), None, series(mark.colour), closed=True, tip=mark.label)
        return
    yield Path(box(left, top + row - 9, right, top + row - 6), None, "ink", closed=True, opacity=0.9, tip=mark.label)
    if right + 8 + text_width(mark.label, "mark") < frame.right:
        yield Text(right + 8, top + row / 2 + 4, mark.label, "mark")
    else:  # there is no space on the right
        yield Text(left - 8, top + row / 2 + 4, mark.label, "mark", "end")


def bar(mark: Bar, frame: AxesFrame) -> Shapes:
    """Draw a bar with its error bar."""
    left, right = frame.x(mark.left), frame.x(mark.right)
    if mark.dot.y is None:
        yield from cross((left + right) / 2, frame, series(mark.style), mark.dot.tip)
        return
    base = frame.bottom if frame.y_scale.log else frame.y(0.0)
    top = frame.y(mark.dot.y)
    yield from rectangle(left, min(top, base), right, max(top, base), mark.style, mark.published, mark.dot.tip)
    if not mark.published:
        yield from error_bar(mark.dot, frame, "ink")


def rectangle(
    left: float, top: float, right: float, bottom: float, style: int | None, published: bool, tip: str = ""
) -> Shapes:
    """Draw a filled bar, with a texture from the seventh series on, or a hollow one for published values."""
    colour: Colour = "soft" if style is None else series(style)
    if published:
        inset = min(0.9, (right - left) / 4)
        corners = box(left + inset, min(top + inset, bottom), right - inset, bottom)
        yield Path(corners, colour, "paper", closed=True, width=1.6, dash="4 2.5", tip=tip)
        return
    yield Path(box(left, top, right, bottom), None, colour, closed=True, tip=tip)
    texture = 0 if style is None else style // SERIES
    middle = (left + right) / 2
    if texture % 2 and bottom - top > 4:  # stripes across: a line as wide as the bar, dashed
        yield Path(((middle, bottom - 4), (middle, top)), "paper", width=right - left, dash="1.5 3.5")
    if texture // 2 % 2:
        yield Path(((middle, top), (middle, bottom)), "paper", width=1.5)


def quartiles(mark: Box, frame: AxesFrame) -> Shapes:
    """Draw a box with whiskers, and dots for outliers."""
    left, right, colour = frame.x(mark.left), frame.x(mark.right), series(mark.style)
    middle = (left + right) / 2
    if mark.quartiles is None:
        yield from cross(middle, frame, colour, mark.tip)
        return
    lower, median, upper = (frame.y(value) for value in mark.quartiles)
    least, most = (frame.y(value) for value in mark.whiskers)
    quarter = (right - left) / 4
    for inner, outer in ((lower, least), (upper, most)):
        yield Path(((middle, inner), (middle, outer)), colour, width=1.3)
        yield Path(((middle - quarter, outer), (middle + quarter, outer)), colour, width=1.3)
    corners = box(left, upper, right, lower)
    yield Path(corners, None, "paper", closed=True)
    yield Path(corners, None, colour, closed=True, opacity=BOX_TINT)
    yield Path(corners, colour, None, closed=True, width=1.5, tip=mark.tip)
    yield Path(((left, median), (right, median)), colour, width=2.6)
    if mark.outside:
        yield Dots(tuple((middle, frame.y(value)) for value in mark.outside), 2.2, fill=colour)
    if right - left > 22:  # also the marker of the series, since colours repeat
        yield marker(middle, median, mark.style, False, colour)


def dash(mark: Dash, frame: AxesFrame) -> Shapes:
    """Draw a dashed level with a hollow marker."""
    left, right, y, colour = frame.x(mark.left), frame.x(mark.right), frame.y(mark.y), series(mark.style)
    yield Path(((left, y), (right, y)), colour, dash="5 3", width=1.8, tip=mark.tip)
    yield marker((left + right) / 2, y, mark.style, True, colour, mark.tip)


def heat(share: float) -> str:
    """Return the colour of a heat map from 0 (lowest value) to 1 (highest value)."""
    mixed = (round(cold + (hot - cold) * share) for cold, hot in zip(_COLD, _HOT, strict=True))
    return "#" + "".join(f"{part:02x}" for part in mixed)


def cell(mark: HeatCell, frame: AxesFrame) -> Shapes:
    """Draw a cell of a heat map, with its value and the published one."""
    left, right = frame.x(mark.column - 0.5), frame.x(mark.column + 0.5)
    top, bottom = frame.y(mark.row + 0.5), frame.y(mark.row - 0.5)
    x, y = (left + right) / 2, (top + bottom) / 2
    if mark.share is None:
        inner = box(left + 1.5, top + 1.5, right - 1.5, bottom - 1.5)
        yield Path(inner, "soft", None, closed=True, width=1, dash="3 3", tip=mark.tip)
        colour: Colour = "soft"
    else:
        yield Path(box(left, top, right, bottom), "paper", heat(mark.share), closed=True, width=1, tip=mark.tip)
        colour = NAMED["paper" if mark.share > _DARK_FROM else "ink"][0]
    room = right - left - 4
    second = bool(mark.published) and bottom - top >= 34 and text_width(mark.published, "note") < room
    if text_width(mark.text, "inside") < room:
        yield Text(x, y - 2 if second else y + 4, mark.text, "inside", "middle", colour=colour)
    if second:
        yield Text(x, y + 12, mark.published, "note", "middle", colour=colour)
