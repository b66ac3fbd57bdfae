# SPDX-License-Identifier: MIT
"""The changes of an experiment: the ends of uncertain ranges, and what the files list under ``what_if:``."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from lab import library
from lab.errors import InputError, suggestion
from lab.experiments.file import placeholders
from lab.experiments.run import trials
from lab.experiments.sensitivity.parameters import Parameter, known_parameters
from lab.experiments.types import Experiment, Point
from lab.model.build import build
from lab.model.document import Document
from lab.model.experiment import ExperimentFile
from lab.model.include import read
from lab.model.what_if import WhatIfChange
from lab.plan.load import load as load_plan
from lab.plan.load import topology_source
from lab.shared.types import Plan


@dataclass(frozen=True)
class Change:
    """One thing that is changed."""

    name: str  # for --vary: of a parameter, or of an entry of what_if:
    value: str  # of a parameter; empty for an entry of what_if:
    settings: Mapping[str, Any]  # by key as for --set: any YAML if firm, else texts as after --set
    why: str
    where: Mapping[str, str]  # FILE:LINE by key
    topology: str | None = None  # of whose points; None: of all
    firm: bool = False  # whether it also replaces what the experiment sets itself
    own: bool = False  # written in the experiment, where texts may name axes

    @property
    def label(self) -> str:
        """``wall 12 dB``, ``frames-fade-alone``."""
        return f"{self.name} {self.value}".rstrip()

    def written(self, point: Point) -> dict[str, str]:
        """Return what it sets at a point, as ``--set`` takes it."""
        if self.topology not in (None, point.topology):
            return {}
        if self.firm:
            labels = point.labels if self.own else {}
            return dict(placeholders.setting(key, value, labels) for key, value in self.settings.items())
        own = {text.partition("=")[0].strip() for text in point.settings}
        return {key: value for key, value in self.settings.items() if key not in own}  # texts, as after --set

    def at(self, point: Point) -> Point:
        """Return a point with the change."""
        added = self.written(point)
        kept = [text for text in point.settings if text.partition("=")[0].strip() not in added]
        new = [f"{key}={text}" for key, text in added.items()]
        settings = (*kept, *new) if self.firm else (*new, *kept)
        return dataclasses.replace(point, settings=settings, places={**point.places, **self.where})


def changes(experiment: Experiment, names: tuple[str, ...]) -> tuple[Change, ...]:
    """Return the changes of these names, or all if there are none, in the order of the files.

    Ends of a range that the experiment has already are left out.

    Raises:
        InputError: nothing to change, an unknown name, or a range that cannot be one.
    """
    found = _candidates(experiment)
    if not found:
        raise InputError(
            f"neither {experiment.name} nor its topology lists anything to change",
            hint="write what_if: into one of them, such as what_if: {weak: {set: {nodes.sta1.txpower: 3 dBm}, "
            "why: a weak card}}, or uncertain: with ranges",
        )
    known = list(dict.fromkeys(one.name for one in found))
    for name in names:
        if name not in known:
            raise InputError(
                f"--vary {name}: there is no such change{suggestion(name, known)}; known: {', '.join(known)}"
            )
    wanted = [one for one in found if not names or one.name in names]
    left = tuple(one for one in wanted if one.firm or _has_effect(one, experiment))
    if not left:
        raise InputError(
            "--one-at-a-time: nothing is left to change: the experiment itself sets "
            + ", ".join(dict.fromkeys(one.name for one in wanted))
        )
    return left


def _candidates(experiment: Experiment) -> list[Change]:
    found = [*_of_parameters(known_parameters(experiment)), *_of_files(experiment)]
    _check(found, experiment)
    return found


def _check(found: Iterable[Change], experiment: Experiment) -> None:
    """Refuse an entry of ``what_if:`` that has the name of a parameter, or names an axis that does not exist."""
    parameters = {one.name for one in found if not one.firm}
    axes = [axis.name for axis in experiment.axes]
    for one in found:
        if not one.firm:
            continue
        where = next(iter(one.where.values()))
        if one.name in parameters:
            raise InputError(f"{one.name} is also an uncertain parameter; rename one of them", where=where)
        for key, value in one.settings.items() if one.own else ():
            for axis in placeholders.names({key: value}):
                if axis not in axes:
                    listed = f"known axes: {', '.join(axes)}" if axes else "the experiment has no grid:"
                    raise InputError(
                        f"{{{axis}}}: there is no axis {axis}{suggestion(axis, axes)}; {listed}",
                        where=one.where[key],
                        hint=f"write {{{{{axis}}}}} for the text {{{axis}}}",
                    )


def _of_parameters(found: tuple[Parameter, ...]) -> Iterator[Change]:
    for one in found:
        for value in one.labels:
            yield Change(
                one.name,
                value,
                dict.fromkeys(one.keys, value),
                one.source,
                dict.fromkeys(one.keys, one.where),
                one.topology,
            )


def _of_files(experiment: Experiment) -> Iterator[Change]:
    """Yield the entries of ``what_if:`` of its topologies, then its own."""
    topologies = list(dict.fromkeys(point.topology for point in experiment.points))
    for name in topologies:
        source = topology_source(read(library.find("topology", name)))
        yield from _written(source.document, source.model.what_if, name if len(topologies) > 1 else None)
    own = read(library.find("experiment", experiment.path))
    yield from _written(own, build(ExperimentFile, own).what_if, None, own=True)


def _written(
    document: Document, written: Mapping[str, WhatIfChange], topology: str | None, *, own: bool = False
) -> Iterator[Change]:
    for name, one in written.items():
        where = {key: document.where(("what_if", name, "set", key)) for key in one.set_}
        yield Change(name, "", one.set_, one.why, where, topology, firm=True, own=own)


def _has_effect(change: Change, experiment: Experiment) -> bool:
    """Return whether it changes the plan of the first point that takes it."""
    for point in experiment.points:
        if change.written(point):
            return _key(experiment, point) != _key(experiment, change.at(point))
    return False


def _key(experiment: Experiment, point: Point) -> str:
    """Return what tells a plan from another one, however it was written."""
    return trials.key(dataclasses.replace(drafted(experiment, point), overrides={}).to_json(), {})


def drafted(experiment: Experiment, point: Point) -> Plan:
    """Return the plan of a point, not ready to be run.

    Raises:
        InputError: a setting that is not valid.
    """
    topology, workload, settings = point.topology, point.workload, point.settings
    return load_plan(topology, workload, experiment.seed, settings, places=point.places, draft=True)


def try_all(experiment: Experiment, found: Iterable[Change]) -> None:
    """Resolve plans of the first and the last point with each change, before anything runs.

    Raises:
        InputError: a value that cannot be set, with FILE:LINE.
    """
    for change in found:
        for point in {
            experiment.points[0].number: experiment.points[0],
            experiment.points[-1].number: experiment.points[-1],
        }.values():
            drafted(experiment, change.at(point))


def check(experiment: Experiment) -> None:
    """Check what is uncertain, and what may be changed, for ``lab check``.

    Raises:
        InputError: a mistake in it, with FILE:LINE.
    """
    try_all(experiment, _candidates(experiment))
