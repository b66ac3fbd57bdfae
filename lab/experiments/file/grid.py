# SPDX-License-Identifier: MIT
"""The grid of an experiment: its axes, and every point with its overrides."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from lab.errors import InputError, suggestion, unknown
from lab.experiments.file import placeholders
from lab.experiments.labels import axis as axis_of
from lab.experiments.labels import spread
from lab.experiments.types import PLACE, Axis, Experiment, Point
from lab.model.document import Keys
from lab.model.experiment import ExperimentFile as Model
from lab.model.experiment import Range
from lab.plan.problems import Problems, ValidatedFile

MOST_POINTS = 100_000  # more is a mistake; each costs memory before anything runs
MOST_TRIALS = 1_000  # more run only with lab reproduce --yes


def trials(experiment: Experiment) -> int:
    """Return the maximum number of trials of an experiment, with all repetitions."""
    return len(experiment.points) * experiment.repetitions.most


def check_size(experiment: Experiment, most: int = MOST_TRIALS) -> None:
    """Refuse an experiment that is probably larger than intended; skipped with ``--yes``.

    Raises:
        InputError: If there may be more than ``most``.
    """
    count = trials(experiment)
    if count <= most:
        return
    points, each = len(experiment.points), experiment.repetitions
    often = "once" if each.most == 1 else f"{'up to ' if each.most > each.least else ''}{each.most} times"
    raise InputError(
        f"{experiment.name} has {points:,} points, each run {often}: {count:,} trials, more than {most:,}",
        hint="add --yes to run them all, or reduce them with --only axis=value or --reps n",
    )


@dataclass(frozen=True)
class Override:
    """A value to set, and where it comes from."""

    key: str
    value: Any
    keys: Keys


@dataclass(frozen=True)
class VariedAxis:
    """An axis with the overrides of its levels; plain values have none, they replace ``{axis}`` in texts."""

    axis: Axis
    overrides: tuple[tuple[Override, ...], ...]


@dataclass(frozen=True)
class Place:
    """A place: what differs in it."""

    name: str
    topology: str
    workload: str
    overrides: tuple[Override, ...]


@dataclass
class Grid:
    """All points of an experiment."""

    source: ValidatedFile[Model]
    varied: list[VariedAxis]
    common: tuple[Override, ...]
    places: tuple[Place, ...]  # one without a name if the file has none
    groups: list[list[int]] = field(default_factory=list)  # axes that advance together, by index
    _locations: dict[Keys, str] = field(default_factory=dict, repr=False)

    @property
    def axes(self) -> tuple[Axis, ...]:
        """The axes, in file order."""
        return tuple(one.axis for one in self.varied)

    def points(self) -> tuple[Point, ...]:
        """Return every point, the last axis varying fastest; zipped axes take the place of their first."""
        sizes = [range(len(self.varied[group[0]].axis.levels)) for group in self.groups]
        choices = itertools.product(self.places, itertools.product(*sizes))
        return tuple(
            self._point(number, place, self._indexes(choice)) for number, (place, choice) in enumerate(choices)
        )

    def _indexes(self, choice: tuple[int, ...]) -> list[int]:
        found = dict.fromkeys(range(len(self.varied)), 0)
        for group, index in zip(self.groups, choice, strict=True):
            found.update(dict.fromkeys(group, index))
        return list(found.values())

    def _point(self, number: int, place: Place, indexes: list[int]) -> Point:
        labels = {one.axis.name: one.axis.levels[index].label for one, index in zip(self.varied, indexes, strict=True)}
        found = list(self._overrides(place, indexes))
        overrides = dict(placeholders.override(one.key, one.value, labels) for one in found)
        return Point(
            number=number,
            labels={PLACE: place.name, **labels} if place.name else labels,
            topology=placeholders.fill(place.topology, labels),
            workload=placeholders.fill(place.workload, labels),
            overrides=tuple(f"{key}={text}" for key, text in overrides.items()),
            locations={placeholders.fill(one.key, labels): self._where(one.keys) for one in found},
        )

    def _overrides(self, place: Place, indexes: list[int]) -> Iterator[Override]:
        """Yield the overrides of a point: common ones first, then those of its place and of its levels."""
        yield from self.common
        yield from place.overrides
        for one, index in zip(self.varied, indexes, strict=True):
            yield from one.overrides[index]

    def _where(self, keys: Keys) -> str:
        """Return ``document.where``, computed once for all points."""
        if keys not in self._locations:
            self._locations[keys] = self.source.document.where(keys)
        return self._locations[keys]


def resolve(source: ValidatedFile[Model], problems: Problems) -> Grid:
    """Resolve the grid of an experiment and record mistakes; with mistakes, it has no points."""
    before = len(problems.errors)
    varied = [_varied(source, name, problems) for name in source.model.grid]
    common = tuple(Override(key, value, ("set", key)) for key, value in source.model.set_.items())
    places = tuple(_places(source, problems))
    found = Grid(source, [one for one in varied if one is not None], common, places)
    known = set(source.model.grid)
    _check_references(source, found, problems)
    found.groups = _groups(source, found, problems)
    if len(problems.errors) == before:
        _check_effects(found, problems)
        count = len(places) * math.prod(len(found.varied[group[0]].axis.levels) for group in found.groups)
        if count > MOST_POINTS:
            problems.add(
                source, ("grid",), f"has {count:,} points, more than {MOST_POINTS:,}; remove values, or zip: axes"
            )
    if len(problems.errors) > before:
        return Grid(source, found.varied if len(found.varied) == len(known) else [], common, places)
    return found


def _places(source: ValidatedFile[Model], problems: Problems) -> Iterator[Place]:
    """Yield the places; one without a name if the file has none."""
    model = source.model
    if not model.places:
        yield Place("", model.topology, model.workload, ())
    if len(model.places) == 1:
        problems.add(source, ("places",), "has one place; write its topology and set: without places:, or add another")
    if model.places and PLACE in model.grid:
        problems.add(source, ("grid", PLACE), "is the name of the axis of places:; rename it")
    same: dict[str, str] = {}
    for name, place in model.places.items():
        keys: Keys = ("places", name)
        other = same.setdefault(repr(place), name)
        if other != name:
            problems.add(source, keys, f"sets the same as {other}; remove one of them")
        overrides = tuple(Override(key, value, (*keys, "set", key)) for key, value in place.set_.items())
        yield Place(name, place.topology or model.topology, place.workload or model.workload, overrides)


def _varied(source: ValidatedFile[Model], name: str, problems: Problems) -> VariedAxis | None:
    """Resolve an axis; None if it is invalid."""
    written = source.model.grid[name]
    keys: Keys = ("grid", name)
    before = len(problems.errors)

    def refuse(message: str, inner: str | int | None) -> None:
        problems.add(source, keys if inner is None else (*keys, inner), message)

    if isinstance(written, Range):
        labels = spread(written, refuse)
        places: list[str | int | None] = [None] * len(labels)
    else:
        labels = list(written)
        places = list(written) if isinstance(written, dict) else list(range(len(labels)))
    if len(problems.errors) > before:
        return None
    axis = axis_of(name, labels, lambda message, index: refuse(message, places[int(index or 0)]))
    if not isinstance(written, dict):
        return VariedAxis(axis, ((),) * len(labels))
    overrides = tuple(
        tuple(Override(key, value, (*keys, label, key)) for key, value in variant.items())
        for label, variant in written.items()
    )
    return VariedAxis(axis, overrides)


def _texts(source: ValidatedFile[Model], grid: Grid) -> Iterator[tuple[Any, Keys]]:
    yield source.model.topology, ("topology",)
    yield source.model.workload, ("workload",)
    for name, place in source.model.places.items():
        yield place.topology, ("places", name, "topology")
        yield place.workload, ("places", name, "workload")
    places = [place.overrides for place in grid.places]
    levels = [overrides for axis in grid.varied for overrides in axis.overrides]
    for one in itertools.chain(grid.common, *places, *levels):
        yield {one.key: one.value}, one.keys


def _check_references(source: ValidatedFile[Model], grid: Grid, problems: Problems) -> None:
    """Check that every axis named in braces exists, and that no key contains ``=``."""
    known = source.model.grid
    for value, keys in _texts(source, grid):
        for name in placeholders.names(value):
            if name not in known:
                listed = f"known axes: {', '.join(known)}" if known else "the file has no grid:"
                what = f"unknown axis {{{name}}}{suggestion(name, known)}; {listed}"
                problems.add(source, keys, what, f"write {{{{{name}}}}} for the text {{{name}}}")
        if isinstance(value, dict) and "=" in str(keys[-1]):
            problems.add(source, keys, "a key cannot contain =; write key: value")


def _groups(source: ValidatedFile[Model], grid: Grid, problems: Problems) -> list[list[int]]:
    """Return the axes by index, zipped ones grouped, ordered by the first of each group."""
    numbers = {axis.name: number for number, axis in enumerate(grid.axes)}
    known = source.model.grid
    taken: dict[str, int] = {}
    groups: dict[int, list[int]] = {}
    for index, names in enumerate(source.model.zip_):
        for place, name in enumerate(names):
            keys: Keys = ("zip", index, place)
            if name not in known:
                problems.add(source, keys, unknown("axis", name, known, "known axes"))
            elif name in taken:
                problems.add(source, keys, f"{name} is already zipped; name it once")
            else:
                taken[name] = index
        there = [name for name in names if name in numbers and taken.get(name) == index]
        sizes = {name: len(grid.axes[numbers[name]].levels) for name in there}
        if len(set(sizes.values())) > 1:
            listed = ", ".join(f"{name} has {size}" for name, size in sizes.items())
            problems.add(source, ("zip", index), f"zipped axes need the same number of values; {listed}")
        if there:
            members = sorted({numbers[name] for name in there})
            groups[members[0]] = members
    alone = [number for name, number in numbers.items() if name not in taken]
    return [groups.get(number, [number]) for number in sorted([*groups, *alone])]


def _check_effects(grid: Grid, problems: Problems) -> None:
    """Check that every axis has an effect, and that no two axes set the same key."""
    source = grid.source
    named = {name for value, _ in _texts(source, grid) for name in placeholders.names(value)}
    owners: dict[str, str] = {}
    for one in grid.varied:
        name = one.axis.name
        if name not in named:
            _check_differences(source, one, problems)
        for override in {override.key: override for overrides in one.overrides for override in overrides}.values():
            other = owners.setdefault(override.key, name)
            if other != name:
                problems.add(
                    source,
                    override.keys,
                    f"the axis {other} also sets this, so one of them would have no effect; remove one",
                )


def _check_differences(source: ValidatedFile[Model], one: VariedAxis, problems: Problems) -> None:
    """Check that the levels of an axis that no text names differ in their overrides."""
    name = one.axis.name
    if not any(one.overrides):
        problems.add(
            source,
            ("grid", name),
            "has no effect",
            f'name it in a text, such as set: {{nodes.sta1.position: ["{{{name}}}", 0 m, 1 m]}}, in topology: or '
            "workload:; or give each value overrides",
        )
        return
    first: list[tuple[Mapping[str, Any], str]] = []
    for level, overrides in zip(one.axis.levels, one.overrides, strict=True):
        values = {override.key: override.value for override in overrides}
        same = next((label for other, label in first if other == values), None)
        if same is not None:
            problems.add(source, ("grid", name, level.label), f"sets the same as {same}; remove one of them")
        first.append((values, level.label))
