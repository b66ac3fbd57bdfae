# SPDX-License-Identifier: MIT
"""What is uncertain: parameters with ranges, places drawn from them, and changes to the ends of the ranges.

Parameters and changes are those of an experiment and of its topologies. Places are a Latin hypercube: with N places,
each parameter has one value in each Nth of its range (M. D. McKay, R. J. Beckman, W. J. Conover, Technometrics 21,
1979).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeVar

from lab.errors import InputError, unknown
from lab.experiments.file.points import drafted, plans
from lab.experiments.labels import amount, decimal
from lab.experiments.run import trials
from lab.experiments.types import Experiment, Point
from lab.experiments.variations import changes as changed
from lab.experiments.variations.changes import Change, files, what_if
from lab.expressions.values import ValueWithUnit
from lab.model.document import Document
from lab.model.uncertain import Uncertain
from lab.units import dimension_of

LEAST, MOST = 2, 1000  # places
SEEDS = 10_000  # from a place to the next
_TRIED = 100  # plans
_DIGITS = 4  # significant, of a drawn value


@dataclass(frozen=True)
class Parameter:
    """A parameter that is known only within a range."""

    name: str
    keys: tuple[str, ...]  # overrides that have its value
    labels: tuple[str, ...]  # the lowest and the highest value, or all values
    unit: str  # of a range
    log: bool  # values of a range are drawn evenly by their ratio
    listed: bool  # all values are listed
    source: str  # where the range comes from
    where: str  # FILE:LINE
    ordered: bool = True  # more means more
    topology: str | None = None  # of whose points; None: of all

    def change(self, value: str) -> Change:
        """Return the change to one of its values."""
        where = dict.fromkeys(self.keys, self.where)
        return Change(self.name, value, dict.fromkeys(self.keys, value), self.source, where, self.topology)

    def at(self, share: float) -> tuple[str, float]:
        """Return the value at a share of the range, from 0 to less than 1: as text, and as a number that grows with it.

        Numbers of a range are in its unit, those of listed values are positions in the list.
        """
        if self.listed:
            index = int(share * len(self.labels))
            return self.labels[index], float(index)
        low, high = (float(_amount(label).within(self.unit)) for label in self.labels)
        dimension = dimension_of(self.unit)
        if all(Fraction(_amount(label).value).denominator == 1 for label in self.labels) and not self.unit:
            number = Fraction(min(int(low + share * (high - low + 1)), int(high)))  # each has the same chance
        else:
            value = low * (high / low) ** share if self.log else low + share * (high - low)
            number = Fraction(f"{value:.{_DIGITS - 1}e}") if abs(value) < 1e9 else Fraction(value)
            if abs(high - low) < abs(value) * 10 ** (2 - _DIGITS):  # a narrow range
                number = Fraction(f"{value:.{2 * _DIGITS}e}")
        if dimension is not None and dimension.exact:
            number = round(number * dimension.factors[self.unit]) / dimension.factors[self.unit]
        text = dimension.write(decimal(number), self.unit) if dimension else decimal(number)
        return text, float(number)

    @property
    def range(self) -> str:
        """Return its plausible values, for readers."""
        return ", ".join(self.labels) if self.listed else f"{self.labels[0]} to {self.labels[1]}"


Named = TypeVar("Named", Parameter, Change)


def known_parameters(experiment: Experiment) -> tuple[Parameter, ...]:
    """Return the uncertain parameters, in the order of the files; an experiment's own replace those of a topology.

    Raises:
        InputError: If a range is not valid; with FILE:LINE.
    """
    found: dict[str, Parameter] = {}
    for document, model, topology in files(experiment):
        for name, one in model.uncertain.items():
            unique = f"{topology} {name}" if topology and name in found else name
            found[unique] = dataclasses.replace(_parameter(document, name, one, topology), name=unique)
    _check_keys(found.values())
    return tuple(found.values())


def _check_keys(found: Iterable[Parameter]) -> None:
    """Refuse two parameters that set the same key: one of them would have no effect."""
    first: dict[tuple[str | None, str], Parameter] = {}
    for one in found:
        for key in one.keys:
            other = first.setdefault((one.topology, key), one)
            if other is not one:
                raise InputError(f"{key} is also a key of {other.name} ({other.where}); remove one", where=one.where)


def _parameter(document: Document, name: str, one: Uncertain, topology: str | None) -> Parameter:
    keys = ("uncertain", name)
    if one.values is not None:
        labels = tuple(one.values)
    else:
        assert one.from_ is not None and one.to is not None  # ensured by the model
        labels = (one.from_, one.to)
        amounts = [amount(label) for label in labels]
        for key, label, value in zip(("from", "to"), labels, amounts, strict=True):
            if value is None:
                raise document.error((*keys, key), f'"{label}" is not a number; write for example 12 dBm, or values:')
        low, high = (value for value in amounts if value is not None)
        if low.dimension is not high.dimension:
            raise document.error((*keys, "to"), f'"{labels[1]}" and "{labels[0]}" have units of different dimensions')
        if high.within(low.unit) <= low.value:
            raise document.error((*keys, "to"), f"{labels[1]} is not above from: {labels[0]}; write the larger value")
        if one.spacing == "log" and low.value <= 0:
            raise document.error((*keys, "from"), f"{labels[0]} is not above 0, as spacing: log requires")
    return Parameter(
        name=name,
        keys=tuple(one.keys),
        labels=labels,
        unit="" if one.values is not None else _amount(labels[0]).unit,
        log=one.spacing == "log",
        listed=one.values is not None,
        source=one.source,
        where=document.where(keys),
        ordered=one.ordered,
        topology=topology,
    )


def _amount(label: str) -> ValueWithUnit:
    found = amount(label)
    assert found is not None  # checked when the file was read
    return found


def _named(found: Iterable[Named], names: Sequence[str], what: str) -> list[Named]:
    """Return those with these names, or all without names; raise InputError if a name is unknown."""
    found = list(found)
    known = list(dict.fromkeys(one.name for one in found))
    for name in names:
        if name not in known:
            raise InputError(f"--vary: {unknown(what, name, known)}")
    return [one for one in found if not names or one.name in names]


# Places


def parameters(experiment: Experiment, names: Sequence[str] = ()) -> tuple[Parameter, ...]:
    """Return the uncertain parameters of these names, or all without names, that change at least one point.

    Raises:
        InputError: If a range is not valid (FILE:LINE), a name is unknown, or nothing can be varied: none is uncertain,
            or the experiment sets all keys itself.
    """
    found = known_parameters(experiment)
    if not found:
        raise InputError(
            f"neither {experiment.name} nor its topology says what is uncertain",
            hint="write uncertain: into one of them, such as uncertain: {power: {keys: [nodes.sta1.txpower], "
            "from: 12 dBm, to: 18 dBm, source: its datasheet}}",
        )
    selected = _named(found, names, "parameter")
    varied = tuple(one for one in selected if any(one.change("").written(point) for point in experiment.points))
    if not varied:
        raise InputError("--sensitivity: the experiment itself sets all that is uncertain, so nothing is left to vary")
    return varied


@dataclass(frozen=True)
class DrawnPlace:
    """A drawn place."""

    number: int  # from 0
    values: dict[str, str]  # by parameter, as text
    numbers: dict[str, float]  # by parameter
    changes: tuple[Change, ...]

    def at(self, point: Point) -> Point:
        """Return a point in this place. It has its own seeds, or chance would be the same in all places."""
        for change in reversed(self.changes):
            point = change.at(point)
        return dataclasses.replace(point, seed_offset=SEEDS * (self.number + 1))


def places(varied: Sequence[Parameter], count: int, seed: int) -> tuple[DrawnPlace, ...]:
    """Return ``count`` places; the same for equal ranges, count and seed.

    Raises:
        InputError: If they are too few or too many.
    """
    if not LEAST <= count <= MOST:
        raise InputError(f"--sensitivity {count}: write {LEAST} to {MOST} places")
    from scipy.stats import qmc  # slow to import

    shares = qmc.LatinHypercube(d=len(varied), rng=seed).random(count)
    found = []
    for number, row in enumerate(shares.tolist()):
        drawn = [(one, *one.at(share)) for one, share in zip(varied, row, strict=True)]
        values = {one.name: text for one, text, _ in drawn}
        numbers = {one.name: value for one, _, value in drawn}
        found.append(DrawnPlace(number, values, numbers, tuple(one.change(text) for one, text, _ in drawn)))
    return tuple(found)


def try_all(whole: Experiment) -> None:
    """Resolve plans of the points in all places, or of a sample of them, before anything runs.

    Raises:
        InputError: If a value cannot be set; with FILE:LINE of its parameter.
    """
    step = max(1, len(whole.points) // _TRIED)
    for _ in plans(whole.points[::step], lambda point: drafted(whole, point)):
        continue


# Changes


def changes(experiment: Experiment, names: Sequence[str] = ()) -> tuple[Change, ...]:
    """Return the changes of these names, or all without names, in the order of the files.

    Ends of a range that the experiment has already are left out.

    Raises:
        InputError: If there is nothing to change, a name is unknown, or a range is not valid.
    """
    found = _candidates(experiment)
    if not found:
        raise InputError(
            f"neither {experiment.name} nor its topology lists anything to change",
            hint="write what_if: into one of them, such as what_if: {weak: {set: {nodes.sta1.txpower: 3 dBm}, "
            "why: a weak card}}, or uncertain: with ranges",
        )
    wanted = _named(found, names, "change")
    left = tuple(one for one in wanted if one.firm or _has_effect(one, experiment))
    if not left:
        raise InputError(
            "nothing is left to change: the experiment itself sets "
            + ", ".join(dict.fromkeys(one.name for one in wanted))
        )
    return left


def check(experiment: Experiment) -> None:
    """Check what is uncertain, and what may be changed, for ``lab check``.

    Raises:
        InputError: If it has a mistake; with FILE:LINE.
    """
    changed.try_all(experiment, _candidates(experiment))


def _candidates(experiment: Experiment) -> list[Change]:
    """Return each parameter at the ends of its range, or with each listed value, then the entries of ``what_if:``."""
    uncertain = [one.change(value) for one in known_parameters(experiment) for value in one.labels]
    listed = list(what_if(experiment))
    for one in listed:
        if one.name in {parameter.name for parameter in uncertain}:
            where = next(iter(one.where.values()))
            raise InputError(f"{one.name} is also an uncertain parameter; rename one of them", where=where)
    return uncertain + listed


def _has_effect(change: Change, experiment: Experiment) -> bool:
    """Return whether it changes the plan of the first point that takes it."""
    for point in experiment.points:
        if change.written(point):
            return _key(experiment, point) != _key(experiment, change.at(point))
    return False


def _key(experiment: Experiment, point: Point) -> str:
    """Return what distinguishes a plan from another one, however it was written."""
    return trials.key(dataclasses.replace(drafted(experiment, point), overrides={}).to_json(), {})
