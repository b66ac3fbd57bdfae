# SPDX-License-Identifier: MIT
"""Figures of series over the virtual time of trials."""

from __future__ import annotations

import bisect
import math
import statistics
from collections.abc import Sequence

from lab.drawing.figure import Axes, Chart, Scale
from lab.drawing.marks import Area, Dot, Mark, Trace
from lab.experiments.analysis.statistics import half_width
from lab.experiments.draw.frames import ERRORS, chart, numbers_axis, values_axis, without_series
from lab.experiments.draw.view import View, with_unit, words
from lab.experiments.types import Series

_BINS = 200  # of the mean of several trials


def time_series(view: View) -> Chart:
    """For each series, the mean of its trials over virtual time, in an error band."""
    name = view.measured()
    groups = view.groups(pool=True)
    marks: list[Mark] = []
    unit, counts, without = view.unit(name), [], []
    for style, group in enumerate(groups):
        found = view.series(group, name)
        counts.append(len(found))
        if not found:
            without.append(group.label)
            continue
        unit = found[0].unit
        times, means, lows, highs = _together(found, view.figure.errors)
        if lows:
            marks.append(Area(tuple(times), tuple(lows), tuple(highs), style))
        dots = tuple(Dot(t, value) for t, value in zip(times, means, strict=True))
        marks.append(Trace(dots, style, marked=False, few=8 if len(groups) > 1 else 0))
    across = [dot.x for mark in marks if isinstance(mark, Trace) for dot in mark.dots]
    scale = numbers_axis("virtual time, s", across, air=0.01)
    scale = Scale(scale.label, low=max(0.0, scale.low), high=scale.high)
    panel = Axes(scale, values_axis(view, with_unit(name, unit), marks), tuple(marks))
    bands = any(isinstance(mark, Area) for mark in marks)
    note = f"{words(name).capitalize()} over time"
    if max(counts, default=0) > 1:
        note += (
            f"; lines: mean of {min(counts)} to {max(counts)} trials"
            if len(set(counts)) > 1
            else (f"; lines: mean of {counts[0]} trials")
        )
    note += f"; bands: {ERRORS[view.figure.errors]}." if bands and view.figure.errors else "."
    warnings = without_series(name, without)
    return chart(view, name, [panel], groups, "line", paper=False, apart=True, note=note, warnings=warnings)


def _together(found: Sequence[Series], errors: str | None) -> tuple[list[float], list[float], list[float], list[float]]:
    """Times, the mean over the trials, and the edges of the error band (None for a single trial)."""
    if len(found) == 1:
        return list(found[0].t_s), list(found[0].values), [], []
    begin = max(series.t_s[0] for series in found)
    end = max(min(series.t_s[-1] for series in found), begin)
    count = min(_BINS, max(len(series.t_s) for series in found))
    times = [begin + (end - begin) * index / max(count - 1, 1) for index in range(count)]
    means, lows, highs = [], [], []
    for t_s in times:
        values = [series.values[max(bisect.bisect_right(series.t_s, t_s) - 1, 0)] for series in found]
        mean = math.fsum(values) / len(values)
        means.append(mean)
        deviation = statistics.stdev(values)
        half = half_width(deviation, len(values)) if errors == "ci95" else deviation
        lows.append(min(values) if errors == "range" else mean - half)
        highs.append(max(values) if errors == "range" else mean + half)
    return (times, means, lows, highs) if errors else (times, means, [], [])
