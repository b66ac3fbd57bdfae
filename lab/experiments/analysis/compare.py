# SPDX-License-Identifier: MIT
"""Compares two results of an experiment with different builds: what changed, and whether it is significant.

For each point and metric: the difference of the means, B - A, with its 95 % confidence interval (analysis.statistics),
also in percent of A's mean. The percentage treats A's mean as exact. Trials with equal seeds are pairs: they have the
same random numbers, so much of what differs between seeds cancels out. If not all trials of the side with fewer of them
have a pair, Welch's t-test compares the means. Each difference is tested on its own, so one in twenty is marked by
chance even if nothing changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from lab.errors import RecordError
from lab.experiments.analysis.comparable import Builds, Labels, builds, check, labels_of
from lab.experiments.analysis.statistics import Sample, deviation_of, paired, welch


@dataclass(frozen=True)
class Difference:
    """A metric at a point, in A and in B."""

    labels: dict[str, str]  # axis -> label
    metric: str
    unit: str
    a: float | None  # means; None if no trial has a value
    b: float | None
    n_a: int
    n_b: int
    difference: float | None  # b - a, in unit
    half_width: float | None  # of its 95 % confidence interval, in unit; None if a side has a single trial
    significant: bool | None  # whether 0 is outside that interval; None if there is none
    pairs: int = 0  # trials of equal seeds that were compared one by one; 0: only means were compared
    identical: bool = False  # equal seeds gave equal numbers, to the last digit, on both sides

    @property
    def percent(self) -> float | None:
        """The difference in percent of A; None if A has no value or is 0."""
        return self._of_a(self.difference)

    @property
    def half_width_percent(self) -> float | None:
        """The half width in percent of A."""
        return self._of_a(self.half_width)

    def _of_a(self, number: float | None) -> float | None:
        return 100 * number / abs(self.a) if self.a and number is not None else None


@dataclass(frozen=True)
class _Cell:
    """A metric at a point, on one side."""

    mean: float | None
    deviation: float | None
    n: int
    unit: str
    by_seed: Mapping[int, float]  # values of its trials; empty in results of an older version


@dataclass(frozen=True)
class Comparison:
    """The changes from A to B."""

    differences: tuple[Difference, ...]  # by point in A's grid order, then by metric
    only_a: tuple[Labels, ...]  # points that B lacks
    only_b: tuple[Labels, ...]
    builds: Builds


def compare(results_a: Mapping[str, Any], results_b: Mapping[str, Any]) -> Comparison:
    """Compare A with B at the points that both have.

    Args:
        results_a: content of results.json (lab.experiments.output.files.read).
        results_b: likewise, of the same experiment.

    Raises:
        InputError: experiments, seeds, settings, topologies, workloads, metrics or units differ; says which.
        RecordError: the rows are damaged.
    """
    check(results_a, results_b)
    a, b = _cells(results_a, "A"), _cells(results_b, "B")
    found = []
    for labels, metrics in a.items():
        for name, cell in metrics.items():
            if name in b.get(labels, {}):
                found.append(_difference(labels, name, cell, b[labels][name]))
    return Comparison(
        tuple(found),
        tuple(labels for labels in a if labels not in b),
        tuple(labels for labels in b if labels not in a),
        builds(results_a, results_b),
    )


def _cells(results: Mapping[str, Any], side: str) -> dict[Labels, dict[str, _Cell]]:
    """Return metrics by the labels of their point."""
    found: dict[Labels, dict[str, _Cell]] = {}
    try:
        trials: dict[Labels, list[Mapping[str, Any]]] = {}
        for trial in results.get("trials", ()):
            trials.setdefault(labels_of(trial["point"]), []).append(trial)
        for row in results["rows"]:
            labels = labels_of(row)
            found[labels] = {
                name: _cell(data, _by_seed(trials.get(labels, ()), name))
                for name, data in row.items()
                if isinstance(data, Mapping)
            }
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise RecordError(f"the rows of {side} are damaged: {type(error).__name__} {error}") from None
    return found


def _by_seed(trials: Iterable[Mapping[str, Any]], metric: str) -> dict[int, float]:
    values = {int(trial["seed"]): trial["values"].get(metric) for trial in trials}
    return {seed: float(value) for seed, value in values.items() if value is not None}


def _cell(data: Mapping[str, Any], by_seed: Mapping[int, float]) -> _Cell:
    mean, ci95, count = data["mean"], data["ci95"], int(data["n"])
    deviation = deviation_of(float(ci95), count) if ci95 is not None and count > 1 else None
    return _Cell(None if mean is None else float(mean), deviation, count, str(data["unit"]), by_seed)


def _difference(labels: Labels, metric: str, a: _Cell, b: _Cell) -> Difference:
    common = dict(labels), metric, a.unit, a.mean, b.mean, a.n, b.n
    if a.mean is None or b.mean is None:
        return Difference(*common, None, None, None)
    seeds = a.by_seed.keys() & b.by_seed.keys()
    if seeds and len(seeds) == min(a.n, b.n):
        found = paired([b.by_seed[seed] - a.by_seed[seed] for seed in sorted(seeds)])
        identical = a.by_seed == b.by_seed
        return Difference(*common, found.difference, found.half_width, found.significant, len(seeds), identical)
    found = welch(Sample(a.mean, a.deviation, a.n), Sample(b.mean, b.deviation, b.n))
    return Difference(*common, found.difference, found.half_width, found.significant)
