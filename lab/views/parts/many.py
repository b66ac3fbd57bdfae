# SPDX-License-Identifier: MIT
"""Any number of lines in one figure: each in its own colour, or summarised where there are more than colours.

Many lines become thin grey ones. Above them are their median, and the two that are highest and lowest on average.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import fmean, median

from lab.drawing import PALETTE, Line

LINES_AT_MOST = len(PALETTE)  # more cannot be distinguished
_BINS = 300  # at most, of the median
_MEDIAN, _HIGHEST, _LOWEST = 0, 1, 2  # colours


@dataclass(frozen=True)
class Shown:
    """What a figure shows of its lines; ``note`` goes to the end of its ``about``."""

    lines: list[Line]
    legend: list[tuple[str, int | None]]
    note: str = ""


def shown(lines: Sequence[Line], csv: str, *, one_named: bool = False) -> Shown:
    """Return the lines and their legend.

    Args:
        lines: all lines, in any number; their colours are ignored if there are many.
        csv: name of the file in ``csv/`` that has all values of all lines.
        one_named: the legend names also a single line.
    """
    if len(lines) > LINES_AT_MOST:
        return _summarised(lines, csv)
    named = len(lines) > 1 or one_named
    return Shown(list(lines), [(line.label, line.colour) for line in lines] if named else [])


def _summarised(lines: Sequence[Line], csv: str) -> Shown:
    by_mean = sorted((line for line in lines if line.y), key=lambda line: fmean(line.y))
    ends = [replace(by_mean[0], colour=_LOWEST), replace(by_mean[-1], colour=_HIGHEST)] if by_mean else []
    grey = [replace(line, colour=None) for line in by_mean[1:-1]]
    middle = _median(by_mean)
    legend: list[tuple[str, int | None]] = [(middle.label, _MEDIAN)]
    if ends:
        legend += [(f"highest mean: {ends[1].label}", _HIGHEST), (f"lowest mean: {ends[0].label}", _LOWEST)]
    legend.append(("each of the others", None))
    note = f"; point at a grey line for its name; all values are in csv/{csv}.csv"
    return Shown([*grey, *ends, middle], legend, note)


def _median(lines: Sequence[Line]) -> Line:
    """Return the median of the lines over time: of the mean that each has in an interval, if it has a value there."""
    label = f"median of {len(lines)}"
    times = [x for line in lines for x in line.x]
    if not times:
        return Line(label, [], [], _MEDIAN)
    begin, end = min(times), max(times)
    apart = [after - before for line in lines for before, after in pairwise(line.x)]
    width = max(median(apart) if apart else 0.0, (end - begin) / _BINS) or 1.0
    bins: dict[int, dict[int, list[float]]] = {}
    for number, line in enumerate(lines):
        for x, y in zip(line.x, line.y, strict=True):
            if math.isfinite(y):
                # to the nearest: round times of samples are in the middle of an interval, not at its edge
                bins.setdefault(round((x - begin) / width), {}).setdefault(number, []).append(y)
    # at the end of an interval a few lines may have one more sample: they are not the median
    usual = median(map(len, bins.values())) if bins else 0
    places = sorted(place for place, each in bins.items() if 2 * len(each) >= usual)
    values = [median(fmean(each) for each in bins[place].values()) for place in places]
    return Line(
        label, [begin + place * width for place in places], values, _MEDIAN, step=lines[0].step, gap=3.5 * width
    )
