# SPDX-License-Identifier: MIT
"""A paper's numbers, each with the labels of its points, in the unit of the metric."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lab import units
from lab.errors import unknown
from lab.experiments.labels import label_in, listed, unknown_label
from lab.experiments.types import Axis, Published, TrialMetric
from lab.model.document import Keys
from lab.model.experiment import ExperimentFile as Model
from lab.model.experiment import Published as Written
from lab.numbers import count
from lab.plan.problems import Problems, ValidatedFile


def resolve(
    source: ValidatedFile[Model], metrics: Sequence[TrialMetric], axes: Sequence[Axis], problems: Problems
) -> tuple[Published, ...]:
    """Resolve every number of the paper and record mistakes."""
    known = {metric.name: metric for metric in metrics}
    named = {axis.name: axis for axis in axes}
    found: list[Published] = []
    for name, written in source.model.paper.items():
        keys: Keys = ("paper", name)
        if name not in known:
            problems.add(source, keys, unknown("metric", name, known, "known metrics"))
            continue
        before = len(problems.errors)
        scale = _scale(source, keys, written, known[name], problems)
        for key, axis in (("x", written.x), ("by", written.by)):
            if axis is not None and axis not in named:
                problems.add(source, (*keys, key), unknown("axis", axis, named, "known axes"))
        if written.x is not None and written.x == written.by:
            problems.add(source, (*keys, "by"), "is already the axis of x:; remove one of them")
        if len(problems.errors) > before:
            continue
        along = [(key, named[axis]) for key, axis in (("by", written.by), ("x", written.x)) if axis is not None]
        reader = _Reader(source, problems, along)
        found += [
            Published(name, labels, value * scale, written.computed_by)
            for labels, value in reader.read(written.values, (*keys, "values"))
        ]
    return tuple(found)


def _scale(
    source: ValidatedFile[Model], keys: Keys, written: Written, metric: TrialMetric, problems: Problems
) -> float:
    if written.unit is None or written.unit == metric.unit:
        return 1.0
    one, other = units.dimension_of(written.unit), units.dimension_of(metric.unit)
    if one is None or one is not other:
        what = f"{metric.name} is in {metric.unit}, which {written.unit} cannot be converted to"
        hint = f"write one of {', '.join(other.factors)}" if other is not None else f"write {metric.unit}"
        problems.add(source, (*keys, "unit"), f"{what}; {hint}")
        return 1.0
    return float(one.factors[written.unit] / other.factors[metric.unit])


@dataclass(frozen=True)
class _Reader:
    """Reads nested lists and mappings of numbers along the axes: by, then x."""

    source: ValidatedFile[Model]
    problems: Problems
    along: list[tuple[str, Axis]]

    def read(
        self, values: Any, keys: Keys, labels: Mapping[str, str] | None = None
    ) -> Iterator[tuple[dict[str, str], float]]:
        """Yield each number with its labels."""
        labels = labels or {}
        depth = len(labels)
        if depth == len(self.along):
            yield from self._number(values, keys, labels)
            return
        _, axis = self.along[depth]
        last = depth == len(self.along) - 1
        if isinstance(values, dict):
            for text, inner in values.items():
                label = label_in(axis, text)
                if label is None:
                    self.problems.add(self.source, (*keys, text), unknown_label(axis, text))
                else:
                    yield from self.read(inner, (*keys, text), {**labels, axis.name: label})
        elif isinstance(values, list) and last:
            size = len(axis.levels)
            if len(values) != size:
                message = f"has {count(len(values), 'value')}, but the axis {axis.name} has {size}: {listed(axis)}"
                self.problems.add(self.source, keys, message, "write null where the paper has no value")
                return
            for index, (level, inner) in enumerate(zip(axis.levels, values, strict=True)):
                yield from self.read(inner, (*keys, index), {**labels, axis.name: level.label})
        else:
            self._refuse_shape(values, keys, depth)

    def _number(self, value: Any, keys: Keys, labels: Mapping[str, str]) -> Iterator[tuple[dict[str, str], float]]:
        if isinstance(value, dict | list):
            missing = "x:" if "x" not in [key for key, _ in self.along] else "by:"
            self.problems.add(
                self.source, keys, f"has several values, but no axis that they run along; write {missing} and its name"
            )
        elif value is not None:
            yield dict(labels), float(value)

    def _refuse_shape(self, values: Any, keys: Keys, depth: int) -> None:
        key, axis = self.along[depth]
        first = axis.levels[0].label
        if depth < len(self.along) - 1:
            wanted = f"by: {axis.name} needs a list for each of its values: {{{first}: [1.5, 2]}}"
        else:
            wanted = f"{key}: {axis.name} needs a number for each of its values: {{{first}: 1.5}}"
            wanted += f" or a list of {len(axis.levels)}" if len(axis.levels) > 1 else ""
        self.problems.add(self.source, keys, wanted)
