# SPDX-License-Identifier: MIT
"""Series of a metric over the grid of an experiment, as claims name them.

``throughput[quick]`` is the metric at all points with that label, in grid order. Its places are the labels of the
remaining axes: those that no label fixes, directly or through an axis that advances with another.
``paper.throughput[quick]`` are the paper's values for these points.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from lab.errors import InputError, suggestion, unknown
from lab.experiments.labels import listed, matching_label
from lab.experiments.types import Axis, Experiment, Point, TrialMetric

Labels = tuple[tuple[str, str], ...]  # (axis, label) of the remaining axes
_LISTED_MAX = 12  # labels of an axis in a message
_PAPER = "paper."  # prefix of a name: the paper's values instead of the measured ones


@dataclass(frozen=True)
class Values:
    """Values of a statement by place; at least one."""

    places: tuple[Labels, ...]
    values: tuple[Any, ...]

    def each(self, operation: Callable[[Any], Any]) -> Values:
        """Apply the operation to each value."""
        return Values(self.places, tuple(map(operation, self.values)))

    def items(self) -> Iterator[tuple[Labels, Any]]:
        """Return places with their values."""
        return zip(self.places, self.values, strict=True)

    def line(self) -> str | None:
        """Return the axis along which the places lie; None if no axis has that name."""
        for index in range(len(self.places[0])):
            labels = {place[index] for place in self.places}
            if len(labels) == len(self.places):
                return self.places[0][index][0]
        return None


def paired(operation: Callable[[Any, Any], Any], left: Any, right: Any) -> Any:
    """Apply the operation, place by place if a side is a series.

    Raises:
        InputError: If two series are over different places.
    """
    if isinstance(left, Values) and isinstance(right, Values):
        if left.places != right.places:
            raise InputError(_unpaired(left.places, right.places))
        return Values(left.places, tuple(map(operation, left.values, right.values)))
    if isinstance(left, Values):
        return left.each(lambda value: operation(value, right))
    if isinstance(right, Values):
        return right.each(lambda value: operation(left, value))
    return operation(left, right)


def _unpaired(left: tuple[Labels, ...], right: tuple[Labels, ...]) -> str:
    axes = [" and ".join(axis for axis, _ in places[0]) for places in (left, right)]
    if axes[0] != axes[1]:
        return f"a series over {axes[0]} cannot be paired with one over {axes[1]}; fix the same axes on both sides"
    lonely = next(place for place in (*left, *right) if (place in left) != (place in right))
    side = "left" if lonely in left else "right"
    return f"the two series cannot be paired: only the one on the {side} has {describe(lonely)}"


def describe(place: Labels) -> str:
    """Format a place for a reader: ``distance 2 m, roaming quick``."""
    return ", ".join(f"{axis} {label}" for axis, label in place)


@dataclass(frozen=True)
class Selection:
    """A metric at some points. ``places`` None: a single point, so a value instead of a series."""

    metric: TrialMetric
    points: tuple[Point, ...]
    places: tuple[Labels, ...] | None
    published: tuple[float, ...] = ()  # by point, in the metric's unit; empty: use the measured values


class Selector:
    """Looks up series in the axes and points of an experiment."""

    def __init__(self, experiment: Experiment) -> None:
        self.axes: dict[str, Axis] = {axis.name: axis for axis in experiment.axes}
        self.points = experiment.points
        self.experiment = experiment
        self.metrics = {metric.name: metric for metric in experiment.metrics}

    def find(self, name: str, labels: Iterable[tuple[str | None, str]] = ()) -> Selection:
        """Return the points that a name stands for: a metric, or a label, which means the usual metric.

        The prefix ``paper.`` selects the paper's values. A label has its axis, or None for the only axis that has it.

        Raises:
            InputError: If the series does not exist, its points are not run (``--only``), or the paper has no value for
                one of them.
        """
        if name.startswith(_PAPER) and not self._axes_with(name):
            return self._of_paper(self.find(name.removeprefix(_PAPER), labels))
        wanted = list(labels)
        metric = self.metrics.get(name)
        if metric is None:
            wanted.insert(0, (None, self._known(name)))
            metric = self._usual(name)
        elif any(name in self._labels(axis) for axis in self.axes):
            raise InputError(f'"{name}" is a metric and a label; rename one of them')
        fixed: dict[str, str] = {}
        for given, label in wanted:
            axis, found = self._label(given, label)
            if fixed.setdefault(axis, found) != found:
                raise InputError(f"a point cannot have both {fixed[axis]} and {found} as {axis}; write one of them")
        return self._select(metric, fixed)

    def _of_paper(self, found: Selection) -> Selection:
        metric, numbers, lacking = found.metric.name, [], []
        for point in found.points:
            number = self.experiment.paper_value(metric, point.labels)
            if number is None:
                lacking.append(describe(tuple(point.labels.items())))
            else:
                numbers.append(number)
        if not numbers and all(entry.metric != metric for entry in self.experiment.published):
            raise InputError(f"the paper has no {metric}; write its values in the file under paper: {metric}:")
        if lacking:
            more = f" and at {len(lacking) - 1} more" if len(lacking) > 1 else ""
            raise InputError(
                f"the paper has no {metric} at {lacking[0]}{more}; fix a label that it has, such as "
                f"{_PAPER}{metric}[{self._labelled(metric)}]"
            )
        return replace(found, published=tuple(numbers))

    def _labelled(self, metric: str) -> str:
        """Return the labels of the paper's first value of a metric, as written in brackets."""
        first = next(entry for entry in self.experiment.published if entry.metric == metric)
        return ", ".join(f"{axis}={label}" for axis, label in first.labels.items())

    def _known(self, name: str) -> str:
        """Return the name if it is a label."""
        if self._axes_with(name):
            return name
        if name in self.axes:
            raise InputError(f'"{name}" is an axis; write one of its labels: {listed(self.axes[name], _LISTED_MAX)}')
        metric, dot, figure = name.partition(".")
        if dot and metric in self.metrics:
            that, unit = self.metrics[metric].that, self.metrics[metric].unit
            plain = that.replace("-", "_").isidentifier()  # else it is a calculation, which has no other statistics
            add = f', such as {metric}-{figure}: {{that: {that}.{figure}, unit: "{unit}"}}' if plain else " for it"
            raise InputError(f'claims are about the means of metrics, not "{name}"; add a metric{add}')
        labels = [label for axis in self.axes for label in self._labels(axis)]
        known = [f"the metrics {', '.join(self.metrics)}"]
        known += [f"the labels {listed(self.axes[axis], _LISTED_MAX)} of {axis}" for axis in self.axes]
        alike = suggestion(name, [*self.metrics, *labels])
        raise InputError(f'unknown series "{name}"{alike}; known: {"; ".join(known)}')

    def _usual(self, name: str) -> TrialMetric:
        """Return the metric of a label that stands alone: the only metric, or the only one drawn."""
        figures = self.experiment.figures
        drawn = {name for figure in figures for name in (figure.x, figure.y, figure.value)}
        for names in (self.metrics.keys(), self.metrics.keys() & drawn):
            if len(names) == 1:
                return self.metrics[next(iter(names))]
        raise InputError(
            f'"{name}" is ambiguous, since there are several metrics; write '
            f"{' or '.join(f'{each}[{name}]' for each in self.metrics)}"
        )

    def _labels(self, axis: str) -> list[str]:
        return [level.label for level in self.axes[axis].levels]

    def _axes_with(self, label: str) -> dict[str, str]:
        """Return the axes that have the label, with its spelling there."""
        found = {axis: matching_label(self._labels(axis), label) for axis in self.axes}
        exact = {axis: one for axis, one in found.items() if one == label}
        return exact or {axis: one for axis, one in found.items() if one is not None}

    def _label(self, axis: str | None, label: str) -> tuple[str, str]:
        """Return the axis of a label, and the label as spelled there."""
        if axis is not None and axis not in self.axes:
            raise InputError(unknown("axis", axis, self.axes))
        found = self._axes_with(label)
        if axis is not None:
            if axis not in found:
                known = listed(self.axes[axis], _LISTED_MAX)
                hint = suggestion(label, self._labels(axis))
                raise InputError(f'{axis} has no label "{label}"{hint}; known: {known}')
            return axis, found[axis]
        if len(found) > 1:
            raise InputError(
                f'"{label}" is a label of {" and ".join(found)}; write {" or ".join(f"{one}={label}" for one in found)}'
            )
        if not found:
            alike = suggestion(label, [known for one in self.axes for known in self._labels(one)])
            options = "; ".join(f"{name}: {listed(one, _LISTED_MAX)}" for name, one in self.axes.items())
            raise InputError(f'no axis has a label "{label}"{alike}; known: {options or "none, the grid has no axes"}')
        return next(iter(found.items()))

    def _select(self, metric: TrialMetric, fixed: Mapping[str, str]) -> Selection:
        points = tuple(point for point in self.points if _has(point, fixed))
        if not points:
            place = describe(tuple(fixed.items()))
            if all(any(_has(point, {axis: fixed[axis]}) for point in self.points) for axis in fixed):
                raise InputError(f"the grid has no point at {place}: the axes advance together")
            raise InputError(f"no point at {place} was run")
        left = [axis for axis in self.axes if axis not in fixed and not self._follows(axis, tuple(fixed))]
        if not left and len(points) == 1:
            return Selection(metric, points, None)
        return Selection(metric, points, tuple(tuple((axis, point.labels[axis]) for axis in left) for point in points))

    def _follows(self, axis: str, fixed: tuple[str, ...]) -> bool:
        """Return whether points with the same labels on the fixed axes always have the same label on this one."""
        found: dict[tuple[str, ...], str] = {}
        return all(
            found.setdefault(tuple(point.labels[one] for one in fixed), point.labels[axis]) == point.labels[axis]
            for point in self.points
        )


def _has(point: Point, fixed: Mapping[str, str]) -> bool:
    return all(point.labels[axis] == label for axis, label in fixed.items())
