# SPDX-License-Identifier: MIT
"""Changes of an experiment: what each sets, what the files list under ``what_if:``, an experiment with all of them."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import Any

from lab import library
from lab.errors import InputError, suggestion
from lab.experiments.file import placeholders
from lab.experiments.file.points import drafted
from lab.experiments.types import Experiment, Point, Repetitions, TrialOutcome
from lab.model.build import build
from lab.model.document import Document
from lab.model.experiment import ExperimentFile
from lab.model.include import read
from lab.model.topology import Topology
from lab.plan.load import topology_source


@dataclass(frozen=True)
class Change:
    """One thing that is changed."""

    name: str  # for --vary: of a parameter, or of an entry of what_if:
    value: str  # of a parameter; empty for an entry of what_if:
    overrides: Mapping[str, Any]  # by key as for --set: any YAML if firm, else texts as after --set
    why: str
    where: Mapping[str, str]  # FILE:LINE by key
    topology: str | None = None  # of whose points; None: of all
    firm: bool = False  # whether it also replaces what the experiment sets itself
    own: bool = False  # written in the experiment, where texts may name axes

    @property
    def label(self) -> str:
        """``wall 12 dB``, ``frames-fade-alone``."""
        return f"{self.name} {self.value}".rstrip()

    @property
    def parts(self) -> tuple[Change, ...]:
        """The single changes that it consists of."""
        return (self,)

    def written(self, point: Point) -> dict[str, str]:
        """Return what it sets at a point, as ``--set`` takes it."""
        if self.topology not in (None, point.topology):
            return {}
        if self.firm:
            labels = point.labels if self.own else {}
            return dict(placeholders.override(key, value, labels) for key, value in self.overrides.items())
        own = {text.partition("=")[0].strip() for text in point.overrides}
        return {key: value for key, value in self.overrides.items() if key not in own}  # texts, as after --set

    def at(self, point: Point) -> Point:
        """Return a point with the change."""
        added = self.written(point)
        kept = [text for text in point.overrides if text.partition("=")[0].strip() not in added]
        new = [f"{key}={text}" for key, text in added.items()]
        overrides = (*kept, *new) if self.firm else (*new, *kept)
        return dataclasses.replace(point, overrides=overrides, locations={**point.locations, **self.where})


@dataclass(frozen=True)
class Pair:
    """Two things that are changed together."""

    parts: tuple[Change, Change]

    @property
    def label(self) -> str:
        """``wall 12 dB + frames-fade-alone``."""
        return " + ".join(part.label for part in self.parts)

    @property
    def overrides(self) -> Mapping[str, Any]:
        """What both set."""
        return {**self.parts[0].overrides, **self.parts[1].overrides}

    def at(self, point: Point) -> Point:
        """Return a point with both."""
        first, second = self.parts
        return second.at(first.at(point))


def pairs(found: Sequence[Change]) -> list[Pair]:
    """Return all pairs of changes that can be made together: of different names, which set different keys."""
    return [
        Pair((one, other)) for one, other in combinations(found, 2) if one.name != other.name and _apart(one, other)
    ]


def _apart(one: Change, other: Change) -> bool:
    return not any(
        f"{key}.".startswith(f"{also}.") or f"{also}.".startswith(f"{key}.")
        for key, also in product(one.overrides, other.overrides)
    )


def files(experiment: Experiment) -> Iterator[tuple[Document, Topology | ExperimentFile, str | None]]:
    """Yield the topologies of an experiment, each with its name if there are several, then its own file."""
    topologies = list(dict.fromkeys(point.topology for point in experiment.points))
    for name in topologies:
        source = topology_source(read(library.find("topology", name)))
        yield source.document, source.model, name if len(topologies) > 1 else None
    own = read(library.find("experiment", experiment.path))
    yield own, build(ExperimentFile, own), None


def what_if(experiment: Experiment) -> Iterator[Change]:
    """Yield the entries of ``what_if:`` of its topologies, then its own.

    Raises:
        InputError: If an entry names an axis that does not exist.
    """
    axes = [axis.name for axis in experiment.axes]
    for document, model, topology in files(experiment):
        own = isinstance(model, ExperimentFile)
        for name, one in model.what_if.items():
            where = {key: document.where(("what_if", name, "set", key)) for key in one.set_}
            change = Change(name, "", one.set_, one.why, where, topology, firm=True, own=own)
            if own:
                _check_axes(change, axes)
            yield change


def _check_axes(change: Change, axes: Sequence[str]) -> None:
    for key, value in change.overrides.items():
        for axis in placeholders.names({key: value}):
            if axis not in axes:
                listed = f"known axes: {', '.join(axes)}" if axes else "the experiment has no grid:"
                raise InputError(
                    f"unknown axis {{{axis}}}{suggestion(axis, axes)}; {listed}",
                    where=change.where[key],
                    hint=f"write {{{{{axis}}}}} for the text {{{axis}}}",
                )


def try_all(experiment: Experiment, found: Iterable[Change | Pair]) -> None:
    """Resolve plans of the first and the last point with each change, before anything runs; equal plans once.

    Raises:
        InputError: If a value cannot be set; with FILE:LINE.
    """
    tried = set()
    for change in found:
        for number in dict.fromkeys((0, len(experiment.points) - 1)):
            point = change.at(experiment.points[number])
            plan = (point.topology, point.workload, point.overrides)
            if plan not in tried:  # many a change is of a topology that only one of the points has
                tried.add(plan)
                drafted(experiment, point)


def in_all(
    experiment: Experiment, variations: Iterable[Callable[[Point], Point]], repetitions: Repetitions | None = None
) -> Experiment:
    """Return an experiment whose points are those of ``experiment`` with each variation, one after the other.

    A variation returns a point with a change, or in a place.
    """
    points = [
        dataclasses.replace(vary(point), number=number * len(experiment.points) + point.number)
        for number, vary in enumerate(variations)
        for point in experiment.points
    ]
    rule = repetitions or experiment.repetitions
    return dataclasses.replace(experiment, points=tuple(points), repetitions=rule, figures=(), claims=(), unjudged=())


def with_variation(experiment: Experiment, number: int, outcomes: Iterable[TrialOutcome]) -> list[TrialOutcome]:
    """Return the outcomes with one of the variations of ``in_all``, with the numbers of the experiment's points."""
    size = len(experiment.points)
    return [
        dataclasses.replace(outcome, point=outcome.point % size)
        for outcome in outcomes
        if outcome.point // size == number
    ]
