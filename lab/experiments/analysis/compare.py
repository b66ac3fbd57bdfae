# SPDX-License-Identifier: MIT
"""Compares two results of an experiment with different builds: what changed, and whether it is significant.

For each point and metric: the difference of the means, B - A, with its 95 % confidence interval (analysis.statistics),
also in percent of A's mean. The percentage treats A's mean as exact. Trials with equal seeds are pairs: they have the
same random numbers, so much of what differs between seeds cancels out. If not all trials of the side with fewer of them
have a pair, Welch's t-test compares the means. Each difference is tested on its own, so one in twenty is marked by
chance even if nothing changed.

Only results of the same experiment are compared: with the same name, seed and metrics, and at each point the same
topology, workload and overrides. Then results differ only by the build: kernel, image, code, and the text files that
topology and workload name.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from lab.errors import InputError, RecordError
from lab.experiments.analysis.selection import Labels
from lab.experiments.analysis.statistics import Mean, deviation_of, paired, welch


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
    significant: bool | None  # whether 0 is outside that interval; None without one
    pairs: int = 0  # trials of equal seeds that were compared one by one; 0: only means were compared
    identical: bool = False  # equal seeds gave equal numbers, to the last digit, on both sides
    bounds: tuple[bool, bool] = (False, False)  # whether a and b are lower bounds, since trials did not finish

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
    mean: float | None
    deviation: float | None
    n: int
    unit: str
    by_seed: Mapping[int, float]  # values of its trials; empty in results of an older version
    unfinished: int = 0  # trials, so that the mean is a lower bound


@dataclass(frozen=True)
class ResultsComparison:
    """The changes from A to B."""

    differences: tuple[Difference, ...]  # by point in A's grid order, then by metric
    only_a: tuple[Labels, ...]  # points that B lacks
    only_b: tuple[Labels, ...]
    builds: Builds


def compare(results_a: Mapping[str, Any], results_b: Mapping[str, Any]) -> ResultsComparison:
    """Compare A with B, the contents of two results.json, at the points that both have.

    Raises:
        InputError: If experiments, seeds, overrides, topologies, workloads, metrics or units differ; with their names.
        RecordError: If the rows are damaged.
    """
    check(results_a, results_b)
    a, b = _cells(results_a, "A"), _cells(results_b, "B")
    found = []
    for labels, metrics in a.items():
        for name, cell in metrics.items():
            if name in b.get(labels, {}):
                found.append(_difference(labels, name, cell, b[labels][name]))
    return ResultsComparison(
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
    unfinished = int(data.get("unfinished", 0))
    return _Cell(None if mean is None else float(mean), deviation, count, str(data["unit"]), by_seed, unfinished)


def _difference(labels: Labels, metric: str, a: _Cell, b: _Cell) -> Difference:
    common = dict(labels), metric, a.unit, a.mean, b.mean, a.n, b.n
    if a.mean is None or b.mean is None:
        return Difference(*common, None, None, None)
    if a.unfinished or b.unfinished:
        return Difference(*common, None, None, None, bounds=(a.unfinished > 0, b.unfinished > 0))
    seeds = a.by_seed.keys() & b.by_seed.keys()
    if seeds and len(seeds) == min(a.n, b.n):
        found = paired([b.by_seed[seed] - a.by_seed[seed] for seed in sorted(seeds)])
        identical = a.by_seed == b.by_seed
        return Difference(*common, found.difference, found.half_width, found.significant, len(seeds), identical)
    found = welch(Mean(a.mean, a.deviation, a.n), Mean(b.mean, b.deviation, b.n))
    return Difference(*common, found.difference, found.half_width, found.significant)


_FILE_TYPES = ("topology", "workload")
_LISTED_MAX = 5  # differences, or points, in a message


@dataclass(frozen=True)
class Builds:
    """The builds of A and B, by name, as SHA-256; None if one side lacks it."""

    differing: dict[str, tuple[str | None, str | None]]
    same: tuple[str, ...]


def check(a: Mapping[str, Any], b: Mapping[str, Any]) -> None:
    """Refuse results of different experiments. Points that only one of them has are not a difference.

    Raises:
        InputError: If they differ; with the differences.
        RecordError: If they do not record what was run.
    """
    names = [str(results.get("name", "")) for results in (a, b)]
    if names[0] != names[1]:
        raise InputError(f"A is {names[0]}, B is {names[1]}: only results of the same experiment can be compared")
    ours, theirs = _points(a, "A"), _points(b, "B")
    if ours and theirs and not ours.keys() & theirs.keys():
        points = f"A has {listed(list(ours))}; B has {listed(list(theirs))}"
        raise InputError(f"A and B have no point in common: {points}", hint="run lab reproduce with the same --only")
    both = [(labels, ours[labels], theirs[labels]) for labels in ours if labels in theirs]
    found = [*_seeds(a, b), *_metrics(_metrics_of(a, "A"), _metrics_of(b, "B")), *_files(both), *_overrides(both)]
    if found:
        more = [f"and {len(found) - _LISTED_MAX} more"] if len(found) > _LISTED_MAX else []
        lines = "".join(f"\n    {line}" for line in [*found[:_LISTED_MAX], *more])
        hint = "run lab reproduce on the same file with both builds; only the builds may differ"
        raise InputError(f"A and B are not the same experiment; they differ in{lines}", hint=hint)


def labels_of(point: Mapping[str, Any]) -> Labels:
    """Return the labels of a point or row, as a key."""
    return tuple((axis, str(label)) for axis, label in point.items() if not isinstance(label, Mapping))


def listed(found: Sequence[Labels]) -> str:
    """List points for a reader."""
    joint = "; " if any(len(labels) > 1 for labels in found) else " and "  # points have commas, too
    shown = joint.join(
        ", ".join(f"{axis} {label}" for axis, label in labels) or "a point without axes"
        for labels in found[:_LISTED_MAX]
    )
    more = len(found) - _LISTED_MAX
    return shown + (f"{joint}{more} more {'point' if more == 1 else 'points'}" if more > 0 else "")


@dataclass(frozen=True)
class _Point:
    names: dict[str, str]  # topology, workload
    hashes: dict[str, dict[str, str]]  # of their content, by key
    overrides: dict[str, str]


def _points(results: Mapping[str, Any], side: str) -> dict[Labels, _Point]:
    try:
        return {labels_of(one["point"]): _point(one, results["files"]) for one in results["points"]}
    except (KeyError, TypeError, ValueError, AttributeError):
        raise _damaged(side, "its points") from None


def _point(data: Mapping[str, Any], files: Mapping[str, Any]) -> _Point:
    names = {file_type: str(data[file_type]) for file_type in _FILE_TYPES}
    overrides = dict(override.split("=", 1) for override in data["overrides"])
    return _Point(names, {file_type: dict(files[file_type][name]) for file_type, name in names.items()}, overrides)


def _metrics_of(results: Mapping[str, Any], side: str) -> dict[str, tuple[str, str]]:
    try:
        return {str(one["name"]): (str(one["that"]), str(one["unit"])) for one in results["metrics"]}
    except (KeyError, TypeError):
        raise _damaged(side, "its metrics") from None


def _damaged(side: str, what: str) -> RecordError:
    return RecordError(
        f"{side} does not record {what}: it is damaged, or from an older version of the lab",
        hint="run lab reproduce to write it again; stored trials do not run again",
    )


def _seeds(a: Mapping[str, Any], b: Mapping[str, Any]) -> Iterator[str]:
    seeds = [results.get("provenance", {}).get("seed") for results in (a, b)]
    if seeds[0] != seeds[1]:
        yield f"the first seed: {seeds[0]} in A, {seeds[1]} in B"


def _metrics(ours: Mapping[str, tuple[str, str]], theirs: Mapping[str, tuple[str, str]]) -> Iterator[str]:
    for name in {**ours, **theirs}:
        if name not in ours or name not in theirs:
            yield f"the metric {name}: only {'A' if name in ours else 'B'} has it"
            continue
        for one, other in zip(ours[name], theirs[name], strict=True):
            if one != other:
                yield f"the metric {name}: {one or 'no unit'} in A, {other or 'no unit'} in B"


def _files(both: Sequence[tuple[Labels, _Point, _Point]]) -> list[str]:
    found: dict[str, None] = {}
    for _, one, other in both:
        for file_type in _FILE_TYPES:
            ours, theirs = one.hashes[file_type], other.hashes[file_type]
            keys = [key for key in {**ours, **theirs} if ours.get(key) != theirs.get(key)]
            names = one.names[file_type], other.names[file_type]
            if keys:
                files = names[0] if names[0] == names[1] else f"{names[0]} in A, {names[1]} in B"
                found[f"the {file_type} {files}: {', '.join(keys)}"] = None
    return list(found)


def _overrides(both: Sequence[tuple[Labels, _Point, _Point]]) -> Iterator[str]:
    """Yield overrides with different values, each with the points concerned."""
    found: dict[str, list[Labels]] = {}
    for labels, one, other in both:
        for key in {**one.overrides, **other.overrides}:
            values = one.overrides.get(key, "not set"), other.overrides.get(key, "not set")
            if values[0] != values[1]:
                found.setdefault(f"{key}: {values[0]} in A, {values[1]} in B", []).append(labels)
    for difference, points in found.items():
        yield difference if len(points) == len(both) else f"{difference} (at {listed(points)})"


def builds(a: Mapping[str, Any], b: Mapping[str, Any]) -> Builds:
    """Compare the builds of two results."""
    ours, theirs = (
        {**results.get("provenance", {}).get("hashes", {}), **results.get("provenance", {}).get("stack", {})}
        for results in (a, b)
    )
    names = list({**ours, **theirs})
    differing = {name: (ours.get(name), theirs.get(name)) for name in names if ours.get(name) != theirs.get(name)}
    return Builds(differing, tuple(name for name in names if name not in differing))
