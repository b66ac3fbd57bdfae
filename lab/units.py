# SPDX-License-Identifier: MIT
"""Quantities with units: the only place that converts text such as ``5 ms`` to a number and back.

Each dimension has one base unit, which plans use: ns, bit/s, B, percent, m, m/s, dBm, dBi, dB, ppm, packets. Durations,
rates, sizes and counts are exact integers in their base unit; the others are floats. A bare number is refused, because
the reader of a file cannot know its unit. Standard library only.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

_NUMBER = re.compile(r"\s*(?P<number>[+-]?(?:\d+(?:\.\d*)?|\.\d+))\s*(?P<unit>.*?)\s*\Z", re.DOTALL)
_COMMA = re.compile(r"[+-]?\d{1,12},\d{1,12}\s*\D{,9}")  # a decimal comma
_LONGEST = 40  # characters; no quantity is longer


class UnitError(ValueError):
    """Text that is not a quantity of the expected dimension; the message says what to write."""


class NoUnit(UnitError):
    """A number without a unit. ``suggested`` is that number with the usual one; ``share``: what it is in percent."""

    def __init__(self, number: str, suggested: str, share: str = "") -> None:
        self.number = number
        self.suggested = suggested
        other = f", or {share} if that is what you mean" if share else ""
        super().__init__(f'"{number}" has no unit; write {suggested}{other}')


@dataclass(frozen=True)
class Dimension:
    """A physical dimension, its base unit and the units that users may write.

    ``factors`` maps a unit to its size in base units; of several units of one size, the first is used for output.
    ``exact`` dimensions hold whole base units only. ``usual`` is the unit suggested when none is given; ``unprinted``
    units are accepted but never used for output.
    """

    name: str
    base: str
    factors: dict[str, Fraction]
    usual: str
    exact: bool
    spaced: bool = True
    unprinted: frozenset[str] = frozenset()

    def write(self, number: str, unit: str) -> str:
        """Format number and unit as usual for this dimension: ``5 ms``, but ``5%``."""
        return f"{number} {unit}" if self.spaced else f"{number}{unit}"

    def parse(self, value: object, usual: str | None = None) -> int | float:
        """Convert to base units: int if the dimension is exact, else float.

        ``usual`` is the unit to suggest if it has none, where the dimension's own would be unusual.

        Raises:
            UnitError: If number or unit is missing, the unit is unknown, or it is a fraction of the base unit.
        """
        usual = usual or self.usual
        text = (str(value).lower() if isinstance(value, bool) else str(value)).strip()
        if _COMMA.fullmatch(text):
            raise UnitError(f'"{text}" has a decimal comma; write {text.replace(",", ".")}')
        match = _NUMBER.match(text) if len(text) <= _LONGEST else None
        if match is None or isinstance(value, bool | list | dict | tuple) or value is None:
            raise UnitError(f'"{_short(text)}" is not a valid {self.name}; write for example {self.write("5", usual)}')
        number, unit = match["number"], match["unit"]
        if not unit:
            raise NoUnit(text, self.write(number, usual), self._share(Fraction(number)))
        factor = self.factors.get(unit)
        if factor is None:
            raise UnitError(f'"{text}": {self._unknown(unit, number)}')
        amount = Fraction(number) * factor
        if not self.exact:
            return float(amount)
        if amount.denominator != 1:
            raise UnitError(f'"{text}" is not a whole number of {self.base}, the smallest unit of a {self.name}')
        return int(amount)

    def _share(self, number: Fraction) -> str:
        """Return what a number between 0 and 1 is in percent, as other tools write it; of another one, nothing."""
        if self.base != "%" or not 0 < number < 1:
            return ""
        return self.write(f"{float(100 * number):.12g}", "%")

    def _unknown(self, unit: str, number: str) -> str:
        written, unit = unit, _WORDS.get(unit.casefold(), unit)
        alike = [known for known in self.factors if known.casefold().rstrip("/s") == unit.casefold().rstrip("/s")]
        if alike:
            return f"unknown unit {written}; write {self.write(number, alike[0])}"
        owner = next((dimension for dimension in DIMENSIONS if unit in dimension.factors), None)
        wrong = f"{unit} measures a {owner.name}, not a {self.name}" if owner else f"unknown unit {unit}"
        return f"{wrong}; a {self.name} is written in {', '.join(self.factors)}"

    def format(self, value: int | float) -> str:
        """Return the shortest exact text for ``value`` in base units; ``parse`` returns the same value."""
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
        """Return the units used for output: the first of each size, with its factor."""
        seen: dict[Fraction, str] = {}
        for unit, factor in self.factors.items():
            if unit not in self.unprinted:
                seen.setdefault(factor, unit)
        return [(unit, factor) for factor, unit in seen.items()]


_WORDS = {  # units as other tools and people write them
    **dict.fromkeys(("sec", "secs", "second", "seconds"), "s"),
    **dict.fromkeys(("msec", "millisecond", "milliseconds"), "ms"),
    **dict.fromkeys(("usec", "microsecond", "microseconds"), "us"),
    **dict.fromkeys(("minute", "minutes"), "min"),
    **dict.fromkeys(("hour", "hours"), "h"),
    **dict.fromkeys(("meter", "meters", "metre", "metres"), "m"),
    **dict.fromkeys(("percent", "pct"), "%"),
    **dict.fromkeys(("byte", "bytes"), "B"),
}


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "…"


def _decimal(value: Fraction) -> str | None:
    """Format ``value`` with at most three decimals if that is exact, else return None."""
    thousandths = value * 1000
    if thousandths.denominator != 1:
        return None
    text = f"{abs(thousandths.numerator):04d}"
    sign = "-" if value < 0 else ""
    return f"{sign}{text[:-3]}.{text[-3:]}".rstrip("0").rstrip(".")


def _powers(units: dict[str, tuple[int, int]]) -> dict[str, Fraction]:
    """Compute factors from ``unit: (base, exponent)``."""
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
    unprinted=frozenset({"min"}),  # a minute is printed as 60 s
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
PPM = Dimension("share in millionths", "ppm", {"ppm": Fraction(1)}, usual="ppm", exact=False)
SPEED = Dimension(
    "speed",
    "m/s",
    {"m/s": Fraction(1), "km/h": Fraction(5, 18)},
    usual="m/s",
    exact=False,
    unprinted=frozenset({"km/h"}),
)
PACKETS = Dimension("number of packets", "packets", {"packets": Fraction(1), "packet": Fraction(1)}, "packets", True)

DIMENSIONS = (DURATION, RATE, SIZE, PERCENT, LENGTH, SPEED, POWER, RATIO, PPM, GAIN, PACKETS)


def dimension_of(unit: str) -> Dimension | None:
    """Return the dimension that ``unit`` belongs to (dB: the ratio); None of an unknown unit."""
    return next((dimension for dimension in DIMENSIONS if unit in dimension.factors), None)


def known_units() -> list[str]:
    """Return every accepted unit, by dimension, each once."""
    return list(dict.fromkeys(unit for dimension in DIMENSIONS for unit in dimension.factors))
