# SPDX-License-Identifier: MIT
"""Lays out ladder diagrams: a vertical line for each radio, time from top to bottom, an arrow for each frame.

The height of an arrow is the duration of its frame, and all ladders of a drawing have the same scale. Frames that
collided end half-way, at a cross. What the edge of a ladder cuts off has no head. A label is left out where there is
no room for it; it then appears only when the pointer is over the arrow.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lab.drawing.layout import WIDTH
from lab.drawing.palette import Colour
from lab.drawing.shapes import FACES, XY, Drawing, Path, Shapes, Text, box
from lab.drawing.words import shortened, text_width
from lab.numbers import distinct, ticks

_LEFT, _BETWEEN, _INSET = 58.0, 34.0, 26.0  # space for the times, between ladders, and next to the outer lines
_TITLE, _NAME = 16.0, 40.0  # baselines of a ladder's title and of the names of its lines
_TOP, _BELOW = 50.0, 12.0
_LEGIBLE = 13.0  # height of the shortest arrow, if the drawing does not become too high
_LOW, _HIGH = 120.0, 1400.0  # limits of the height of ladders
_TICKS_APART = 60.0
_HEAD = (9.0, 20.0)  # least and most length of an arrow's head
_CROSS = 5.0
_HALF_WAY = 0.46  # so that arrows from both ends do not meet
_TINT = 0.2
_PADDING = 5.0  # on each side of a label
_FITTING = (("inside", 15.0), ("note", 11.0))  # faces of a label, and the height of an arrow that they need
_TWO_LINES = 34.0


@dataclass(frozen=True)
class Arrow:
    """A frame; times are in µs from the top of its ladder."""

    source: str
    target: str | None  # None: every line
    begin_us: float
    end_us: float
    label: str
    note: str = ""
    colour: Colour = 0
    collided: bool = False

    @property
    def words(self) -> str:
        """Label and note in one line."""
        return f"{self.label} ({self.note})" if self.note else self.label


@dataclass(frozen=True)
class Ladder:
    """The frames between some radios in a span of time. ``lines``: names of the radios, from left to right."""

    title: str
    lines: tuple[str, ...]
    arrows: tuple[Arrow, ...]
    length_us: float


@dataclass(frozen=True)
class _Frame:
    """Where a ladder is; ``scale`` is in pixels per µs."""

    ladder: Ladder
    left: float
    right: float
    scale: float

    @property
    def bottom(self) -> float:
        return self.y(self.ladder.length_us)

    def y(self, us: float) -> float:
        return _TOP + min(max(us, 0.0), self.ladder.length_us) * self.scale

    def x(self, line: str) -> float:
        """Return the position of a line; a single one is in the middle."""
        lines = self.ladder.lines
        if len(lines) == 1:
            return (self.left + self.right) / 2
        room = self.right - self.left - 2 * _INSET
        return self.left + _INSET + lines.index(line) * room / (len(lines) - 1)


def lay_out_ladders(title: str, ladders: Sequence[Ladder]) -> Drawing:
    """Return ladders side by side as shapes.

    ``title``: what the drawing is, for readers who do not see it.
    """
    scale = _scale(ladders)
    width = (WIDTH - _LEFT - (len(ladders) - 1) * _BETWEEN) / len(ladders)
    lefts = [_LEFT + index * (width + _BETWEEN) for index in range(len(ladders))]
    frames = [_Frame(ladder, left, left + width, scale) for ladder, left in zip(ladders, lefts, strict=True)]
    shapes = list(_times(frames))
    for frame in frames:
        shapes += _lines(frame)
        shapes += _arrows(frame)
    return Drawing(WIDTH, max(frame.bottom for frame in frames) + _BELOW, title, shapes)


def _scale(ladders: Sequence[Ladder]) -> float:
    """Return pixels per µs: labels fit into the shortest frame, unless the drawing would become too high."""
    longest_us = max(ladder.length_us for ladder in ladders)
    shortest_us = min(
        (arrow.end_us - arrow.begin_us for ladder in ladders for arrow in ladder.arrows), default=longest_us
    )
    return min(max(_LEGIBLE / shortest_us, _LOW / longest_us), _HIGH / longest_us)


def _times(frames: Sequence[_Frame]) -> Shapes:
    """Draw the times at the left, and a line across each ladder at each of them."""
    longest = max(frames, key=lambda frame: frame.ladder.length_us)
    height = longest.bottom - _TOP
    found = ticks(0.0, longest.ladder.length_us, wanted=max(2, int(height / _TICKS_APART)))
    for us, text in zip(found, distinct(found), strict=True):
        yield Text(_LEFT - 8, longest.y(us) + 4, text, "tick", "end")
        for frame in frames:
            if us <= frame.ladder.length_us:
                yield Path(((frame.left, frame.y(us)), (frame.right, frame.y(us))), "grid", width=1)
    yield Text(13, _TOP + height / 2, shortened("time, µs", height, "axis"), "axis", "middle", turn=-90)


def _lines(frame: _Frame) -> Shapes:
    """Draw the title of a ladder, and its lines with their names."""
    lines = frame.ladder.lines
    yield Text(frame.left, _TITLE, shortened(frame.ladder.title, frame.right - frame.left, "panel"), "panel")
    room = (frame.right - frame.left) / max(1, len(lines)) - _PADDING
    for name in lines:
        x = frame.x(name)
        yield Text(x, _NAME, shortened(name, room, "inside"), "inside", "middle")
        yield Path(((x, _TOP - 4), (x, frame.bottom)), "soft", width=1.5)


def _arrows(frame: _Frame) -> Shapes:
    """Draw the arrows; a label is left out where another one is."""
    labels: list[Text] = []
    for arrow in frame.ladder.arrows:
        ends = _ends(arrow, frame)
        for end in ends:
            yield from _arrow(arrow, frame, end)
        longest = max(ends, key=lambda end: abs(end - frame.x(arrow.source)))
        texts = _label(arrow, frame, longest)
        if not any(_overlap(text, other) for text in texts for other in labels):
            labels += texts
    yield from labels


def _ends(arrow: Arrow, frame: _Frame) -> list[float]:
    """Return where an arrow ends: in both directions if it goes to every line."""
    begin = frame.x(arrow.source)
    if arrow.target is None:
        columns = [frame.x(line) for line in frame.ladder.lines]
        ends = [end for end in (min(columns), max(columns)) if end != begin] or [begin + _INSET]
    else:
        ends = [frame.x(arrow.target)]
    return [begin + (end - begin) * _HALF_WAY for end in ends] if arrow.collided else ends


def _arrow(arrow: Arrow, frame: _Frame, end: float) -> Shapes:
    begin, top, bottom = frame.x(arrow.source), frame.y(arrow.begin_us), frame.y(arrow.end_us)
    cut = arrow.begin_us < 0 or arrow.end_us > frame.ladder.length_us
    if cut or arrow.collided:
        outline: tuple[XY, ...] = box(begin, top, end, bottom)
    else:
        neck = end - min(_head(bottom - top), abs(end - begin)) * (1 if end > begin else -1)
        outline = ((begin, top), (neck, top), (end, (top + bottom) / 2), (neck, bottom), (begin, bottom))
    yield Path(outline, None, "paper", closed=True)
    yield Path(outline, None, arrow.colour, closed=True, opacity=_TINT, tip=arrow.words)
    if cut:  # open where it continues
        for y in [top] * (arrow.begin_us >= 0) + [bottom] * (arrow.end_us <= frame.ladder.length_us):
            yield Path(((begin, y), (end, y)), arrow.colour, width=1.2)
        for x in (begin, end):
            yield Path(((x, top), (x, bottom)), arrow.colour, width=1.2)
    else:
        yield Path(outline, arrow.colour, None, closed=True, width=1.2)
    if arrow.collided:
        yield from _cross(end, (top + bottom) / 2)


def _head(high: float) -> float:
    """Return the length of the head of an arrow."""
    least, most = _HEAD
    return min(max(least, 0.25 * high), most)


def _cross(x: float, y: float) -> Shapes:
    for rise in (-_CROSS, _CROSS):
        yield Path(((x - _CROSS, y - rise), (x + _CROSS, y + rise)), "ink", width=1.8)


def _label(arrow: Arrow, frame: _Frame, end: float) -> list[Text]:
    """Return the label of an arrow: in two lines, in one, or none if there is no room."""
    begin, top, bottom = frame.x(arrow.source), frame.y(arrow.begin_us), frame.y(arrow.end_us)
    x, y, high = (begin + end) / 2, (top + bottom) / 2, bottom - top
    room = abs(end - begin) - 2 * ((_CROSS if arrow.collided else _head(high)) + _PADDING)
    if (
        arrow.note
        and high >= _TWO_LINES
        and max(text_width(line, "inside") for line in (arrow.label, arrow.note)) <= room
    ):
        return [_middle(x, y - 9, arrow.label, "inside"), _middle(x, y + 9, arrow.note, "inside")]
    for words in (arrow.words, arrow.label):
        for face, needed in _FITTING:
            if high >= needed and text_width(words, face) <= room:
                return [_middle(x, y, words, face)]
    return []


def _middle(x: float, y: float, words: str, face: str) -> Text:
    return Text(x, y + 0.36 * FACES[face].size, words, face, "middle", colour="ink")


def _overlap(one: Text, other: Text) -> bool:
    apart_x = abs(one.x - other.x) - (text_width(one.text, one.face) + text_width(other.text, other.face)) / 2
    apart_y = abs(one.y - other.y) - (FACES[one.face].size + FACES[other.face].size) / 2
    return apart_x < 0 and apart_y < 0
