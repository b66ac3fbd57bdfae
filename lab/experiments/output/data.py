# SPDX-License-Identifier: MIT
"""Results as a figure needs them: its points, its series, their means and error bars, the paper's values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from lab.drawing.marks import Dot
from lab.experiments.types import Axis, Experiment, FigureSpec, Point, Results, Summary
from lab.numbers import short
from lab.probes.base import TimeSeries
from lab.text import capitalized

_MOST = 1e150


def drawable(value: float) -> bool:
    """Return whether a number can be drawn: it is finite, and so are sums, differences and shares."""
    return value == 0 or 1 / _MOST < abs(value) < _MOST


def words(name: str) -> str:
    """Return a name of the file in words: ``transfer_time`` → ``transfer time``."""
    return name.replace("_", " ")


def with_unit(name: str, unit: str | None) -> str:
    """Return a name and its unit, as the label of an axis."""
    return f"{words(name)}, {unit}" if unit and unit != "1" else words(name)


@dataclass(frozen=True)
class Group:
    """A series of a figure: the points that share the labels of its axes."""

    label: str
    labels: dict[str, str]
    points: tuple[Point, ...]


@dataclass(frozen=True)
class FigureData:
    """Results as a figure needs them."""

    results: Results
    figure: FigureSpec
    name: str

    @property
    def experiment(self) -> Experiment:
        """The experiment."""
        return self.results.experiment

    @cached_property
    def points(self) -> list[Point]:
        """The points that the figure shows, in the order of the grid."""
        where = self.figure.where.items()
        return [point for point in self.experiment.points if where <= point.labels.items()]

    @cached_property
    def _rows(self) -> dict[int, dict[str, Summary]]:
        return {row.point.number: row.metrics for row in self.results.rows}

    def summary(self, point: Point, metric: str) -> Summary | None:
        """Return the result of a metric at a point; None if the point was not run."""
        return self._rows.get(point.number, {}).get(metric)

    def mean(self, point: Point, metric: str) -> float | None:
        """Return the mean; None also for what cannot be drawn."""
        found = self.summary(point, metric)
        mean = found.mean if found and found.n else None
        if mean is None or not drawable(mean):
            return None
        return None if self.log("y") and mean <= 0 else mean

    def values(self, points: Iterable[Point], metric: str) -> list[float]:
        """Return the values of all trials of these points."""
        found = (self.summary(point, metric) for point in points)
        return [value for item in found if item for value in item.values if drawable(value)]

    def finished(self, points: Iterable[Point], metric: str) -> list[float]:
        """Return the values of the trials of these points that finished."""
        found = [one for point in points if (one := self.summary(point, metric))]
        values = [value for one in found for index, value in enumerate(one.values) if index not in one.bounds]
        return [value for value in values if drawable(value)]

    def unfinished(self, points: Iterable[Point], metric: str) -> int:
        """Return how many trials of these points did not finish."""
        return sum(found.unfinished for point in points if (found := self.summary(point, metric)))

    def axis(self, name: str) -> Axis:
        """Return an axis of the grid; one without levels if the name is unknown."""
        return next((axis for axis in self.experiment.axes if axis.name == name), Axis(name, ()))

    def levels(self, name: str) -> list[str]:
        """Return the labels of an axis that points use, in its order."""
        there = {point.labels.get(name) for point in self.points}
        return [level.label for level in self.axis(name).levels if level.label in there]

    def unit(self, metric: str) -> str:
        """Return the unit of a metric."""
        return next((item.unit for item in self.experiment.metrics if item.name == metric), "")

    def log(self, axis: str) -> bool:
        """Return whether an axis (x or y) is logarithmic."""
        return axis in self.figure.log

    def number(self, axis: str, label: str) -> float | None:
        """Return the number of a label, in the unit of its axis; None if it is a name."""
        return next((level.number for level in self.axis(axis).levels if level.label == label), None)

    def groups(self, *across: str, pool: bool = False) -> list[Group]:
        """Return the series: by ``by``, and by further axes that distinguish points with equal labels on ``across``.

        ``pool``: only by ``by``.
        """
        axes = [self.figure.by] if self.figure.by and self.figure.by not in across else []
        free = [axis.name for axis in self.experiment.axes if axis.name not in (*axes, *across)]
        while not pool and free and not self._unique([*across, *axes]):
            axes.append(free.pop(0))
        axes = [axis for axis in axes if len(self.levels(axis)) > 1 or axis == self.figure.by]
        members: dict[tuple[str, ...], list[Point]] = {}
        for point in self.points:
            members.setdefault(tuple(point.labels.get(axis, "") for axis in axes), []).append(point)
        order = {axis: {label: index for index, label in enumerate(self.levels(axis))} for axis in axes}
        keys = sorted(
            members, key=lambda key: [order[axis].get(label, 0) for axis, label in zip(axes, key, strict=True)]
        )
        return [
            Group(
                ", ".join(self.named(axis, label) for axis, label in zip(axes, key, strict=True)),
                dict(zip(axes, key, strict=True)),
                tuple(members[key]),
            )
            for key in keys
        ]

    def _unique(self, axes: list[str]) -> bool:
        places = [tuple(point.labels.get(axis) for axis in axes) for point in self.points]
        return len(set(places)) == len(places)

    def named(self, axis: str, label: str) -> str:
        """Return a label for a place that does not name the axis: numbers get its name."""
        return label if self.number(axis, label) is None else f"{words(axis)} {label}"

    def publishes(self, metric: str, labels: Mapping[str, str]) -> float | None:
        """Return the paper's value; None also for what cannot be drawn."""
        value = self.experiment.paper_value(metric, {**labels, **self.figure.where})
        return None if value is None or not drawable(value) or (self.log("y") and value <= 0) else value

    def paper_words(self, metric: str, value: float) -> str:
        """Return the paper's value in words: ``published: 1.2 s``, or ``computed: 1.2 s``."""
        word = "computed" if self.experiment.computed_by(metric) else "published"
        return f"{word}: {short(value)} {self.unit(metric)}"

    def apart(self, groups: Sequence[Group], metric: str) -> bool:
        """Return whether the paper has values per series of the figure, instead of one for all."""
        axes = self.experiment.paper_axes(metric)
        return len(groups) == 1 or any(axis in axes for group in groups for axis in group.labels)

    def measured(self) -> str:
        """Return the metric or series that a cdf or a time series shows: x or y, whichever names one."""
        known = {item.name for item in self.experiment.metrics}
        known |= {name for outcome in self.results.outcomes for name in outcome.series}
        return next((name for name in (self.figure.x, self.figure.y) if name in known), self.figure.y)

    def series(self, group: Group, name: str) -> list[TimeSeries]:
        """Return the series of that name of all trials of a group."""
        numbers = {point.number for point in group.points}
        outcomes = (found for found in self.results.outcomes if found.point in numbers)
        return [found.series[name] for found in outcomes if name in found.series and found.series[name].t_ns]

    def dot(self, x: float, point: Point, metric: str) -> Dot:
        """Return the mean with its error bar; a gap without a mean."""
        found, mean = self.summary(point, metric), self.mean(point, metric)
        place = ", ".join(point.labels.values())
        if found is None or mean is None:
            return Dot(x, None, tip=f"{place}: no value")
        low, high = _error(found, mean, self.figure.errors)
        return Dot(x, mean, low, high, f"{place}: {described(found)}", beyond=bool(found.unfinished))

    def title(self, default: str) -> str:
        """Return the file's title, or a default."""
        return self.figure.title or capitalized(default)


def described(found: Summary) -> str:
    """Format a result: ``1.45 ± 0.03 s (n = 10)``, ``> 12 s (n = 10, of which 3 did not finish)``."""
    if found.mean is None:
        return "no value"
    if found.unfinished:
        return f"> {short(found.mean)} {found.unit} (n = {found.n}, of which {found.unfinished} did not finish)"
    half = "" if found.ci95 is None else f" \N{PLUS-MINUS SIGN} {short(found.ci95, 2)}"
    return f"{short(found.mean)}{half} {found.unit} (n = {found.n})"


def _error(found: Summary, mean: float, errors: str | None) -> tuple[float | None, float | None]:
    if errors == "range" and found.n > 1 and not found.unfinished:
        return min(found.values), max(found.values)
    half = {"ci95": found.ci95, "deviation": found.deviation}.get(errors or "")
    return (None, None) if half is None or not drawable(half) else (mean - half, mean + half)
