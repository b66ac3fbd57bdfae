# SPDX-License-Identifier: MIT
"""The points of an experiment: which ``--only`` selects, which are tried before anything runs, which files they name.

Overrides that match nothing or are invalid are reported before anything runs. The sample of points whose plans are
tried has each value of each axis, then each pair of values of two axes, up to ``MOST_TRIED`` points. A mistake that
needs more values in combination is reported when the plan of that trial is resolved.

Hashes of topologies and workloads show whether two results belong to the same experiment. The files that these name
(programs, configurations, tables of error rates) are what users change to see the effect: they belong to the build.
"""

from __future__ import annotations

import dataclasses
import hashlib
import itertools
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from lab import library
from lab.errors import InputError, flat, raise_all, suggestion
from lab.experiments.analysis import claims
from lab.experiments.labels import label_in, unknown_label
from lab.experiments.types import PLACE, Axis, Claim, Contents, Experiment, Point, Repetitions
from lab.model import overrides
from lab.model.base import Model
from lab.model.document import label_of
from lab.model.include import read
from lab.model.topology import Topology
from lab.model.workload import Workload
from lab.plan.load import load, topology_source, workload_source
from lab.shared.types import Plan

MOST_TRIED = 200  # drafting a plan takes 5 to 15 ms
_MOST_REPORTED = 10  # mistakes


def chosen(points: Sequence[Point], most: int = MOST_TRIED) -> list[Point]:
    """Choose up to ``most`` points that cover every value of every axis, then pairs of values, then others."""
    if len(points) <= most:
        return list(points)
    picked = _new(points, 1)
    if len(picked) > most:  # one axis is longer than that: evenly spaced, including both ends
        return [picked[index * (len(picked) - 1) // (most - 1)] for index in range(most)]
    numbers = {point.number for point in picked}
    for point in itertools.chain(_new(points, 2), points):
        if len(picked) == most:
            break
        if point.number not in numbers:
            numbers.add(point.number)
            picked.append(point)
    return sorted(picked, key=lambda point: point.number)


def _new(points: Sequence[Point], together: int) -> list[Point]:
    """Return the points that are the first with some combination of ``together`` labels."""
    seen: set[object] = set()
    found = []
    for point in points:
        shown = set(itertools.combinations(point.labels.items(), together))
        if not shown <= seen:
            seen |= shown
            found.append(point)
    return found


def plans(points: Sequence[Point], make: Callable[[Point], Plan]) -> Iterator[tuple[Point, Plan]]:
    """Yield the plans of the chosen points.

    Raises:
        InputError: If there are mistakes: after the last plan, all of them, each once, with a point that has it.
    """
    tried = chosen(points)
    wrong: dict[tuple[str | None, str], tuple[InputError, Point]] = {}
    counts: dict[tuple[str | None, str], int] = {}
    for point in tried:
        if len(wrong) >= _MOST_REPORTED:
            break
        try:
            yield point, make(point)
        except InputError as error:
            for one in flat(error):
                key = (one.where, one.message)
                wrong.setdefault(key, (one, point))
                counts[key] = counts.get(key, 0) + 1
    everywhere = len(tried)
    raise_all([error if counts[key] == everywhere else located(error, point) for key, (error, point) in wrong.items()])


def drafted(experiment: Experiment, point: Point) -> Plan:
    """Return the plan of a point, not ready to be run.

    Raises:
        InputError: If an override is not valid.
    """
    topology, workload, overrides = point.topology, point.workload, point.overrides
    return load(topology, workload, experiment.seed, overrides, locations=point.locations, draft=True)


def located(error: InputError, point: Point) -> InputError:
    """Add the point to a mistake."""
    if not point.labels:
        return error
    where = ", ".join(f"{axis}: {label}" for axis, label in point.labels.items())
    hint = f"{error.hint}\n  where {where}" if error.hint else f"where {where}"
    return InputError(error.message, where=error.where, hint=hint)


def narrow(experiment: Experiment, only: Sequence[str], reps: int | None) -> Experiment:
    """Keep the points whose axes have the values that ``only`` names, and run each ``reps`` times if given.

    Several values of one axis are alternatives. The paper's values of other points, and figures of other points only,
    are dropped; claims that need other points go to ``unjudged``.

    Raises:
        InputError: If an axis or value is unknown, no point matches all, or repetitions are fewer than one.
    """
    if reps is not None:
        if reps < 1:
            raise InputError(f"--reps {reps}: write at least 1")
        experiment = dataclasses.replace(experiment, repetitions=Repetitions(reps, reps))
    if not only:
        return experiment
    kept = _kept(experiment, only)
    points = [point for point in experiment.points if _fits(point.labels, kept)]
    if not points:
        raise InputError(f"--only {' --only '.join(only)}: no point of {experiment.name} matches all of them")
    axes = tuple(_narrowed(axis, {point.labels[axis.name] for point in points}) for axis in experiment.axes)
    left = {axis.name: {level.label for level in axis.levels} for axis in axes}
    found = dataclasses.replace(
        experiment,
        axes=axes,
        points=tuple(dataclasses.replace(point, number=number) for number, point in enumerate(points)),
        figures=tuple(figure for figure in experiment.figures if _fits(figure.where, left)),
        published=tuple(one for one in experiment.published if _fits(one.labels, left)),
        places=tuple(place for place in experiment.places if place in left[PLACE]),
    )
    judged = [claim for claim in found.claims if _can_be_judged(claim, found)]
    unjudged = tuple(claim for claim in found.claims if claim not in judged)
    found = dataclasses.replace(
        found, claims=tuple(_on_the_rest(claim, found, experiment) for claim in judged), unjudged=unjudged
    )
    if len(found.places) != 1:
        return found
    (place,) = found.places
    about = f"{found.about} Place: {place}.".lstrip()
    here = tuple(claim.in_place(place) for claim in found.claims)
    return dataclasses.replace(found.in_place(place), about=about, claims=here)


def _on_the_rest(claim: Claim, found: Experiment, whole: Experiment) -> Claim:
    """Note in a claim of how many of its points it is judged: a mean over all of them is now one over some."""
    left, of = claims.points(claim, found), claims.points(claim, whole)
    return claim if left == of else dataclasses.replace(claim, left=f"{left} of {of} points")


def _can_be_judged(claim: Claim, experiment: Experiment) -> bool:
    """Return whether the series that a claim names exist. It is already known to be valid on the whole grid."""
    try:
        claims.check(claim, experiment)
    except InputError:
        return False
    return True


def _kept(experiment: Experiment, only: Iterable[str]) -> dict[str, set[str]]:
    axes = {axis.name: axis for axis in experiment.axes}
    kept: dict[str, set[str]] = {}
    for text in only:
        name, equals, value = (part.strip() for part in text.partition("="))
        if not equals or not name:
            known = ", ".join(axes) or "none"
            raise InputError(f"--only {text}: write axis=value; axes of {experiment.name}: {known}")
        if name not in axes:
            known = ", ".join(axes) or "none"
            raise InputError(
                f'--only {text}: {experiment.name} has no axis "{name}"{suggestion(name, axes)}; known: {known}'
            )
        label = label_in(axes[name], value)
        if label is None:
            raise InputError(f"--only {text}: {unknown_label(axes[name], value)}")
        kept.setdefault(name, set()).add(label)
    return kept


def _fits(labels: Mapping[str, str], kept: Mapping[str, set[str]]) -> bool:
    return all(label in kept.get(axis, {label}) for axis, label in labels.items())


def _narrowed(axis: Axis, labels: set[str]) -> Axis:
    return dataclasses.replace(axis, levels=tuple(level for level in axis.levels if level.label in labels))


_MODELS: dict[str, type[Model]] = {"topology": Topology, "workload": Workload}
_FOR_PEOPLE = ("name", "about", "needs")
_NAMING = re.compile(r"\b(from|table)\b\W*[=:]")  # an override that may name another file


def contents(points: Iterable[Point]) -> Contents:
    """Hash the topologies and workloads of these points, and the files that they name.

    Raises:
        InputError: If one of them is invalid.
    """
    hashes: dict[str, dict[str, dict[str, str]]] = {file_type: {} for file_type in _MODELS}
    texts: dict[str, str] = {}
    seen: set[tuple[str, ...]] = set()
    for point in points:
        naming = [override for override in point.overrides if _NAMING.search(override)]
        one = (point.topology, point.workload, *naming)
        if one in seen:
            continue
        seen.add(one)
        for file_type, name in (("topology", point.topology), ("workload", point.workload)):
            if name not in hashes[file_type]:
                data = read(library.find(file_type, name)).data
                hashes[file_type][name] = {key: _hash(value) for key, value in data.items() if key not in _FOR_PEOPLE}
        texts |= _texts(point)
    return Contents(hashes, dict(sorted(texts.items())))


def _texts(point: Point) -> dict[str, str]:
    """Hash the files that a point names with its overrides."""
    documents = {file_type: read(library.find(file_type, getattr(point, file_type))) for file_type in _MODELS}
    overrides.apply(overrides.parse(point.overrides), documents, _MODELS)
    topology, workload = topology_source(documents["topology"]), workload_source(documents["workload"])
    found = {
        label_of(topology.document.path.parent / name): hashlib.sha256(text.encode()).hexdigest()
        for name, text in topology.texts.items()
    }
    for name, contents in workload.contents.items():
        place = workload.document.path.parent / name
        found |= {label_of(place / one.within): hashlib.sha256(one.data).hexdigest() for one in contents}
    return found


def _hash(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True, default=str).encode()).hexdigest()
