# SPDX-License-Identifier: MIT
"""Labels of an axis: the number of a label, and the label that matches a text."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from lab import units

_NUMBER = re.compile(r"\s*(?P<number>[+-]?(?:\d{1,30}(?:\.\d{0,30})?|\.\d{1,30}))\s*(?P<unit>.*?)\s*\Z", re.DOTALL)


@dataclass(frozen=True)
class Amount:
    """A number with a unit; unit "" is a bare number."""

    number: Fraction
    unit: str

    @property
    def dimension(self) -> units.Dimension | None:
        """Its dimension; None for a bare number."""
        return units.dimension_of(self.unit)

    def within(self, unit: str) -> Fraction:
        """Convert the number to another unit of its dimension."""
        if self.dimension is None or unit == self.unit:
            return self.number
        return self.number * self.dimension.factors[self.unit] / self.dimension.factors[unit]

    def equals(self, other: Amount) -> bool:
        """Return whether both are the same quantity, such as 2 m and 200 cm."""
        return self.dimension is other.dimension and self.number == other.within(self.unit)


def amount(label: str) -> Amount | None:
    """Parse a label as a number with or without a unit; None if it is a name, such as ``MCS 7``."""
    match = _NUMBER.match(label)
    if match is None or (match["unit"] and units.dimension_of(match["unit"]) is None):
        return None
    return Amount(Fraction(match["number"]), match["unit"])


def unit_of(text: str) -> str:
    """Return what follows the number at the start of a text, be it a unit or not; "" if nothing does."""
    match = _NUMBER.match(text)
    return match["unit"] if match else ""


def matching_label(labels: Iterable[str], text: str) -> str | None:
    """Return the label that matches a text, or None.

    This is the identical one, or one that differs only in spaces (MCS7 for MCS 7), or the same quantity (200 cm for
    2 m).
    """
    known = list(labels)
    if text in known:
        return text
    packed, wanted = "".join(text.split()), amount(text)
    for label in known:
        if "".join(label.split()) == packed:
            return label
        own = amount(label)
        if own is not None and wanted is not None and own.equals(wanted):
            return label
    return None
