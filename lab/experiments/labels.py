# SPDX-License-Identifier: MIT
"""Labels of an axis: names, numbers, or quantities of one dimension; ranges of them; the label that matches a text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from decimal import Decimal
from fractions import Fraction

from lab import units
from lab.errors import suggestion
from lab.experiments.types import Axis, Level
from lab.expressions.values import ValueWithUnit
from lab.model.experiment import LEVELS_MAX, Range

_NUMBER = re.compile(r"\s*(?P<number>[+-]?(?:\d{1,30}(?:\.\d{0,30})?|\.\d{1,30}))\s*(?P<unit>.*?)\s*\Z", re.DOTALL)


def amount(label: str) -> ValueWithUnit | None:
    """Parse a label as a number with or without a unit; None if it is a name, such as ``MCS 7``."""
    match = _NUMBER.match(label)
    if match is None or (match["unit"] and units.dimension_of(match["unit"]) is None):
        return None
    return ValueWithUnit(Fraction(match["number"]), match["unit"])


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
        if own and wanted and own.dimension is wanted.dimension and own.base == wanted.base:
            return label
    return None


def label_in(axis: Axis, text: str) -> str | None:
    """Return the label of an axis that matches a text, or None."""
    return matching_label((level.label for level in axis.levels), text)


def listed(axis: Axis, most: int = 20) -> str:
    """List the labels of an axis for a message."""
    return ", ".join(level.label for level in axis.levels[:most]) + (", …" if len(axis.levels) > most else "")


def unknown_label(axis: Axis, text: str) -> str:
    """Explain a value that an axis does not have."""
    hint = suggestion(text, [level.label for level in axis.levels])
    return f'the axis {axis.name} has no value "{text}"{hint}; known: {listed(axis)}'


_DIGITS = 6  # significant digits of the values between the ends of a range given by its number of points

Refuse = Callable[[str, str | int | None], None]  # (message, key or entry of the axis)


def axis(name: str, labels: list[str], refuse: Refuse) -> Axis:
    """Build an axis with these values. If one is a name, all are; else their units must have one dimension."""
    found = [amount(label) for label in labels]
    amounts = [one for one in found if one is not None]
    unit = amounts[0].unit if len(amounts) == len(labels) and _alike(amounts, refuse) else None
    levels = tuple(
        Level(label, float(one.within(unit)) if one is not None and unit is not None else None)
        for label, one in zip(labels, found, strict=True)
    )
    first: dict[object, str] = {}
    for index, (level, one) in enumerate(zip(levels, found, strict=True)):
        same = one.within(unit) if one is not None and unit is not None else level.label
        if same in first:
            other = "" if first[same] == level.label else f" of {first[same]}"
            refuse(f'"{level.label}" is a duplicate{other}; remove one of them', index)
        first[same] = level.label
    return Axis(name, levels, unit or None)


def _alike(amounts: list[ValueWithUnit], refuse: Refuse) -> bool:
    """Return whether all have units of one dimension, or none."""
    first = next((one for one in amounts if one.unit), amounts[0])
    for index, one in enumerate(amounts):
        if one.dimension is not first.dimension:
            refuse(_mismatch(one, first), index)
            return False
    return True


def _mismatch(one: ValueWithUnit, other: ValueWithUnit) -> str:
    assert other.dimension is not None  # else neither has a unit
    number = decimal(Fraction(one.value))
    if one.dimension is None:
        return f'"{number}" has no unit; write {other.dimension.write(number, other.unit)}'
    return (
        f'"{one.dimension.write(number, one.unit)}": {one.unit} measures a {one.dimension.name}, but '
        f"{other.unit} a {other.dimension.name}; write values of one axis in units of one dimension"
    )


def decimal(number: Fraction) -> str:
    """Format a number without an exponent, with nine digits if its decimals do not end."""
    value = Decimal(number.numerator) / Decimal(number.denominator)
    text = f"{value:f}" if Fraction(value) == number else f"{Decimal(f'{value:.8e}'):f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def spread(model: Range, refuse: Refuse) -> list[str]:
    """Return the labels of a range; empty if it is invalid, after reporting why."""
    bounds = {"from": model.from_, "to": model.to} | ({"step": model.step} if model.step is not None else {})
    amounts = {key: _wanted(key, text, refuse) for key, text in bounds.items()}
    start, stop, step = (amounts.get(key) for key in ("from", "to", "step"))
    if start is None or stop is None or (step is None and model.step is not None):
        return []
    for key in ("to", "step"):
        one = amounts.get(key)
        if one is not None and one.dimension is not start.dimension:
            refuse(_mismatch(one, start) if start.unit else _mismatch(start, one), key if start.unit else "from")
            return []
    first, last = Fraction(start.value), Fraction(stop.within(start.unit))
    if last <= first:
        refuse(f"{model.to} is not above from: {model.from_}; write the larger value here", "to")
        return []
    if step:
        numbers = _stepped(first, last, Fraction(step.within(start.unit)), refuse)
    else:
        numbers = _pointed(model, first, last, refuse)
    write = start.dimension.write if start.dimension is not None else lambda number, unit: number
    return [write(decimal(number), start.unit) for number in numbers]


def _wanted(key: str, text: str, refuse: Refuse) -> ValueWithUnit | None:
    """Parse a bound of a range; report what is wrong with it."""
    found = amount(text)
    if found is None:
        unit = unit_of(text)
        known = units.known_units()
        what = (
            f'unknown unit "{unit}"{suggestion(unit, known)}; known: {", ".join(known)}' if unit else "is not a number"
        )
        refuse(f'"{text}": {what}' if unit else f'"{text}" {what}; write for example 5 m', key)
    return found


def _stepped(first: Fraction, last: Fraction, step: Fraction, refuse: Refuse) -> Iterator[Fraction]:
    """Yield numbers from the first to the last, or to the last step before it."""
    if step <= 0:
        refuse("must be above 0", "step")
        return
    count = (last - first) // step + 1
    if count > LEVELS_MAX:
        refuse(f"gives {count} values, but an axis has at most {LEVELS_MAX}; write a larger step", "step")
        return
    yield from (first + index * step for index in range(count))


def _pointed(model: Range, first: Fraction, last: Fraction, refuse: Refuse) -> Iterator[Fraction]:
    """Yield ``points`` numbers, including both ends."""
    assert model.points is not None  # ensured by the model
    if model.spacing == "log" and first <= 0:
        refuse(f"{model.from_} is not above 0, where a logarithmic range must start", "from")
        return
    yield first
    for index in range(1, model.points - 1):
        share = Fraction(index, model.points - 1)
        if model.spacing == "linear":
            exact = first + share * (last - first)
            yield exact if len(decimal(exact)) <= _DIGITS + 2 else _rounded(float(exact))
        else:
            yield _rounded(float(first) * (float(last) / float(first)) ** float(share))
    yield last


def _rounded(number: float) -> Fraction:
    """Round to a few digits, as a person would write it."""
    return Fraction(Decimal(f"{number:.{_DIGITS - 1}e}"))
