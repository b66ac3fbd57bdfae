# SPDX-License-Identifier: MIT
"""The uncertain parameters of an experiment: its own, and those of its topologies."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from lab import library
from lab.errors import InputError, suggestion
from lab.experiments.file.levels import decimal
from lab.experiments.labels import Amount, amount
from lab.experiments.types import Experiment
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

    def at(self, share: float) -> tuple[str, float]:
        """Return the value at a share of the range, from 0 to less than 1: as text, and as a number that grows with it.

        Numbers of a range are in its unit, those of listed values are positions in the list.
        """
        if self.listed:
            index = int(share * len(self.labels))
            return self.labels[index], float(index)
        low, high = (float(_amount(label).within(self.unit)) for label in self.labels)
        value = low * (high / low) ** share if self.log else low + share * (high - low)
        whole = all(_amount(label).number.denominator == 1 for label in self.labels) and not self.unit
        number = Fraction(round(value)) if whole else Fraction(f"{value:.{_DIGITS - 1}e}")
        found = Amount(number, self.unit)
        dimension = found.dimension
        text = dimension.write(decimal(number), self.unit) if dimension else decimal(number)
        return text, float(number)

    @property
    def range(self) -> str:
        """Return its plausible values, for readers."""
        return ", ".join(self.labels) if self.listed else f"{self.labels[0]} to {self.labels[1]}"


def parameters(experiment: Experiment) -> tuple[Parameter, ...]:
    """Return the uncertain parameters, in the order of the files; an experiment's own replace those of a topology.

    Raises:
        InputError: a range that cannot be one (FILE:LINE), or none at all.
    """
    found: dict[str, Parameter] = {}
    for name in dict.fromkeys(point.topology for point in experiment.points):
        source = topology_source(read(library.find("topology", name)))
        found |= _resolved(source.document, source.model.uncertain)
    own = read(library.find("experiment", experiment.path))
    found |= _resolved(own, build(ExperimentFile, own).uncertain)
    if not found:
        raise InputError(
            f"neither {experiment.name} nor its topology says what is uncertain",
            hint="write uncertain: into one of them, such as uncertain: {power: {keys: [nodes.sta1.txpower], "
            "from: 12 dBm, to: 18 dBm, source: its datasheet}}",
        )
    return tuple(found.values())


def _resolved(document: Document, written: dict[str, Uncertain]) -> dict[str, Parameter]:
    return {name: _parameter(document, name, one) for name, one in written.items()}


def _parameter(document: Document, name: str, one: Uncertain) -> Parameter:
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
