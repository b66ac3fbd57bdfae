# SPDX-License-Identifier: MIT
"""Draws axes: ticks, names, grid, labels, and the labels of marks above them."""

from __future__ import annotations

import math
from collections.abc import Collection

from lab.drawing.figure import Axes, Scale
from lab.drawing.frame import AxesFrame
from lab.drawing.marks import Band, Rule
from lab.drawing.shapes import Path, Shape, Shapes, Text
from lab.drawing.words import shortened, text_width
from lab.numbers import distinct, ticks

LONGEST = 170.0  # maximum width of a name on an axis, in pixels
LABEL = 16.0  # height of a row of labels above the axes
_TILT = -32.0  # degrees, of names that are wider than their space
_Y_TICKS = 5  # approximate number
_APART = 16.0  # minimum space between numbers below an axis
_MOST_ROWS = 3  # maximum number of rows of labels
_FACTORS = ((1, 2, 3, 4, 5, 6, 8), (1, 2, 5), (1, 3))  # of logarithmic ticks, within a decade


def left_of(axes: Axes, width: float) -> float:
    """Return the width of the y axis, given the total ``width``."""
    texts = axes.y.names or tuple(text for _, text in _ticks(axes.y, _Y_TICKS))
    left = 34 + min(max((text_width(text) for text in texts), default=0.0), LONGEST)
    room = (width - left) / max(len(axes.x.names), 1)
    if _tilted(axes.x, room):  # the first name begins to the left of its space
        first = shortened(axes.x.names[0], LONGEST)
        left = max(left, text_width(first) * math.cos(math.radians(_TILT)) - room / 2 + 4)
    return left


def y_axis(frame: AxesFrame, *, room: float | None = None) -> Shapes:
    """Draw ticks with a grid, or names; if there is ``room`` beyond the height of the axis, also its label."""
    scale = frame.y_scale
    for index, name in enumerate(scale.names):
        yield Text(frame.left - 8, frame.y(index) + 4, shortened(name, LONGEST), "tick", "end")
    for value, text in () if scale.names else _ticks(scale, _Y_TICKS):
        level = frame.y(value)
        yield Path(((frame.left, level), (frame.right, level)), "grid", width=1)
        yield Text(frame.left - 8, level + 4, text, "tick", "end")
    if room is not None and scale.label:
        middle = frame.top + frame.height / 2
        yield Text(13, middle, shortened(scale.label, frame.height + room, "axis"), "axis", "middle", turn=-90)


def x_grid(frame: AxesFrame) -> Shapes:
    """Draw a vertical grid if y has names and x has numbers."""
    if frame.y_scale.names and not frame.x_scale.names:
        for value, _ in _x_ticks(frame):
            yield Path(((frame.x(value), frame.top), (frame.x(value), frame.bottom)), "grid", width=1)


def x_axis(frame: AxesFrame) -> tuple[list[Shape], float]:
    """Return the axis, and the height that it takes."""
    scale = frame.x_scale
    shapes: list[Shape] = [Path(((frame.left, frame.bottom), (frame.right, frame.bottom)), "soft", width=1)]
    below = 40.0 if scale.label else 20.0
    if scale.names:
        names, tilt = _names(frame)
        shapes += names
        below += tilt
    for value, text in () if scale.names else _x_ticks(frame):
        x = frame.x(value)
        shapes.append(Path(((x, frame.bottom), (x, frame.bottom + 4)), "soft", width=1))
        shapes.append(Text(x, frame.bottom + 17, text, "tick", "middle"))
    if scale.label:
        label = shortened(scale.label, frame.width, "axis")
        shapes.append(Text(frame.left + frame.width / 2, frame.bottom + below - 4, label, "axis", "middle"))
    return shapes, below + 6


def _tilted(scale: Scale, room: float) -> bool:
    """Return whether a name on the x axis is wider than its space."""
    return any(text_width(shortened(name, LONGEST)) > room - 6 for name in scale.names)


def _names(frame: AxesFrame) -> tuple[list[Shape], float]:
    """Return the names below an axis, and the height that they take beyond one line."""
    scale = frame.x_scale
    room = frame.width / len(scale.names)
    names = [shortened(name, LONGEST) for name in scale.names]
    if not _tilted(scale, room):
        return [Text(frame.x(at), frame.bottom + 17, name, "tick", "middle") for at, name in enumerate(names)], 0.0
    every = max(1, math.ceil(15 / room))  # of very many names only some
    shown = list(enumerate(names))[::every]
    deepest = max(text_width(name) for name in names) * math.sin(math.radians(-_TILT))
    return [Text(frame.x(at) + 4, frame.bottom + 14, name, "tick", "end", turn=_TILT) for at, name in shown], deepest


def _x_ticks(frame: AxesFrame) -> list[tuple[float, str]]:
    """Return as many ticks as there is space for."""
    for wanted in range(max(2, int(frame.width / 80)), 1, -1):
        found = _ticks(frame.x_scale, wanted)
        widest = max((text_width(text) for _, text in found), default=0.0)
        if len(found) * (widest + _APART) <= frame.width:
            return found
    return _ticks(frame.x_scale, 1)


def _ticks(scale: Scale, wanted: int) -> list[tuple[float, str]]:
    """Return about that many ticks: (value, text)."""
    found = _decades(scale, wanted) if scale.log else []
    if len(found) < 2 and not (scale.log and scale.high / 10 > scale.low):  # less than a decade is almost linear
        found = ticks(scale.low, scale.high, wanted=wanted)
    return list(zip(found, distinct(found), strict=True))


def _decades(scale: Scale, wanted: int) -> list[float]:
    """Return about that many ticks of a logarithmic axis."""
    low, high = math.log10(scale.low), math.log10(scale.high)
    decades = range(math.floor(low + 1e-9), math.ceil(high - 1e-9) + 1)
    every = max(1, math.ceil(len(decades) / (wanted + 1)))
    factors: tuple[int, ...] = (1,)
    if every == 1:
        factors = next((some for some in _FACTORS if len(decades) * len(some) <= wanted + 2), (1,))
    found = [factor * float(f"1e{power}") for power in decades if power % every == 0 for factor in factors]
    return [value for value in found if math.isfinite(value) and scale.low * 0.999 <= value <= scale.high * 1.001]


def labels(axes: Axes, frame: AxesFrame, known: Collection[str]) -> list[list[Text]]:
    """Return the labels of rules and bands, in rows without overlaps; the lowest row first.

    Labels in ``known``, which the legend explains, are omitted, and labels for which there is no space: the highest row
    says how many.
    """
    marks = [mark for mark in axes.marks if isinstance(mark, Rule | Band) and mark.label and mark.label not in known]
    rows: list[list[Text]] = []
    ends: list[float] = []
    left_out = 0
    for x, label in sorted((_middle(mark, frame), mark.label) for mark in marks):
        text = shortened(label, frame.width, "mark")
        half = text_width(text, "mark") / 2
        middle = min(max(x, frame.left + half), frame.right - half)
        row = next((row for row, end in enumerate(ends) if end + 8 <= middle - half), len(rows))
        if row == _MOST_ROWS:
            left_out += 1
            continue
        if row == len(rows):
            rows.append([])
            ends.append(0.0)
        ends[row] = middle + half
        rows[row].append(Text(middle, frame.top - 8 - row * LABEL, text, "mark", "middle"))
    if left_out:
        text = shortened(f"{left_out} more: point at a line", frame.width, "mark")
        rows.append([Text(frame.right, frame.top - 8 - len(rows) * LABEL, text, "mark", "end")])
    return rows


def _middle(mark: Rule | Band, frame: AxesFrame) -> float:
    return frame.x(mark.x) if isinstance(mark, Rule) else (frame.x(mark.begin) + frame.x(mark.end)) / 2
