# SPDX-License-Identifier: MIT
"""Quantities with units: the one place where text such as ``5 ms`` becomes a number and back.

Each dimension has one base unit, the one plans are written in: ns, bit/s, B, percent, m, m/s, dBm, dBi, dB, packets.
Durations, rates, sizes and counts are exact integers in their base unit; the others are floats. A bare number is
refused, because the reader of a file cannot know what it means. Standard library only.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

_NUMBER = re.compile(r"\s*(?P<number>[+-]?(?:\d+(?:\.\d*)?|\.\d+))\s*(?P<unit>.*?)\s*\Z", re.DOTALL)
_LONGEST = 40  # characters; longer texts are no quantity that a person wrote


class UnitError(ValueError):
    """A text that is no quantity of the wanted dimension; the message says what to write."""


@dataclass(frozen=True)
class Dimension:
    """What can be measured, its base unit and the units that users may write.

    ``factors`` maps a unit to its size in base units. The first one listed for a size is how it is printed; ``exact``
    dimensions hold whole base units only. ``usual`` is the unit suggested to who forgot it; ``unprinted`` ones are read
    but never written.
    """

    name: str
    base: str
    factors: dict[str, Fraction]
    usual: str
    exact: bool
    spaced: bool = True
    unprinted: frozenset[str] = frozenset()

    def write(self, number: str, unit: str) -> str:
        """Number and unit as this dimension is written: ``5 ms``, but ``5%``."""
        return f"{number} {unit}" if self.spaced else f"{number}{unit}"

    def parse(self, value: object, usual: str | None = None) -> int | float:
        """The quantity in base units: int where the dimension is exact, else float.

        ``usual`` is the unit to suggest if there is none, where the dimension's own would be odd.

        Raises:
            UnitError: no unit, an unknown unit, no number, or finer than the base unit can hold.
        """
        usual = usual or self.usual
        text = str(value).strip()
        match = _NUMBER.match(text) if len(text) <= _LONGEST else None
        if match is None or isinstance(value, bool | list | dict | tuple) or value is None:
            raise UnitError(f'"{_short(text)}" is no {self.name}; write for example {self.write("5", usual)}')
        number, unit = match["number"], match["unit"]
        if not unit:
            raise UnitError(f'"{text}" has no unit; write {self.write(number, usual)}')
        factor = self.factors.get(unit)
        if factor is None:
            raise UnitError(f'"{text}": {self._unknown(unit, number)}')
        amount = Fraction(number) * factor
        if not self.exact:
            return float(amount)
        if amount.denominator != 1:
            raise UnitError(f'"{text}" is not a whole number of {self.base}, the finest {self.name} there is')
        return int(amount)

    def _unknown(self, unit: str, number: str) -> str:
        """What to say about a unit that this dimension does not have."""
        alike = [known for known in self.factors if known.casefold().rstrip("/s") == unit.casefold().rstrip("/s")]
        if alike:
            return f"unknown unit {unit}; write {self.write(number, alike[0])}"
        owner = next((dimension for dimension in DIMENSIONS if unit in dimension.factors), None)
        wrong = f"{unit} measures a {owner.name}, not a {self.name}" if owner else f"unknown unit {unit}"
        return f"{wrong}; a {self.name} is written in {', '.join(self.factors)}"

    def format(self, value: int | float) -> str:
        """The shortest exact text for ``value`` in base units; ``parse`` gives the same value back."""
        if value == 0:
            return self.write("0", self.usual)
        candidates = [
            (len(number), "." in number, -factor, self.write(number, unit))
            for unit, factor in self.printed()
            if (number := _decimal(Fraction(repr(value)) / factor)) is not None
        ]
        if candidates:
            return min(candidates)[-1]
        return self.write(f"{Decimal(repr(value)):f}", self.base)

    def printed(self) -> list[tuple[str, Fraction]]:
        """Units that are used for output: the first of each size, with its factor."""
        seen: dict[Fraction, str] = {}
        for unit, factor in self.factors.items():
            if unit not in self.unprinted:
                seen.setdefault(factor, unit)
        return [(unit, factor) for factor, unit in seen.items()]


def _short(text: str) -> str:
    """A long value cut so that an error stays readable."""
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "…"


def _decimal(value: Fraction) -> str | None:
    """``value`` with at most three decimals, if that is exact."""
    thousandths = value * 1000
    if thousandths.denominator != 1:
        return None
    text = f"{abs(thousandths.numerator):04d}"
    sign = "-" if value < 0 else ""
    return f"{sign}{text[:-3]}.{text[-3:]}".rstrip("0").rstrip(".")


def _powers(units: dict[str, tuple[int, int]]) -> dict[str, Fraction]:
    """Factors from ``unit: (base, exponent)``."""
    return {unit: Fraction(base) ** exponent for unit, (base, exponent) in units.items()}


DURATION = Dimension(
    "duration",
    "ns",
    {
        "ns": Fraction(1),
        "us": Fraction(10**3),
        "µs": Fraction(10**3),
        "ms": Fraction(10**6),
        "s": Fraction(10**9),
        "min": Fraction(60 * 10**9),
        "h": Fraction(3600 * 10**9),
    },
    usual="ms",
    exact=True,
    unprinted=frozenset({"min"}),  # a minute reads as 60 s
)
RATE = Dimension(
    "rate",
    "bit/s",
    _powers({"bit/s": (10, 0), "kbit/s": (10, 3), "Mbit/s": (10, 6), "Gbit/s": (10, 9)})
    | _powers({"bps": (10, 0), "kbps": (10, 3), "Mbps": (10, 6), "Gbps": (10, 9)}),
    usual="Mbit/s",
    exact=True,
)
SIZE = Dimension(
    "size",
    "B",
    _powers({"B": (10, 0), "kB": (10, 3), "MB": (10, 6), "GB": (10, 9)})
    | _powers({"KiB": (2, 10), "MiB": (2, 20), "GiB": (2, 30)}),
    usual="MiB",
    exact=True,
)
PERCENT = Dimension("percentage", "%", {"%": Fraction(1)}, usual="%", exact=False, spaced=False)
LENGTH = Dimension(
    "length",
    "m",
    {"m": Fraction(1), "mm": Fraction(1, 1000), "cm": Fraction(1, 100), "km": Fraction(1000)},
    usual="m",
    exact=False,
)
POWER = Dimension("power", "dBm", {"dBm": Fraction(1)}, usual="dBm", exact=False)
GAIN = Dimension("gain", "dBi", {"dBi": Fraction(1), "dB": Fraction(1)}, usual="dBi", exact=False)
RATIO = Dimension("ratio of powers", "dB", {"dB": Fraction(1)}, usual="dB", exact=False)
SPEED = Dimension(
    "speed",
    "m/s",
    {"m/s": Fraction(1), "km/h": Fraction(5, 18)},
    usual="m/s",
    exact=False,
    unprinted=frozenset({"km/h"}),
)
PACKETS = Dimension("number of packets", "packets", {"packets": Fraction(1), "packet": Fraction(1)}, "packets", True)

DIMENSIONS = (DURATION, RATE, SIZE, PERCENT, LENGTH, SPEED, POWER, RATIO, GAIN, PACKETS)


def dimension_of(unit: str) -> Dimension | None:
    """The dimension that ``unit`` belongs to (dB: the ratio), None where no dimension knows it."""
    return next((dimension for dimension in DIMENSIONS if unit in dimension.factors), None)


def to_base(value: float, unit: str) -> float:
    """A measured ``value`` in ``unit`` as a number in the base unit of its dimension.

    Raises:
        UnitError: no dimension has that unit.
    """
    dimension = dimension_of(unit)
    if dimension is None:
        raise UnitError(f"unknown unit {unit}")
    return float(value * dimension.factors[unit])


def known_units() -> list[str]:
    """Every unit that can be written, by dimension, each once."""
    return list(dict.fromkeys(unit for dimension in DIMENSIONS for unit in dimension.factors))
