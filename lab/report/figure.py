# SPDX-License-Identifier: MIT
"""What a plot shows, apart from how it is drawn: lab.report.svg and lab.report.png both draw it.

A figure's title says what is to be seen ("Two handoffs, 41 ms without data at most"), not what is plotted; that
is what axis labels are for. Colours are numbers of a palette that is told apart by people who do not see all
colours (Okabe and Ito, 2008), and lines differ in dashes too.
"""

from __future__ import annotations

from dataclasses import dataclass, field

# Okabe and Ito's, without the two that vanish on white; a lighter twin of each for dark backgrounds
PALETTE = ("#0072b2", "#d55e00", "#009e73", "#b05a93", "#c98600", "#2f9fd6")
PALETTE_DARK = ("#56b4e9", "#ff8c42", "#2fc79a", "#e39ac4", "#f0b93a", "#8ecdf0")
DASHES = ("", "6 3", "2 2", "8 3 2 3", "1 3", "10 4")


@dataclass(frozen=True)
class Line:
    """A line through points, or steps (each value holds back to the x before it)."""

    label: str
    x: list[float]
    y: list[float]
    colour: int = 0
    step: bool = False
    area: bool = False  # the space below it is tinted
    solid: bool = False  # the space below it is filled, without a line: what lies behind is hidden
    dots: bool = False  # points without a line
    gap: float | None = None  # no line between points further apart than this


@dataclass(frozen=True)
class Band:
    """A shaded stretch of the x axis."""

    begin: float
    end: float
    label: str = ""
    colour: int | None = None  # None: grey


@dataclass(frozen=True)
class Rule:
    """A vertical line at a moment."""

    x: float
    label: str


@dataclass(frozen=True)
class Span:
    """A bar from one x to another in a row of a chart."""

    row: int
    begin: float
    end: float
    colour: int
    label: str = ""
    thin: bool = False  # a bracket below the bars: what they add up to


@dataclass(frozen=True)
class Panel:
    """One pair of axes. With ``rows`` it is a chart of spans, and y names things; else lines over numbers."""

    x_label: str
    y_label: str = ""
    x_range: tuple[float, float] = (0.0, 1.0)
    title: str = ""
    lines: list[Line] = field(default_factory=list)
    bands: list[Band] = field(default_factory=list)
    rules: list[Rule] = field(default_factory=list)
    rows: list[str] = field(default_factory=list)
    spans: list[Span] = field(default_factory=list)
    from_zero: bool = True  # y begins at 0
    y_most: float | None = None  # y ends there; None: where the lines do

    @property
    def y_range(self) -> tuple[float, float]:
        """What the lines need, with some air."""
        values = [value for line in self.lines for value in line.y]
        if not values:
            return 0.0, 1.0
        low, high = min(values), max(values)
        if self.y_most is not None:
            return 0.0, self.y_most
        if self.from_zero:
            return 0.0, high * 1.08 or 1.0
        air = max((high - low) * 0.15, 5.0)
        return low - air, high + air


@dataclass(frozen=True)
class Figure:
    """Panels side by side. ``legend``: (label, colour) pairs that hold for all of them."""

    name: str  # of files: plots/<name>.svg
    title: str
    about: str
    panels: list[Panel]
    legend: list[tuple[str, int]] = field(default_factory=list)
    height: int = 300
