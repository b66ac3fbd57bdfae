# SPDX-License-Identifier: MIT
"""The charts of an experiment, from its results: what the file's ``figure:`` asks for, with the paper's numbers.

A value that is missing stays a gap, gets a cross on the axis, and is told in words below the title.
"""

from __future__ import annotations

import bisect
import math
import statistics
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from lab.experiments import published
from lab.experiments.chart import (
    Area,
    Bar,
    Box,
    Cell,
    Chart,
    Dash,
    Dot,
    Key,
    Look,
    Mark,
    Panel,
    Ramp,
    Scale,
    Trace,
)
from lab.experiments.types import Axis, Experiment, Figure, Outcome, Point, Results, Series, Summary
from lab.report.numbers import NONE, plain

_NAMED = 5  # missing points that are named; of more only the number is told
_BINS = 200  # of a time series that is the mean of several trials
_ERRORS = {
    "ci95": "95 % confidence interval of the mean (Student's t)",
    "deviation": "\N{PLUS-MINUS SIGN} one standard deviation of the trials",
    "range": "from the least to the greatest trial",
}


def charts(results: Results) -> list[Chart]:
    """All of them, named figure-1, figure-2, …"""
    return [
        _KINDS[figure.kind](_View(results, figure, f"figure-{number}"))
        for number, figure in enumerate(results.experiment.figures, 1)
    ]


def words(name: str) -> str:
    """A name of the file as it is read: ``transfer_time`` → ``transfer time``."""
    return name.replace("_", " ")


def _with_unit(name: str, unit: str | None) -> str:
    return f"{words(name)}, {unit}" if unit and unit != "1" else words(name)


@dataclass(frozen=True)
class _Group:
    """A series of a figure: the points that share the labels of its axes."""

    label: str
    labels: dict[str, str]
    points: tuple[Point, ...]


@dataclass(frozen=True)
class _View:
    """Results as one figure looks at them."""

    results: Results
    figure: Figure
    name: str

    @property
    def experiment(self) -> Experiment:
        return self.results.experiment

    @cached_property
    def points(self) -> list[Point]:
        """Those that the figure shows, in the order of the grid."""
        where = self.figure.where.items()
        return [point for point in self.experiment.points if where <= point.labels.items()]

    @cached_property
    def _rows(self) -> dict[int, dict[str, Summary]]:
        return {row.point.number: row.metrics for row in self.results.rows}

    def summary(self, point: Point, metric: str) -> Summary | None:
        return self._rows.get(point.number, {}).get(metric)

    def mean(self, point: Point, metric: str) -> float | None:
        """None also for what cannot be drawn."""
        found = self.summary(point, metric)
        mean = found.mean if found and found.n else None
        if mean is None or not math.isfinite(mean):
            return None
        return None if self.log("y") and mean <= 0 else mean

    def values(self, points: Iterable[Point], metric: str) -> list[float]:
        """Of all trials of these points."""
        found = (self.summary(point, metric) for point in points)
        return [value for item in found if item for value in item.values if math.isfinite(value)]

    def axis(self, name: str) -> Axis:
        """An axis of the grid; one without levels if there is none of that name."""
        return next((axis for axis in self.experiment.axes if axis.name == name), Axis(name, ()))

    def levels(self, name: str) -> list[str]:
        """The labels of an axis that occur, in its order."""
        there = {point.labels.get(name) for point in self.points}
        return [level.label for level in self.axis(name).levels if level.label in there]

    def unit(self, metric: str) -> str:
        return next((item.unit for item in self.experiment.metrics if item.name == metric), "")

    def log(self, axis: str) -> bool:
        return axis in self.figure.log

    def number(self, axis: str, label: str) -> float | None:
        return next((level.number for level in self.axis(axis).levels if level.label == label), None)

    def groups(self, *across: str, pool: bool = False) -> list[_Group]:
        """The series: by ``by``, and by what else tells points with equal labels on ``across`` apart.

        ``pool``: by ``by`` alone, whatever else differs.
        """
        told = [self.figure.by] if self.figure.by and self.figure.by not in across else []
        free = [axis.name for axis in self.experiment.axes if axis.name not in (*told, *across)]
        while not pool and free and not self._unique([*across, *told]):
            told.append(free.pop(0))
        told = [axis for axis in told if len(self.levels(axis)) > 1 or axis == self.figure.by]
        members: dict[tuple[str, ...], list[Point]] = {}
        for point in self.points:
            members.setdefault(tuple(point.labels.get(axis, "") for axis in told), []).append(point)
        order = {axis: {label: index for index, label in enumerate(self.levels(axis))} for axis in told}
        keys = sorted(
            members, key=lambda key: [order[axis].get(label, 0) for axis, label in zip(told, key, strict=True)]
        )
        return [
            _Group(
                ", ".join(self.told(axis, label) for axis, label in zip(told, key, strict=True)),
                dict(zip(told, key, strict=True)),
                tuple(members[key]),
            )
            for key in keys
        ]

    def _unique(self, axes: list[str]) -> bool:
        places = [tuple(point.labels.get(axis) for axis in axes) for point in self.points]
        return len(set(places)) == len(places)

    def told(self, axis: str, label: str) -> str:
        """A label where the axis is not named: numbers need its name."""
        return label if self.number(axis, label) is None else f"{words(axis)} {label}"

    def publishes(self, metric: str, labels: Mapping[str, str]) -> float | None:
        value = published.find(self.experiment.published, metric, {**labels, **self.figure.where})
        return None if value is None or not math.isfinite(value) or (self.log("y") and value <= 0) else value

    def dot(self, x: float, point: Point, metric: str) -> Dot:
        """The mean with its error bar; a gap where there is none."""
        found, mean = self.summary(point, metric), self.mean(point, metric)
        place = ", ".join(point.labels.values())
        if found is None or mean is None:
            return Dot(x, None, tip=f"{place}: no value")
        low, high = _error(found, mean, self.figure.errors)
        return Dot(x, mean, low, high, f"{place}: {told(found)}")

    def title(self, default: str) -> str:
        return self.figure.title or default[:1].upper() + default[1:]


def told(found: Summary) -> str:
    """``1.45 ± 0.03 s (n = 10)``."""
    if found.mean is None:
        return "no value"
    half = "" if found.ci95 is None else f" \N{PLUS-MINUS SIGN} {plain(found.ci95, 2)}"
    return f"{plain(found.mean)}{half} {found.unit} (n = {found.n})"


def _error(found: Summary, mean: float, kind: str | None) -> tuple[float | None, float | None]:
    if kind == "range" and found.n > 1:
        return min(found.values), max(found.values)
    half = {"ci95": found.ci95, "deviation": found.deviation}.get(kind or "")
    return (None, None) if half is None or not math.isfinite(half) else (mean - half, mean + half)


# Words


def _missing(view: _View, metric: str) -> list[str]:
    """What is not there, in words."""
    none, some, beyond = [], [], []
    for point in view.points:
        found = view.summary(point, metric)
        place = ", ".join(point.labels.values()) or "the only point"
        if found is None or not found.n or found.mean is None or not math.isfinite(found.mean):
            trials = found.missing if found else 0
            none.append(f"{place} ({_count(trials, 'trial')} without a value)" if trials else f"{place} (not run)")
        elif view.log("y") and found.mean <= 0 and view.figure.kind in ("line", "bar"):
            beyond.append(place)
        elif found.missing:
            some.append(f"{place} ({found.n} of {found.n + found.missing})")
    notes = []
    total = _count(len(view.points), "point")
    if none:
        notes.append(f"Missing, \N{MULTIPLICATION SIGN} on the axis: {len(none)} of {total}: {_listed(none)}.")
    if beyond:
        notes.append(f"Not to be shown on a logarithmic axis, since not above 0: {_listed(beyond)}.")
    if some:
        notes.append(f"From fewer trials than were run: {len(some)} of {total}: {_listed(some)}.")
    return notes


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}{'' if number == 1 else 's'}"


def _listed(items: Sequence[str]) -> str:
    shown = "; ".join(items[:_NAMED])
    return shown if len(items) <= _NAMED else f"{shown}; and {len(items) - _NAMED} more"


def _trials(counts: Iterable[int]) -> str:
    """``10 trials a point``, ``3 to 8 trials a point``."""
    found = [count for count in counts if count]
    if not found:
        return "no trial has a value"
    least, most = min(found), max(found)
    return f"{_count(most, 'trial')} a point" if least == most else f"{least} to {most} trials a point"


def _means(view: _View, metric: str, marks: Iterable[Mark]) -> str:
    """What points and error bars are."""
    found = [view.summary(point, metric) for point in view.points]
    text = f"Mean of {words(metric)}, {_trials(item.n for item in found if item)}"
    dots = [dot for mark in marks for dot in (mark.dots if isinstance(mark, Trace) else _dots(mark))]
    if view.figure.errors and any(dot.low is not None for dot in dots):
        return f"{text}. Error bars: {_ERRORS[view.figure.errors]}."
    return f"{text}; no error bars."


def _dots(mark: Mark) -> tuple[Dot, ...]:
    return (mark.dot,) if isinstance(mark, Bar) else ()


def _legend(
    view: _View, groups: Sequence[_Group], metric: str, look: Look, paper: bool, apart: bool
) -> tuple[Key, ...]:
    """Series by name; where a paper's numbers are drawn too, which marks are whose."""
    keys = [Key(group.label or words(metric), style, look) for style, group in enumerate(groups)]
    if len(keys) == 1 and not groups[0].label:
        keys = []
    if paper:
        source = published.source(view.experiment)
        says = f"published ({source})" if source else "published"
        style = None if apart else len(groups)
        if not keys:
            keys = [Key("this experiment", 0, look)]
            style = 0 if apart else style
        elif apart:
            keys.append(Key("this experiment", None, look))
        keys.append(Key(says, style, look, published=True))
    return tuple(keys)


# Scales


def _numbers(label: str, values: Iterable[float], *, log: bool = False, zero: bool = False, air: float = 0.06) -> Scale:
    """An axis that shows these values. ``zero``: from 0, unless that would hide what differs."""
    found = [value for value in values if math.isfinite(value) and (value > 0 or not log)]
    if not found:
        return Scale(label, low=0.1 if log else 0.0, high=1.0, log=log)
    low, high = min(found), max(found)
    if log:
        room = (high / low) ** air if high > low else 2.0
        return Scale(label, low=low / room, high=high * room, log=True)
    span = high - low or abs(high) or 1.0
    if zero and low >= 0:
        return Scale(label, low=0.0, high=high + high * air or 1.0)
    if zero and high <= 0:
        return Scale(label, low=low + low * air or -1.0, high=0.0)
    return Scale(label, low=low - span * air, high=high + span * air)


def _extent(marks: Iterable[Mark]) -> Iterator[float]:
    """All that the y axis has to show."""
    for mark in marks:
        dots = mark.dots if isinstance(mark, Trace) else _dots(mark)
        for dot in dots:
            yield from (value for value in (dot.y, dot.low, dot.high) if value is not None)
        if isinstance(mark, Box) and mark.quartiles:
            yield from (*mark.whiskers, *mark.outside)
        elif isinstance(mark, Dash):
            yield mark.y
        elif isinstance(mark, Area):
            yield from (*mark.low, *mark.high)


def _values(view: _View, label: str, marks: Sequence[Mark], *, bars: bool = False) -> Scale:
    """The y axis."""
    shown = list(_extent(marks))
    if not view.log("y"):
        wide = bool(shown) and (min(shown) < 0.7 * max(shown) or min(shown) <= 0)
        return _numbers(label, shown, zero=bars or (wide and min(shown, default=0) >= 0))
    centres = [dot.y for mark in marks for dot in (mark.dots if isinstance(mark, Trace) else _dots(mark)) if dot.y]
    above = [value for value in shown if value > min(centres, default=0) / 30]  # a bar that reaches to 0 sets no scale
    scale = _numbers(label, above, log=True)
    if not bars:
        return scale
    return Scale(label, low=10.0 ** math.floor(math.log10(scale.low)), high=scale.high, log=True)


def _names(view: _View, axis: str) -> Scale:
    """An axis of names; where all are numbers of one unit, the unit is told once."""
    levels, unit = view.levels(axis), view.axis(axis).unit
    if unit and levels and all(label.endswith(f" {unit}") for label in levels):
        return Scale(_with_unit(axis, unit), tuple(label.removesuffix(f" {unit}") for label in levels))
    return Scale(words(axis), tuple(levels) or ("",))


# Kinds


def _line(view: _View) -> Chart:
    x, metric = view.figure.x, view.figure.y
    groups, levels = view.groups(x), view.levels(x)
    numbers = [view.number(x, label) for label in levels]
    if levels and all(number is not None and (number > 0 or not view.log("x")) for number in numbers):
        at = {label: float(number) for label, number in zip(levels, numbers, strict=True) if number is not None}
        scale = _numbers(_with_unit(x, view.axis(x).unit), at.values(), log=view.log("x"), air=0.03)
        if not scale.log and 0 <= min(at.values()) <= 0.25 * max(at.values()):
            scale = Scale(scale.label, low=0.0, high=scale.high)
    else:
        at = {label: float(index) for index, label in enumerate(levels)}
        scale = _names(view, x)
    marks: list[Mark] = []
    theirs, apart = _published_lines(view, groups, at)
    marks += theirs
    for style, group in enumerate(groups):
        dots = sorted((view.dot(at[point.labels[x]], point, metric) for point in group.points), key=lambda dot: dot.x)
        marks.append(Trace(tuple(dots), style))
    panel = Panel(scale, _values(view, _with_unit(metric, view.unit(metric)), marks), tuple(marks))
    return _chart(view, metric, [panel], groups, "line", paper=bool(theirs), apart=apart)


def _published_lines(view: _View, groups: Sequence[_Group], at: Mapping[str, float]) -> tuple[list[Trace], bool]:
    """The paper's lines; and whether it tells the series apart, or has one line for all."""
    x, metric = view.figure.x, view.figure.y
    apart = _apart(view, groups, metric)
    lines = []
    for style, labels in enumerate([group.labels for group in groups] if apart else [{}], 0 if apart else len(groups)):
        found = [(at[label], view.publishes(metric, labels | {x: label})) for label in at]
        dots = [
            Dot(place, value, tip=f"published: {plain(value)} {view.unit(metric)}")
            for place, value in sorted(found)
            if value is not None
        ]
        if dots:
            lines.append(Trace(tuple(dots), style, published=True))
    return lines, apart


def _apart(view: _View, groups: Sequence[_Group], metric: str) -> bool:
    """Whether the paper tells the series of the figure apart."""
    axes = published.axes(view.experiment.published, metric)
    return len(groups) == 1 or any(axis in axes for group in groups for axis in group.labels)


def _bar(view: _View) -> Chart:
    x, metric = view.figure.x, view.figure.y
    groups, levels = view.groups(x), view.levels(x)
    apart = _apart(view, groups, metric)
    slots: list[tuple[int, _Group | None, bool]] = []  # style, whose, published
    for style, group in enumerate(groups):
        slots.append((style, group, False))
        if apart and any(view.publishes(metric, group.labels | {x: label}) is not None for label in levels):
            slots.append((style, group, True))
    if not apart and any(view.publishes(metric, {x: label}) is not None for label in levels):
        slots.append((len(groups), None, True))
    width = 0.8 / max(len(slots), 1)
    place = {label: index for index, label in enumerate(levels)}
    marks: list[Mark] = []
    for slot, (style, owner, theirs) in enumerate(slots):
        edges = (-0.4 + slot * width + width * 0.06, -0.4 + (slot + 1) * width - width * 0.06)
        labels = owner.labels if owner else {}
        if theirs:
            for label, index in place.items():
                value = view.publishes(metric, labels | {x: label})
                if value is not None:
                    dot = Dot(index, value, tip=f"published: {plain(value)} {view.unit(metric)}")
                    marks.append(Bar(index + edges[0], index + edges[1], dot, style, published=True))
            continue
        for point in owner.points if owner else ():
            index = place[point.labels[x]]
            middle = index + (edges[0] + edges[1]) / 2
            marks.append(Bar(index + edges[0], index + edges[1], view.dot(middle, point, metric), style))
    panel = Panel(_names(view, x), _values(view, _with_unit(metric, view.unit(metric)), marks, bars=True), tuple(marks))
    return _chart(view, metric, [panel], groups, "bar", paper=any(slot[2] for slot in slots), apart=apart)


def _box(view: _View) -> Chart:
    x, metric = view.figure.x, view.figure.y
    groups, levels = view.groups(x), view.levels(x)
    apart = _apart(view, groups, metric)
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
                tip = f"published: {plain(value)} {view.unit(metric)}"
                marks.append(Dash(left - width * 0.08, right + width * 0.08, value, style, tip))
                paper = True
    if not apart:
        for index, label in enumerate(levels):
            value = view.publishes(metric, {x: label})
            if value is not None:
                marks.append(Dash(index - 0.42, index + 0.42, value, len(groups), f"published: {plain(value)}"))
                paper = True
    panel = Panel(_names(view, x), _values(view, _with_unit(metric, view.unit(metric)), marks), tuple(marks))
    counts = (found.n for point in view.points if (found := view.summary(point, metric)))
    note = (
        f"{words(metric).capitalize()}, {_trials(counts)}. Boxes: quartiles and median; whiskers: the furthest trials "
        "within 1.5 times the height of the box; dots: trials beyond."
    )
    return _chart(view, metric, [panel], groups, "box", paper=paper, apart=apart, note=note)


def _box_of(view: _View, point: Point, metric: str, left: float, right: float, style: int) -> Box:
    values = sorted(view.values([point], metric))
    if view.log("y"):
        values = [value for value in values if value > 0]
    place = ", ".join(point.labels.values())
    if not values:
        return Box(left, right, style, None, tip=f"{place}: no value")
    lower, median, upper = (_quantile(values, share) for share in (0.25, 0.5, 0.75))
    reach = 1.5 * (upper - lower)
    inside = [value for value in values if lower - reach <= value <= upper + reach]
    outside = tuple(value for value in values if not lower - reach <= value <= upper + reach)
    tip = f"{place}: median {plain(median)}, quartiles {plain(lower)} and {plain(upper)}, n = {len(values)}"
    return Box(left, right, style, (lower, median, upper), (inside[0], inside[-1]), outside, tip)


def _quantile(values: Sequence[float], share: float) -> float:
    """Of sorted values, by linear interpolation (Hyndman and Fan's type 7)."""
    place = share * (len(values) - 1)
    below = math.floor(place)
    above = min(below + 1, len(values) - 1)
    return values[below] + (values[above] - values[below]) * (place - below)


def _cdf(view: _View) -> Chart:
    metric = _measured(view)
    known = {item.name for item in view.experiment.metrics}
    groups = view.groups(pool=True)
    marks: list[Mark] = []
    paper = False
    sizes, unit = [], view.unit(metric)
    for style, group in enumerate(groups):
        if metric in known:
            values = sorted(view.values(group.points, metric))
        else:
            series = [item for _, item in _series(view, group, metric)]
            values = sorted(value for item in series for value in item.values if math.isfinite(value))
            unit = series[0].unit if series else unit
        values = [value for value in values if value > 0 or not view.log("x")]
        sizes.append(len(values))
        if values:
            marks.append(Trace(_steps(values), style, marked=False, step=True, few=6 if len(groups) > 1 else 0))
        value = view.publishes(metric, group.labels)
        if value is not None:
            marks.append(Trace((Dot(value, 0.0), Dot(value, 1.0)), style, published=True, marked=False, few=1))
            paper = True
    across = [dot.x for mark in marks if isinstance(mark, Trace) for dot in mark.dots]
    scale = _numbers(_with_unit(metric, unit), across, log=view.log("x"), air=0.03)
    panel = Panel(
        scale, Scale(f"share of {'trials' if metric in known else 'samples'}", low=0.0, high=1.0), tuple(marks)
    )
    what = "trials" if metric in known else "samples"
    counts = f"{min(sizes)} to {max(sizes)}" if len(set(sizes)) > 1 else str(max(sizes, default=0))
    note = f"Share of {what} up to a value; {counts} {what} a line"
    pooled = len(view.points) > len(groups)
    note += (
        ", of all points together."
        if pooled and len(groups) == 1
        else ", of all points with its label."
        if pooled
        else "."
    )
    return _chart(view, metric, [panel], groups, "line", paper=paper, apart=True, note=note)


def _steps(values: Sequence[float]) -> tuple[Dot, ...]:
    """The empirical distribution of sorted values; thinned where more would not be seen."""
    dots = [Dot(values[0], 0.0)]
    every = max(1, len(values) // 1000)
    for index, value in enumerate(values, 1):
        if index % every == 0 or index == len(values):
            dots.append(Dot(value, index / len(values)))
    return tuple(dots)


def _measured(view: _View) -> str:
    """What a cdf or a time series is of: x or y, whichever names a metric or a series."""
    known = {item.name for item in view.experiment.metrics}
    known |= {name for outcome in view.results.outcomes for name in outcome.series}
    return next((name for name in (view.figure.x, view.figure.y) if name in known), view.figure.y)


def _series(view: _View, group: _Group, name: str) -> Iterator[tuple[Outcome, Series]]:
    """The series of that name of all trials of a group."""
    numbers = {point.number for point in group.points}
    for outcome in view.results.outcomes:
        if outcome.point in numbers and name in outcome.series and outcome.series[name].t_s:
            yield outcome, outcome.series[name]


def _time_series(view: _View) -> Chart:
    name = _measured(view)
    groups = view.groups(pool=True)
    marks: list[Mark] = []
    unit, counts, without = view.unit(name), [], []
    for style, group in enumerate(groups):
        found = [series for _, series in _series(view, group, name)]
        counts.append(len(found))
        if not found:
            without.append(group.label or "the only line")
            continue
        unit = found[0].unit
        times, means, lows, highs = _together(found, view.figure.errors)
        if lows:
            marks.append(Area(tuple(times), tuple(lows), tuple(highs), style))
        dots = tuple(Dot(t, value) for t, value in zip(times, means, strict=True))
        marks.append(Trace(dots, style, marked=False, few=8 if len(groups) > 1 else 0))
    across = [dot.x for mark in marks if isinstance(mark, Trace) for dot in mark.dots]
    scale = _numbers("virtual time, s", across, air=0.01)
    scale = Scale(scale.label, low=max(0.0, scale.low), high=scale.high)
    panel = Panel(scale, _values(view, _with_unit(name, unit), marks), tuple(marks))
    bands = any(isinstance(mark, Area) for mark in marks)
    note = f"{words(name).capitalize()} over time"
    if max(counts, default=0) > 1:
        note += (
            f"; lines: mean of {min(counts)} to {max(counts)} trials"
            if len(set(counts)) > 1
            else (f"; lines: mean of {counts[0]} trials")
        )
    note += f"; bands: {_ERRORS[view.figure.errors]}." if bands and view.figure.errors else "."
    warnings = [f"Missing: no trial has a series {name} for {_listed(without)}."] if without else []
    return _chart(view, name, [panel], groups, "line", paper=False, apart=True, note=note, warnings=warnings)


def _together(found: Sequence[Series], errors: str | None) -> tuple[list[float], list[float], list[float], list[float]]:
    """Times, mean over the trials, and the edges of their band (none of a single trial)."""
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
        half = statistics.stdev(values) * (_student(len(values)) / math.sqrt(len(values)) if errors == "ci95" else 1.0)
        lows.append(min(values) if errors == "range" else mean - half)
        highs.append(max(values) if errors == "range" else mean + half)
    return (times, means, lows, highs) if errors else (times, means, [], [])


def _student(n: int) -> float:
    """The two-sided 95 % quantile of Student's t with n - 1 degrees of freedom."""
    from scipy import special

    return float(special.stdtrit(n - 1, 0.975))


def _heat_map(view: _View) -> Chart:
    x, y, metric = view.figure.x, view.figure.y, view.figure.value or ""
    groups = view.groups(x, y)
    shown = [mean for point in view.points if (mean := view.mean(point, metric)) is not None]
    low, high = min(shown, default=0.0), max(shown, default=0.0)
    panels, paper = [], False
    for group in groups:
        cells: list[Mark] = []
        there = {(point.labels[x], point.labels[y]): point for point in group.points}
        for column, x_label in enumerate(view.levels(x)):
            for row, y_label in enumerate(view.levels(y)):
                point = there.get((x_label, y_label))
                mean = view.mean(point, metric) if point else None
                share = None if mean is None else (mean - low) / (high - low) if high > low else 0.5
                value = view.publishes(metric, group.labels | {x: x_label, y: y_label})
                text = NONE if mean is None else plain(mean, 3)
                found = view.summary(point, metric) if point else None
                tip = f"{x_label}, {y_label}: {told(found) if found else 'no value'}"
                paper |= value is not None
                says = f"({plain(value, 3)})" if value is not None else ""
                cells.append(Cell(column, row, share, text, says, tip))
        panels.append(Panel(_names(view, x), _names(view, y), tuple(cells), group.label))
    counts = (found.n for point in view.points if (found := view.summary(point, metric)))
    note = f"Mean of {words(metric)}, {_trials(counts)}."
    if paper:
        source = published.source(view.experiment)
        note += f" In brackets: published{f' ({source})' if source else ''}."
    ramp = Ramp(_with_unit(metric, view.unit(metric)), plain(low, 3), plain(high, 3)) if shown else None
    warnings = [text.replace(", \N{MULTIPLICATION SIGN} on the axis", ", dashed") for text in _missing(view, metric)]
    return Chart(
        view.name,
        view.title(f"{words(metric)} over {words(x)} and {words(y)}"),
        (note, *warnings),
        tuple(panels),
        ramp=ramp,
        warnings=tuple(warnings),
    )


def _chart(
    view: _View,
    metric: str,
    panels: list[Panel],
    groups: Sequence[_Group],
    look: Look,
    *,
    paper: bool,
    apart: bool,
    note: str = "",
    warnings: Sequence[str] | None = None,
) -> Chart:
    """Title, words and legend around the axes."""
    marks = [mark for panel in panels for mark in panel.marks]
    missing = _missing(view, metric) if warnings is None else list(warnings)
    if view.figure.kind == "cdf":  # there is no place on the axis for what is missing
        missing = [text.replace(", \N{MULTIPLICATION SIGN} on the axis", "") for text in missing]
    over = f" over {words(view.figure.x)}" if view.figure.x != metric else ""
    return Chart(
        view.name,
        view.title(f"{words(metric)}{over}"),
        (note or _means(view, metric, marks), *missing),
        tuple(panels),
        _legend(view, groups, metric, look, paper, apart),
        warnings=tuple(missing),
    )


_KINDS: dict[str, Callable[[_View], Chart]] = {
    "line": _line,
    "bar": _bar,
    "box": _box,
    "cdf": _cdf,
    "heat-map": _heat_map,
    "time-series": _time_series,
}
