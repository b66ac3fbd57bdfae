# SPDX-License-Identifier: MIT
"""The content of a figure, independent of how it is drawn.

A figure's title states the result ("Two handoffs, at most 41 ms without data"), not what is plotted; the labels of the
axes do that.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from lab.drawing.marks import Band, Line, Mark, Rule, Span

_LARGEST = sys.float_info.max
_ROW = 34.0  # height of a row of spans
Look = Literal["line", "bar", "box", "patch", "stroke", "dots"]


@dataclass(frozen=True)
class Scale:
    """An axis of names or of numbers."""

    label: str
    names: tuple[str, ...] = ()
    low: float = 0.0
    high: float = 1.0
    log: bool = False


@dataclass(frozen=True)
class Axes:
    """A pair of axes and the marks between them."""

    x: Scale
    y: Scale
    marks: tuple[Mark, ...]
    title: str = ""
    row: float | None = None  # height of a row if y has names; None: automatic

    @property
    def axes(self) -> Axes:
        """The axes themselves."""
        return self


@dataclass(frozen=True)
class Panel:
    """A simple pair of axes over numbers. With ``rows`` it is a chart of spans; rows are named from top to bottom."""

    x_label: str
    y_label: str = ""
    x_range: tuple[float, float] = (0.0, 1.0)
    title: str = ""
    lines: list[Line] = field(default_factory=list)
    bands: list[Band] = field(default_factory=list)
    rules: list[Rule] = field(default_factory=list)
    rows: list[str] = field(default_factory=list)
    spans: list[Span] = field(default_factory=list)
    from_zero: bool = True  # y starts at 0
    y_most: float | None = None  # upper end of y; None: from the lines

    @property
    def y_range(self) -> tuple[float, float]:
        """The range of the lines, with a margin."""
        values = [value for line in self.lines for value in line.y if math.isfinite(value)]
        if not values:
            return 0.0, 1.0
        low, high = min(values), max(values)
        if self.y_most is not None:
            return 0.0, self.y_most
        if self.from_zero:
            low, high = min(low, 0.0) * 1.08, max(high, 0.0) * 1.08
            return max(low, -_LARGEST), min(high, _LARGEST) if low or high else 1.0
        air = max((high - low) * 0.15, 5.0, 1e-9 * max(abs(low), abs(high)))  # beyond 10¹⁵, 5 would be lost
        return max(low - air, -_LARGEST), min(high + air, _LARGEST)

    @property
    def axes(self) -> Axes:
        """The equivalent axes."""
        low, high = self.y_range
        y = Scale(self.y_label, names=tuple(reversed(self.rows)), low=low, high=high)
        marks: tuple[Mark, ...] = (*self.bands, *self.rules, *self.lines, *self.spans)
        x = Scale(self.x_label, low=self.x_range[0], high=self.x_range[1])
        return Axes(x, y, marks, self.title, row=_ROW)


@dataclass(frozen=True)
class Key:
    """An entry of the legend."""

    label: str
    style: int | None  # None: valid for all series
    look: Look
    published: bool = False


@dataclass(frozen=True)
class Ramp:
    """The colour scale of a heat map."""

    label: str
    low: str
    high: str


@dataclass(frozen=True)
class Chart:
    """Panels side by side, with a common y scale. ``legend``: keys, or (label, colour) pairs for all panels."""

    name: str  # name of its files
    title: str
    about: str  # what is shown, and what error bars mean
    panels: Sequence[Panel | Axes]
    legend: Sequence[Key | tuple[str, int | None]] = ()
    height: int = 300  # with one line of text, without legend
    warnings: Sequence[str] = ()  # what is missing
    ramp: Ramp | None = None
    stacked: bool = False  # panels one below the other, each with its own scale
    columns: int = 0  # panels in rows of that many, all with a common scale; 0: all in one row
    below: Sequence[str] = ()  # sentences below the panels


@dataclass(frozen=True)
class Figure(Chart):
    """A chart of simple panels, with a legend of labels and colours."""

    panels: Sequence[Panel]
    legend: Sequence[tuple[str, int | None]] = ()
