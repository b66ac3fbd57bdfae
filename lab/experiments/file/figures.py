# SPDX-License-Identifier: MIT
"""The figures of an experiment file, checked against its axes and metrics."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from lab.errors import unknown
from lab.experiments.labels import label_in, unknown_label
from lab.experiments.types import Axis, FigureSpec, TrialMetric
from lab.model.document import Keys
from lab.model.experiment import ExperimentFile as Model
from lab.model.experiment import FigureEntry
from lab.plan.problems import Problems, ValidatedFile
from lab.shared.types import Plan
from lab.text import capitalized

# keys of each kind: an axis, a metric, or a series (a metric of the experiment or of its workload)
_NEEDS: Mapping[str, Mapping[str, str]] = {
    "line": {"x": "axis", "y": "metric"},
    "bar": {"x": "axis", "y": "metric"},
    "box": {"x": "axis", "y": "metric"},
    "cdf": {"x": "series"},
    "heat-map": {"x": "axis", "y": "axis", "value": "metric"},
    "time-series": {"y": "series"},
}
_NOUNS = {"axis": "an axis", "metric": "a metric", "series": "a metric"}
_KEYS = ("x", "y", "value")
_MEANS = ("line", "bar", "heat-map")  # kinds that draw one mean per place


def resolve(
    source: ValidatedFile[Model],
    metrics: Sequence[TrialMetric],
    axes: Sequence[Axis],
    groups: Sequence[Sequence[int]],
    problems: Problems,
) -> tuple[FigureSpec, ...]:
    """Resolve all figures and record mistakes. Series are checked once there is a plan (``check_series``)."""
    together = {axes[number].name: {axes[one].name for one in group} for group in groups for number in group}
    by_name = {axis.name: axis for axis in axes}
    known = {"axis": list(by_name), "metric": sorted({metric.name for metric in metrics})}
    reader = _Reader(source, known, by_name, together, problems)
    return tuple(reader.read(written, keys) for written, keys in _written(source.model))


def _written(model: Model) -> Iterator[tuple[FigureEntry, Keys]]:
    if model.figure is not None:
        yield model.figure, ("figure",)
    yield from ((figure, ("figures", index)) for index, figure in enumerate(model.figures))


def check_series(source: ValidatedFile[Model], metrics: Sequence[TrialMetric], plan: Plan, problems: Problems) -> None:
    """Check that the series that a cdf or time-series shows exists.

    It is a metric of the experiment (a cdf over trials), a metric of the workload (its samples), or a series that a
    process or probe of the plan records over time (``station-dump.signal``).
    """
    own = [metric.name for metric in metrics]
    recorded = [metric.name for metric in plan.metrics]
    sources = [name for process in plan.processes for name in (process.name, process.id)]
    for written, keys in _written(source.model):
        for key, what in _NEEDS[written.kind].items():
            name = getattr(written, key)
            known = [*own, *recorded] if written.kind == "cdf" else recorded
            if what == "series" and name is not None and name not in known and name.split(".")[0] not in sources:
                problems.add(source, (*keys, key), unknown("metric", name, known))


@dataclass(frozen=True)
class _Reader:
    source: ValidatedFile[Model]
    known: Mapping[str, list[str]]  # axes and metrics
    axes: Mapping[str, Axis]
    together: Mapping[str, set[str]]
    problems: Problems

    def read(self, written: FigureEntry, keys: Keys) -> FigureSpec:
        """Resolve a figure and record mistakes."""
        before = len(self.problems.errors)
        needs = _NEEDS[written.kind]
        for key in _KEYS:
            self._check(written, keys, key, needs.get(key))
        if written.by is not None:
            self._known(written.by, (*keys, "by"), "axis")
            for key in ("x", "y"):
                if written.by == getattr(written, key):
                    self.problems.add(self.source, (*keys, "by"), f"is already the axis of {key}:; remove it")
        if written.kind == "heat-map" and written.x is not None and written.x == written.y:
            self.problems.add(self.source, (*keys, "y"), "is already the axis of x:; name another one")
        where = self._where(written, keys)
        if len(self.problems.errors) == before:
            self._check_scales(written, keys)
            self._check_places(written, keys, where)
        return _figure(written, where)

    def _check(self, written: FigureEntry, keys: Keys, key: str, what: str | None) -> None:
        name = getattr(written, key)
        if what is None:
            if name is not None:
                needs = " and ".join(f"{other}: ({_NOUNS[kind]})" for other, kind in _NEEDS[written.kind].items())
                self.problems.add(self.source, (*keys, key), f"is not a key of a {written.kind}, which has {needs}")
        elif name is None:
            known = f"; known: {', '.join(self.known[what])}" if what in self.known else ""
            self.problems.add(self.source, keys, f"a {written.kind} needs {key}: with {_NOUNS[what]}{known}")
        elif what in self.known:
            self._known(name, (*keys, key), what)

    def _known(self, name: str, keys: Keys, what: str) -> None:
        if name not in self.known[what]:
            listed, other = ("known axes", "metric") if what == "axis" else ("known metrics", "axis")
            is_other = f"{name} is {_NOUNS[other]}; " if name in self.known[other] else ""
            self.problems.add(self.source, keys, unknown(what, name, self.known[what], f"{is_other}{listed}"))

    def _where(self, written: FigureEntry, keys: Keys) -> dict[str, str]:
        found: dict[str, str] = {}
        for name, text in written.where.items():
            if name not in self.axes:
                self._known(name, (*keys, "where", name), "axis")
                continue
            label = label_in(self.axes[name], text)
            if label is None:
                self.problems.add(self.source, (*keys, "where", name), unknown_label(self.axes[name], text))
            else:
                found[name] = label
        return found

    def _check_scales(self, written: FigureEntry, keys: Keys) -> None:
        """Check that a logarithmic scale has numbers above 0."""
        for key, name in (("x", written.x), ("y", written.y)):
            axis = self.axes.get(name or "")
            if key not in written.log or axis is None:
                continue
            if any(level.number is None for level in axis.levels):
                wrong = "has no numbers, so it cannot be logarithmic"
            elif any((level.number or 0) <= 0 for level in axis.levels):
                wrong = "has values of 0 or below"
            else:
                continue
            self.problems.add(self.source, (*keys, "log"), f"{axis.name} {wrong}; remove {key}")

    def _check_places(self, written: FigureEntry, keys: Keys, where: Mapping[str, str]) -> None:
        """Check that no two points share a place in a figure of means."""
        if written.kind not in _MEANS:
            return
        named = {name for name in (written.x, written.y, written.by, *where) if name is not None}
        settled = set().union(*(self.together.get(name, set()) for name in named))
        for name, axis in self.axes.items():
            if name not in settled and len(axis.levels) > 1:
                first = axis.levels[0].label
                message = f"the points of all {len(axis.levels)} values of {name} would be drawn at the same place"
                free = "" if written.by is not None or written.kind == "heat-map" else f"by: {name}, or "
                self.problems.add(self.source, keys, message, f"write {free}where: {{{name}: {first}}}")
                return


def _figure(written: FigureEntry, where: dict[str, str]) -> FigureSpec:
    """Build the figure; for a cdf and a time-series, x and y are both the series."""
    x, y = written.x or written.y or "", written.y or written.x or ""
    return FigureSpec(
        kind=written.kind,
        title=written.title or _title(written) + "".join(f", {axis} {label}" for axis, label in where.items()),
        x=x,
        y=y,
        by=written.by,
        value=written.value,
        errors=None if written.errors == "none" else written.errors,
        log=tuple(written.log),
        where=where,
    )


def _title(written: FigureEntry) -> str:
    return capitalized(
        {
            "cdf": f"distribution of {written.x}",
            "time-series": f"{written.y} over time",
            "heat-map": f"{written.value} over {written.x} and {written.y}",
        }.get(written.kind, f"{written.y} over {written.x}")
    )
