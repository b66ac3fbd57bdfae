# SPDX-License-Identifier: MIT
"""Figures of distributions and of time: boxes, cumulative distributions, series over the virtual time of trials."""

from __future__ import annotations

import bisect
import math
import statistics
from collections.abc import Sequence

from lab.drawing.figure import Axes, Chart, Scale
from lab.drawing.marks import Area, Box, Dash, Dot, Mark, Trace
from lab.experiments.analysis.statistics import half_width
from lab.experiments.output.data import FigureData, Group, drawable, with_unit, words
from lab.experiments.output.frames import (
    ERRORS,
    chart,
    missing,
    names_axis,
    numbers_axis,
    trials,
    values_axis,
    without_series,
)
from lab.experiments.types import Point
from lab.numbers import short
from lab.probes.base import TimeSeries


def box(view: FigureData) -> Chart:
    """Draw quartiles and whiskers of each point."""
    x, metric = view.figure.x, view.figure.y
    groups, levels = view.groups(x), view.levels(x)
    apart = view.apart(groups, metric)
    width = 0.8 / max(len(groups), 1)
    marks: list[Mark] = []
    paper = False
    for style, group in enumerate(groups):
        for point in group.points:
            index = levels.index(point.labels[x])
            left = index - 0.4 + style * width + width * 0.1
            right = left + width * 0.8
            marks.append(_box_of(view, point, metric, left, right, style))
            value = view.publishes(metric, point.labels)
            if value is not None and apart:
                tip = view.paper_words(metric, value)
                marks.append(Dash(left - width * 0.08, right + width * 0.08, value, style, tip))
                paper = True
    if not apart:
        for index, label in enumerate(levels):
            value = view.publishes(metric, {x: label})
            if value is not None:
                marks.append(Dash(index - 0.42, index + 0.42, value, len(groups), view.paper_words(metric, value)))
                paper = True
    panel = Axes(names_axis(view, x), values_axis(view, with_unit(metric, view.unit(metric)), marks), tuple(marks))
    note = (
        f"{words(metric).capitalize()}, {trials(view, metric)}. Boxes: quartiles and median; whiskers: the "
        "furthest trials within 1.5 times the height of the box; dots: trials beyond."
    )
    return chart(view, metric, [panel], groups, "box", paper=paper, apart=apart, note=note)


def _box_of(view: FigureData, point: Point, metric: str, left: float, right: float, style: int) -> Box:
    values = sorted(view.values([point], metric))
    if view.log("y"):
        values = [value for value in values if value > 0]
    place = ", ".join(point.labels.values())
    if not values:
        return Box(left, right, style, None, tip=f"{place}: no value")
    lower, median, upper = statistics.quantiles(values, method="inclusive") if len(values) > 1 else values * 3
    reach = 1.5 * (upper - lower)
    inside = [value for value in values if lower - reach <= value <= upper + reach]
    outside = tuple(value for value in values if not lower - reach <= value <= upper + reach)
    tip = f"{place}: median {short(median)}, quartiles {short(lower)} and {short(upper)}, n = {len(values)}"
    return Box(left, right, style, (lower, median, upper), (inside[0], inside[-1]), outside, tip)


def cdf(view: FigureData) -> Chart:
    """Draw, for each series, the share of its trials, or of its samples over time, up to a value."""
    name = view.measured()
    of_trials = any(item.name == name for item in view.experiment.metrics)
    what, unit = ("trials" if of_trials else "samples"), view.unit(name)
    groups = view.groups(pool=True)
    marks: list[Mark] = []
    sizes, without, beyond = [], [], 0
    for style, group in enumerate(groups):
        values, late = view.finished(group.points, name), view.unfinished(group.points, name)
        if not of_trials:
            series = view.series(group, name)
            values = [value for item in series for value in item.values if drawable(value)]
            unit = series[0].unit if series else unit
        shown = sorted(value for value in values if value > 0 or not view.log("x"))
        beyond += len(values) - len(shown)
        sizes.append(len(shown) + late)
        if shown:
            marks.append(Trace(_steps(shown, late), style, marked=False, step=True, few=6 if len(groups) > 1 else 0))
        else:
            without.append(group.label)
        published = view.publishes(name, group.labels)
        if published is not None:
            marks.append(Trace((Dot(published, 0.0), Dot(published, 1.0)), style, True, marked=False, few=1))
    traces = [mark for mark in marks if isinstance(mark, Trace)]
    across = numbers_axis(
        with_unit(name, unit), [dot.x for trace in traces for dot in trace.dots], log=view.log("x"), air=0.03
    )
    counts = f"{min(sizes)} to {max(sizes)}" if len(set(sizes)) > 1 else str(max(sizes, default=0))
    note = f"Share of {what} up to a value; {counts} {what} per line{_pooled(view, groups)}."
    warnings = missing(view, name) if of_trials else without_series(name, without)
    if beyond:
        warnings.append(f"Not positive, so not shown on a logarithmic axis: {beyond} {what}.")
    panel = Axes(across, Scale(f"share of {what}", low=0.0, high=1.0), tuple(marks))
    paper = any(trace.published for trace in traces)
    return chart(view, name, [panel], groups, "line", paper=paper, apart=True, note=note, warnings=warnings)


def _pooled(view: FigureData, groups: Sequence[Group]) -> str:
    """Return a note if a line combines several points."""
    if len(view.points) <= len(groups):
        return ""
    return ", of all points combined" if len(groups) == 1 else ", of all points with its label"


def _steps(values: Sequence[float], late: int) -> tuple[Dot, ...]:
    """Return the empirical distribution of sorted values and ``late`` larger ones, thinned to what is visible."""
    dots = [Dot(values[0], 0.0)]
    every = max(1, len(values) // 1000)
    for index, value in enumerate(values, 1):
        if index % every == 0 or index == len(values):
            dots.append(Dot(value, index / (len(values) + late)))
    return tuple(dots)


_BINS = 200  # of the mean of several trials


def time_series(view: FigureData) -> Chart:
    """Draw, for each series, the mean of its trials over virtual time, in an error band."""
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
        note += f"; lines: mean of {f'{min(counts)} to ' if len(set(counts)) > 1 else ''}{max(counts)} trials"
    note += f"; bands: {ERRORS[view.figure.errors]}." if bands and view.figure.errors else "."
    warnings = without_series(name, without)
    return chart(view, name, [panel], groups, "line", paper=False, apart=True, note=note, warnings=warnings)


def _together(
    found: Sequence[TimeSeries], errors: str | None
) -> tuple[list[float], list[float], list[float], list[float]]:
    """Return times, the mean over the trials, and the edges of the error band (none for a single trial)."""
    if len(found) == 1:
        return found[0].t_s, found[0].values, [], []
    stamps_s = [series.t_s for series in found]
    begin = max(stamps[0] for stamps in stamps_s)
    end = max(min(stamps[-1] for stamps in stamps_s), begin)
    count = min(_BINS, max(map(len, stamps_s)))
    times = [begin + (end - begin) * index / max(count - 1, 1) for index in range(count)]
    means, lows, highs = [], [], []
    for t_s in times:
        indexes = (max(bisect.bisect_right(stamps, t_s) - 1, 0) for stamps in stamps_s)
        values = [series.values[index] for series, index in zip(found, indexes, strict=True)]
        mean = math.fsum(values) / len(values)
        means.append(mean)
        deviation = statistics.stdev(values)
        half = half_width(deviation, len(values)) if errors == "ci95" else deviation
        lows.append(min(values) if errors == "range" else mean - half)
        highs.append(max(values) if errors == "range" else mean + half)
    return (times, means, lows, highs) if errors else (times, means, [], [])
