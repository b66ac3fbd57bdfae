# SPDX-License-Identifier: MIT
"""The uncertain parameters of an experiment: its own, and those of its topologies."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from lab import library
from lab.errors import InputError, suggestion
from lab.experiments.labels import Amount, amount, decimal
from lab.experiments.types import Experiment, Point
from lab.model.build import build
from lab.model.document import Document
from lab.model.experiment import ExperimentFile
from lab.model.include import read
from lab.model.uncertain import Uncertain
from lab.plan.load import topology_source

_DIGITS = 4  # significant, of a drawn value


@dataclass(frozen=True)
class Parameter:
    """A parameter that is known only within a range."""

    name: str
    keys: tuple[str, ...]  # settings that have its value
    labels: tuple[str, ...]  # the lowest and the highest value, or all values
    unit: str  # of a range
    log: bool  # values of a range are drawn evenly by their ratio
    listed: bool  # all values are listed
    source: str  # where the range comes from
    where: str  # FILE:LINE
    ordered: bool = True  # more means more
    topology: str | None = None  # of whose points; None: of all

    def applies(self, point: Point) -> bool:
        """Whether a point is of its topology."""
        return self.topology in (None, point.topology)

    def free(self, point: Point) -> tuple[str, ...]:
        """Return its keys that the point does not set itself: what an experiment sets counts."""
        own = {text.partition("=")[0].strip() for text in point.settings}
        return tuple(key for key in self.keys if key not in own)

    def at(self, share: float) -> tuple[str, float]:
        """Return the value at a share of the range, from 0 to less than 1: as text, and as a number that grows with it.

        Numbers of a range are in its unit, those of listed values are positions in the list.
        """
        if self.listed:
            index = int(share * len(self.labels))
            return self.labels[index], float(index)
        low, high = (float(_amount(label).within(self.unit)) for label in self.labels)
        dimension = Amount(Fraction(0), self.unit).dimension
        if all(_amount(label).number.denominator == 1 for label in self.labels) and not self.unit:
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


def parameters(experiment: Experiment) -> tuple[Parameter, ...]:
    """Return the uncertain parameters, as ``known_parameters``.

    Raises:
        InputError: a range that cannot be one (FILE:LINE), or none at all.
    """
    found = known_parameters(experiment)
    if not found:
        raise InputError(
            f"neither {experiment.name} nor its topology says what is uncertain",
            hint="write uncertain: into one of them, such as uncertain: {power: {keys: [nodes.sta1.txpower], "
            "from: 12 dBm, to: 18 dBm, source: its datasheet}}",
        )
    return found


def known_parameters(experiment: Experiment) -> tuple[Parameter, ...]:
    """Return the uncertain parameters, in the order of the files; an experiment's own replace those of a topology.

    Raises:
        InputError: a range that cannot be one (FILE:LINE).
    """
    found: dict[str, Parameter] = {}
    topologies = list(dict.fromkeys(point.topology for point in experiment.points))
    for name in topologies:
        source = topology_source(read(library.find("topology", name)))
        of = name if len(topologies) > 1 else None
        for one in _resolved(source.document, source.model.uncertain, of).values():
            found[one.name if one.name not in found else f"{name} {one.name}"] = one
    own = read(library.find("experiment", experiment.path))
    found |= _resolved(own, build(ExperimentFile, own).uncertain, None)
    _check_keys(found.values())
    return tuple(dataclasses.replace(one, name=name) for name, one in found.items())


def _check_keys(found: Iterable[Parameter]) -> None:
    """Refuse two parameters that set the same key: one of them would have no effect."""
    first: dict[tuple[str | None, str], Parameter] = {}
    for one in found:
        for key in one.keys:
            other = first.setdefault((one.topology, key), one)
            if other is not one:
                raise InputError(f"{key} is also a key of {other.name} ({other.where}); remove one", where=one.where)


def effective(found: Iterable[Parameter], experiment: Experiment) -> tuple[Parameter, ...]:
    """Return the parameters that change at least one point; an experiment may set all keys of the others."""
    return tuple(one for one in found if any(one.applies(point) and one.free(point) for point in experiment.points))


def _resolved(document: Document, written: dict[str, Uncertain], topology: str | None) -> dict[str, Parameter]:
    return {name: _parameter(document, name, one, topology) for name, one in written.items()}


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
        if high.within(low.unit) <= low.number:
            raise document.error((*keys, "to"), f"{labels[1]} is not above from: {labels[0]}; write the larger value")
        if one.spacing == "log" and low.number <= 0:
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


def _amount(label: str) -> Amount:
    found = amount(label)
    assert found is not None  # checked when the file was read
    return found


def select(found: tuple[Parameter, ...], names: tuple[str, ...]) -> tuple[Parameter, ...]:
    """Return the parameters of these names, or all if there are none.

    Raises:
        InputError: an unknown name.
    """
    known = [one.name for one in found]
    for name in names:
        if name not in known:
            raise InputError(
                f"--vary {name}: there is no such parameter{suggestion(name, known)}; known: {', '.join(known)}"
            )
    return tuple(one for one in found if not names or one.name in names)
