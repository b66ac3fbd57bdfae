# SPDX-License-Identifier: MIT
"""Series of a metric over the grid of an experiment, as claims name them.

``throughput[quick]`` is the metric at all points with that label, in the order of the grid. Its places are told by the
axes that are left: those that no label of it fixes and that do not follow from one (axes that advance together).
``paper.throughput[quick]`` is what the paper published for these points.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from lab.errors import InputError, suggestion
from lab.experiments.analysis import published
from lab.experiments.labels import meant
from lab.experiments.types import Axis, Experiment, Metric, Point

Place = tuple[tuple[str, str], ...]  # (axis, label) of the axes that are left
_LISTED_MAX = 12  # labels of an axis in a message
_PAPER = "paper."  # before a name: the paper's numbers, not those measured


@dataclass(frozen=True)
class Series:
    """Values of one statement, place by place; one at least."""

    places: tuple[Place, ...]
    values: tuple[Any, ...]

    def each(self, operation: Callable[[Any], Any]) -> Series:
        """The operation on each value."""
        return Series(self.places, tuple(map(operation, self.values)))

    def items(self) -> Iterator[tuple[Place, Any]]:
        """Places with their values."""
        return zip(self.places, self.values, strict=True)

    def line(self) -> str | None:
        """The axis that the places are in a line along; None where they are not in a line."""
        for index in range(len(self.places[0])):
            labels = {place[index] for place in self.places}
            if len(labels) == len(self.places):
                return self.places[0][index][0]
        return None


def paired(operation: Callable[[Any, Any], Any], left: Any, right: Any) -> Any:
    """The operation, place by place where a side is a series.

    Raises:
        InputError: two series over different places.
    """
    if isinstance(left, Series) and isinstance(right, Series):
        if left.places != right.places:
            raise InputError(_unpaired(left.places, right.places))
        return Series(left.places, tuple(map(operation, left.values, right.values)))
    if isinstance(left, Series):
        return left.each(lambda value: operation(value, right))
    if isinstance(right, Series):
        return right.each(lambda value: operation(left, value))
    return operation(left, right)


def _unpaired(left: tuple[Place, ...], right: tuple[Place, ...]) -> str:
    axes = [" and ".join(axis for axis, _ in places[0]) for places in (left, right)]
    if axes[0] != axes[1]:
        return f"a series over {axes[0]} cannot be paired with one over {axes[1]}; fix the same axes on both sides"
    lonely = next(place for place in (*left, *right) if (place in left) != (place in right))
    side = "left" if lonely in left else "right"
    return f"two series cannot be paired: only the one on the {side} is at {told(lonely)}"


def told(place: Place) -> str:
    """A place for a reader: ``distance 2 m, roaming quick``."""
    return ", ".join(f"{axis} {label}" for axis, label in place)


@dataclass(frozen=True)
class Selection:
    """A metric at some points. ``places`` None: a single point, whose value is no series."""

    metric: Metric
    points: tuple[Point, ...]
    places: tuple[Place, ...] | None
    published: tuple[float, ...] = ()  # by point, in the metric's unit; empty: what was measured is meant


class Grid:
    """The axes and points of an experiment, to look series up in."""

    def __init__(self, experiment: Experiment) -> None:
        self.axes: dict[str, Axis] = {axis.name: axis for axis in experiment.axes}
        self.points = experiment.points
        self.published = experiment.published
        self.metrics = {metric.name: metric for metric in experiment.metrics}
        self.usual = self._usual(experiment)

    def _usual(self, experiment: Experiment) -> Metric | None:
        """The metric that a label alone is of: the only one, or the one that all figures show."""
        if len(self.metrics) == 1:
            return next(iter(self.metrics.values()))
        drawn = {name for figure in experiment.figures for name in (figure.x, figure.y, figure.value)}
        shown = [metric for name, metric in self.metrics.items() if name in drawn]
        return shown[0] if len(shown) == 1 else None

    def find(self, name: str, labels: Iterable[tuple[str | None, str]] = ()) -> Selection:
        """The points that a name and labels stand for.

        Args:
            name: a metric; or a label, then of the usual metric; ``paper.`` before it: what the paper has there.
            labels: each with its axis; None: the only axis that has it.

        Raises:
            InputError: there is no such series, its points are not among those that are run (``--only``), or the
                paper has no number for one of them.
        """
        if name.startswith(_PAPER) and not self._axes_with(name):
            return self._of_paper(self.find(name.removeprefix(_PAPER), labels))
        wanted = list(labels)
        metric = self.metrics.get(name)
        if metric is None:
            wanted.insert(0, (None, self._known(name)))
            metric = self._usual_of(name)
        elif any(name in self._labels(axis) for axis in self.axes):
            raise InputError(f'"{name}" is a metric and a label; rename one of them')
        fixed: dict[str, str] = {}
        for said, label in wanted:
            axis, found = self._label(said, label)
            if fixed.setdefault(axis, found) != found:
                raise InputError(f"a point has one {axis}, not {fixed[axis]} and {found}")
        return self._select(metric, fixed)

    def _of_paper(self, found: Selection) -> Selection:
        """The same points, with what the paper has for them."""
        metric, numbers, lacking = found.metric.name, [], []
        for point in found.points:
            number = published.find(self.published, metric, point.labels)
            if number is None:
                lacking.append(told(tuple(point.labels.items())))
            else:
                numbers.append(number)
        if not numbers and all(entry.metric != metric for entry in self.published):
            raise InputError(f"the paper has no {metric}; its numbers stand in the file, under paper: {metric}:")
        if lacking:
            more = f" and at {len(lacking) - 1} more" if len(lacking) > 1 else ""
            raise InputError(
                f"the paper has no {metric} at {lacking[0]}{more}; fix a label that it has, such as "
                f"{_PAPER}{metric}[{self._labelled(metric)}]"
            )
        return replace(found, published=tuple(numbers))

    def _labelled(self, metric: str) -> str:
        """The labels of the first number that the paper has of a metric, as they stand in brackets."""
        first = next(entry for entry in self.published if entry.metric == metric)
        return ", ".join(f"{axis}={label}" for axis, label in first.labels.items())

    def _known(self, name: str) -> str:
        """The name, if it is a label."""
        if self._axes_with(name):
            return name
        if name in self.axes:
            raise InputError(f'"{name}" is an axis; write one of its labels: {_listed(self._labels(name))}')
        metric, dot, figure = name.partition(".")
        if dot and metric in self.metrics:
            that, unit = self.metrics[metric].that, self.metrics[metric].unit
            plain = that.replace("-", "_").isidentifier()  # else it is a calculation, which has no other figures
            add = f', such as {metric}-{figure}: {{that: {that}.{figure}, unit: "{unit}"}}' if plain else " for it"
            raise InputError(f'claims are about the means of metrics, not "{name}"; add a metric{add}')
        labels = [label for axis in self.axes for label in self._labels(axis)]
        known = [f"the metrics {', '.join(self.metrics)}"]
        known += [f"the labels {_listed(self._labels(axis))} of {axis}" for axis in self.axes]
        alike = suggestion(name, [*self.metrics, *labels])
        raise InputError(f'there is no series "{name}"{alike}; known: {"; ".join(known)}')

    def _usual_of(self, name: str) -> Metric:
        if self.usual is None:
            raise InputError(
                f'"{name}" could be of several metrics; write {" or ".join(f"{each}[{name}]" for each in self.metrics)}'
            )
        return self.usual

    def _labels(self, axis: str) -> list[str]:
        return [level.label for level in self.axes[axis].levels]

    def _axes_with(self, label: str) -> dict[str, str]:
        """Axes that have the label, with how it is written there."""
        found = {axis: meant(self._labels(axis), label) for axis in self.axes}
        exact = {axis: one for axis, one in found.items() if one == label}
        return exact or {axis: one for axis, one in found.items() if one is not None}

    def _label(self, axis: str | None, label: str) -> tuple[str, str]:
        """The axis of a label, and the label as it is written there."""
        if axis is not None and axis not in self.axes:
            raise InputError(
                f'there is no axis "{axis}"{suggestion(axis, self.axes)}; known: {", ".join(self.axes) or "none"}'
            )
        found = self._axes_with(label)
        if axis is not None:
            if axis not in found:
                known = self._labels(axis)
                raise InputError(f'{axis} has no label "{label}"{suggestion(label, known)}; known: {_listed(known)}')
            return axis, found[axis]
        if len(found) > 1:
            raise InputError(
                f'"{label}" is a label of {" and ".join(found)}; write {" or ".join(f"{one}={label}" for one in found)}'
            )
        if not found:
            alike = suggestion(label, [known for one in self.axes for known in self._labels(one)])
            options = (
                "; ".join(f"{one}: {_listed(self._labels(one))}" for one in self.axes) or "none, there are no axes"
            )
            raise InputError(f'no axis has a label "{label}"{alike}; known: {options}')
        return next(iter(found.items()))

    def _select(self, metric: Metric, fixed: Mapping[str, str]) -> Selection:
        points = tuple(point for point in self.points if _has(point, fixed))
        if not points:
            place = told(tuple(fixed.items()))
            if all(any(_has(point, {axis: fixed[axis]}) for point in self.points) for axis in fixed):
                raise InputError(f"no point of the grid is at {place}: axes that advance together are in step")
            raise InputError(f"no point at {place} is run")
        left = [axis for axis in self.axes if axis not in fixed and not self._follows(axis, tuple(fixed))]
        if not left and len(points) == 1:
            return Selection(metric, points, None)
        return Selection(metric, points, tuple(tuple((axis, point.labels[axis]) for axis in left) for point in points))

    def _follows(self, axis: str, fixed: tuple[str, ...]) -> bool:
        """Whether all points that are alike in the fixed axes are alike in this one."""
        found: dict[tuple[str, ...], str] = {}
        return all(
            found.setdefault(tuple(point.labels[one] for one in fixed), point.labels[axis]) == point.labels[axis]
            for point in self.points
        )


def _has(point: Point, fixed: Mapping[str, str]) -> bool:
    return all(point.labels[axis] == label for axis, label in fixed.items())


def _listed(labels: list[str]) -> str:
    return ", ".join(labels[:_LISTED_MAX]) + (", …" if len(labels) > _LISTED_MAX else "")
