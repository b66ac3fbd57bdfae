# SPDX-License-Identifier: MIT
"""Values in checks: numbers with units, texts, booleans and lists of them, and operations on them.

Two quantities are compared and added in the base unit of their dimension (ns, bit/s, B, …), so that 0.5 s equals
500 ms. Quantities of different dimensions, or with and without a unit, cannot be combined. An operation on a list
applies to each entry. None is a value that could not be computed: every comparison with it is false.
"""

from __future__ import annotations

import math
import operator
import re
import statistics
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial, reduce
from itertools import pairwise
from typing import Any

from lab import units
from lab.errors import InputError
from lab.text import short_hash

Number = float | Fraction
_SHOWN_MAX = 5  # entries of a list
_TEXT_MAX = 16
_HASH = re.compile("[0-9a-f]{64}", re.ASCII)


@dataclass(frozen=True)
class ValueWithUnit:
    """A number with a unit as users read it: ``Quantity(312, "ms")``. An unknown unit is kept as a label."""

    value: Number
    unit: str = ""

    @property
    def dimension(self) -> units.Dimension | None:
        """Its dimension; None for a plain number or a count."""
        return units.dimension_of(self.unit)

    @property
    def base(self) -> Number:
        """The number in the base unit of its dimension."""
        if self.dimension is None or not math.isfinite(self.value):
            return self.value
        return Fraction(self.value) * self.dimension.factors[self.unit]

    def within(self, unit: str) -> Number:
        """Convert the number to another unit of its dimension; a number without a dimension stays unchanged."""
        if self.dimension is None or unit == self.unit or not math.isfinite(self.value):
            return self.value
        return self.base / self.dimension.factors[unit]

    def __str__(self) -> str:
        value = float(self.value)
        number = str(int(value)) if value.is_integer() and abs(value) < 1e15 else f"{value:.6g}"
        return units.PERCENT.write(number, "%") if self.unit == "%" else f"{number} {self.unit}".strip()


class UndefinedError(InputError):
    """An operation without a result for these numbers, though it has one for others."""


Value = None | bool | str | ValueWithUnit | list[Any]


def value_of(raw: Any) -> Value | Mapping[str, Any]:
    """Convert a value of a context: plain numbers become quantities without a unit."""
    if raw is None or isinstance(raw, bool | str | ValueWithUnit | Mapping):
        return raw
    if isinstance(raw, int | float | Fraction):
        return ValueWithUnit(raw)
    if isinstance(raw, list | tuple):
        return [value_of(item) for item in raw]
    raise TypeError(f"{type(raw).__name__} in the context of a check")


def show(value: Any) -> str:
    """Format a value for a reader."""
    if value is None:
        return "no value"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        if _HASH.fullmatch(value):
            return short_hash(value)
        return value if len(value) <= _TEXT_MAX else f"{value[:_TEXT_MAX]}…"
    if isinstance(value, list):
        shown = ", ".join(show(item) for item in value[:_SHOWN_MAX])
        return f"[{shown}{', …' if len(value) > _SHOWN_MAX else ''}]"
    return str(value)


def spread(operation: Callable[[Any, Any], Any], left: Any, right: Any) -> Any:
    """Apply the operation, to each entry if one or both sides are lists.

    Raises:
        InputError: If lists have different lengths.
    """
    if not isinstance(left, list) and not isinstance(right, list):
        return operation(left, right)
    size = len(left) if isinstance(left, list) else len(right)
    lefts = left if isinstance(left, list) else [left] * size
    rights = right if isinstance(right, list) else [right] * size
    if len(lefts) != len(rights):
        raise UndefinedError(f"{len(lefts)} values cannot be paired with {len(rights)}")
    return [spread(operation, *pair) for pair in zip(lefts, rights, strict=True)]


def holds(value: Any) -> bool:
    """Return whether a result is true, or a list in which all are.

    Raises:
        InputError: If it is not a boolean.
    """
    if isinstance(value, list):
        return all([holds(item) for item in value])
    if isinstance(value, bool):
        return value
    if value is None:
        return False
    raise InputError("the result is not true or false; write a comparison, such as outage.max < 500 ms")


_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
COMPARISONS = tuple(_COMPARE)


def compare(sign: str, left: Any, right: Any) -> bool:
    """Compare two single values.

    Raises:
        InputError: If they cannot be compared.
    """
    if left is None or right is None:
        return False
    if isinstance(left, ValueWithUnit) and isinstance(right, ValueWithUnit):
        return _COMPARE[sign](*_alike(left, right))
    if type(left) is not type(right) or isinstance(left, Mapping):
        raise InputError(f"{_kind(left)} cannot be compared with {_kind(right)}")
    if sign not in ("==", "!=") and not isinstance(left, str):
        raise InputError(f"{_kind(left)} has no order; compare it with == or !=")
    return _COMPARE[sign](left, right)


def _kind(value: Any) -> str:
    if isinstance(value, Mapping):
        return f"a group of values ({', '.join(map(str, value))})"
    if isinstance(value, bool):
        return f"the truth value {show(value)}"
    return f'the text "{show(value)}"' if isinstance(value, str) else f"the number {show(value)}"


def _alike(left: ValueWithUnit, right: ValueWithUnit) -> tuple[Number, Number]:
    """Convert both to the base unit of their common dimension."""
    if left.dimension is right.dimension:
        return left.base, right.base
    for bare, other in ((left, right), (right, left)):
        if bare.dimension is None and other.dimension is not None and not bare.unit:
            raise InputError(f'"{bare}" has no unit; write {ValueWithUnit(bare.value, other.unit)}')
    names = [
        f"a {side.dimension.name} (in {side.unit})" if side.dimension else f"a number of {side.unit}"
        for side in (left, right)
    ]
    raise InputError(f"{names[0]} cannot be compared with {names[1]}")


def _of_two(operation: Callable[[ValueWithUnit, ValueWithUnit], ValueWithUnit]) -> Callable[[Any, Any], Any]:
    """Make a function of two numbers, which has no value if one of them has none."""

    def function(left: Any, right: Any) -> Any:
        return None if left is None or right is None else operation(_number(left), _number(right))

    return function


def _linear(operation: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """Make a function whose result is in the unit of the left side."""

    def function(a: ValueWithUnit, b: ValueWithUnit) -> ValueWithUnit:
        factor = a.dimension.factors[a.unit] if a.dimension else Fraction(1)
        return ValueWithUnit(operation(*_alike(a, b)) / factor, a.unit)

    return _of_two(function)


add = _linear(operator.add)
subtract = _linear(operator.sub)


@_of_two
def multiply(a: ValueWithUnit, b: ValueWithUnit) -> ValueWithUnit:
    """Multiply a quantity by a plain number."""
    if a.unit and b.unit:
        raise InputError(f"{a} times {b} has no known unit; one of the two must be a plain number")
    return ValueWithUnit(a.value * b.value, a.unit or b.unit)


@_of_two
def divide(a: ValueWithUnit, b: ValueWithUnit) -> ValueWithUnit:
    """Divide two quantities of one dimension, or a quantity by a plain number."""
    return ValueWithUnit(_quotient(*_alike(a, b))) if b.unit else ValueWithUnit(_quotient(a.value, b.value), a.unit)


def _quotient(numerator: Number, denominator: Number) -> Number:
    if denominator == 0:
        raise UndefinedError("division by 0")
    if isinstance(numerator, int) and isinstance(denominator, int):
        return Fraction(numerator, denominator)
    return numerator / denominator


def _of_whole(operation: Callable[[int, int], int]) -> Callable[[Any, Any], Any]:
    def function(left: ValueWithUnit, right: ValueWithUnit) -> ValueWithUnit:
        a, b = _whole(left), _whole(right)
        if b == 0:
            raise UndefinedError("division by 0")
        return ValueWithUnit(operation(a, b))

    return _of_two(function)


floor_divide = _of_whole(operator.floordiv)  # rounded down
remainder = _of_whole(operator.mod)  # what it leaves, with the sign of the right side


def _whole(quantity: ValueWithUnit) -> int:
    if quantity.unit:
        raise InputError(f"{quantity} has a unit; // and % are for plain whole numbers")
    if not math.isfinite(quantity.value) or quantity.value != int(quantity.value):
        raise UndefinedError(f"{quantity} is not a whole number; // and % are for whole numbers")
    return int(quantity.value)


def negate(value: Any) -> Any:
    """Negate a number."""
    if isinstance(value, list):
        return [negate(item) for item in value]
    return None if value is None else ValueWithUnit(-_number(value).value, value.unit)


def _number(value: Any) -> ValueWithUnit:
    if not isinstance(value, ValueWithUnit):
        raise InputError(f"{_kind(value)} is not a number")
    return value


def flat(values: Iterable[Any]) -> list[Any]:
    """Return the entries of all lists among the values, and the other values."""
    found: list[Any] = []
    for value in values:
        found += flat(value) if isinstance(value, list) else [value]
    return found


def _comparable(arguments: list[Any]) -> list[ValueWithUnit]:
    """Return all entries, checked to be comparable; an empty list if one has no value."""
    values = flat(arguments)
    if not values or any(value is None for value in values):
        return []
    for value in values:
        _alike(_number(values[0]), _number(value))
    return values


def _extreme(pick: Callable[..., ValueWithUnit]) -> Callable[[list[Any]], Any]:
    def function(arguments: list[Any]) -> Any:
        values = _comparable(arguments)
        return pick(values, key=lambda value: value.base) if values else None

    return function


def larger(left: Any, right: Any) -> Any:
    """Return the larger of two quantities, or of each pair of two lists."""
    if isinstance(left, list) and isinstance(right, list):
        if len(left) != len(right):
            raise InputError(f"lists of {len(left)} and {len(right)} entries have no envelope")
        return [larger(one, other) for one, other in zip(left, right, strict=True)]
    return _extreme(max)([left, right])


def _sum(arguments: list[Any]) -> Any:
    values = flat(arguments)
    total = values[0] if values else ValueWithUnit(0)
    for value in values[1:]:
        total = add(total, value)
    return total


def _mean(arguments: list[Any]) -> Any:
    values = flat(arguments)
    return divide(_sum(values), ValueWithUnit(len(values))) if values else None


def _median(arguments: list[Any]) -> Any:
    values = _comparable(arguments)
    if not values:
        return None
    ordered = sorted(values, key=lambda value: value.base)
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else _mean(ordered[middle - 1 : middle + 1])


def _percentile(share: int, arguments: list[Any]) -> Any:
    """Return a percentile: between two entries, linear (R's type 7, NumPy's default)."""
    ordered = sorted(_comparable(arguments), key=lambda value: value.base)
    if not ordered:
        return None
    below, part = divmod(share * (len(ordered) - 1), 100)
    if not part:
        return ordered[below]
    return add(ordered[below], multiply(subtract(ordered[below + 1], ordered[below]), ValueWithUnit(part / 100)))


def _share(arguments: list[Any]) -> ValueWithUnit:
    found = [holds(value) for value in flat(arguments)]
    if not found:
        raise UndefinedError("share needs at least one entry")
    return ValueWithUnit(100 * sum(found) / len(found), "%")


def _monotone(sign: str) -> Callable[[list[Any]], bool]:
    def function(arguments: list[Any]) -> bool:
        return all([compare(sign, before, after) for before, after in pairwise(flat(arguments))])

    return function


def _trend(arguments: list[Any]) -> Any:
    """Return Spearman's rank correlation of the entries with their order; equal entries share their mean rank."""
    values = _comparable(arguments)
    if len(values) < 2:
        return None
    ordered = sorted(float(value.base) for value in values)
    mean_rank = (len(ordered) - 1) / 2
    order = [place - mean_rank for place in range(len(ordered))]
    ranks = [
        (bisect_left(ordered, float(value.base)) + bisect_right(ordered, float(value.base)) - 1) / 2 - mean_rank
        for value in values
    ]
    spread = math.sqrt(math.fsum(one * one for one in order) * math.fsum(one * one for one in ranks))
    together = math.fsum(place * rank for place, rank in zip(order, ranks, strict=True))
    return ValueWithUnit(round(together / spread, 12) if spread else 0)


def _at(index: int) -> Callable[[list[Any]], Any]:
    def function(arguments: list[Any]) -> Any:
        values = flat(arguments)
        return values[index] if values else None

    return function


def _geomean(arguments: list[Any]) -> Any:
    values = flat(arguments)
    if not values or any(value is None for value in values):
        return None
    numbers = [float(_alike(_number(values[0]), _number(value))[1]) for value in values]
    if min(numbers) <= 0:
        raise UndefinedError("geomean needs numbers above 0")
    factor = float(_alike(values[0], values[0])[0]) / float(values[0].value)
    return ValueWithUnit(math.exp(math.fsum(map(math.log, numbers)) / len(numbers)) / factor, values[0].unit)


def _deviation(arguments: list[Any]) -> Any:
    values = _comparable(arguments)
    if len(values) < 2:
        return None
    unit, dimension = values[0].unit, values[0].dimension
    spread = statistics.stdev([float(value.base) for value in values])
    return ValueWithUnit(spread / float(dimension.factors[unit]) if dimension else spread, unit)


def _of_each(one: Callable[[ValueWithUnit], ValueWithUnit]) -> Callable[[list[Any]], Any]:
    """Make a function of one number, which applies to each entry of a list."""

    def function(arguments: list[Any]) -> Any:
        (value,) = arguments
        if isinstance(value, list):
            return [function([item]) for item in value]
        return None if value is None else one(_number(value))

    return function


def _abs(number: ValueWithUnit) -> ValueWithUnit:
    return ValueWithUnit(-number.value, number.unit) if number.value < 0 else number


def _plain(function: Callable[[float], float], what: str) -> Callable[[list[Any]], Any]:
    """Make a function of plain numbers. Results have 12 digits after the point: cos(pi / 2) is 0, on every host."""

    def one(number: ValueWithUnit) -> ValueWithUnit:
        if number.unit:
            raise InputError(f"{number} has a unit; {what} takes a plain number")
        try:
            return ValueWithUnit(round(function(float(number.value)), 12) + 0.0)
        except ValueError:
            raise UndefinedError(f"{what} of {number} is not defined") from None

    return _of_each(one)


def _len(arguments: list[Any]) -> Any:
    (value,) = arguments
    if value is not None and not isinstance(value, list | str):
        raise InputError(f"{_kind(value)} has no length")
    return None if value is None else ValueWithUnit(len(value))


@dataclass(frozen=True)
class Function:
    """A function of the expression language."""

    call: Callable[[list[Any]], Any]
    about: str
    single: bool = False  # takes exactly one argument
    each: bool = False  # applies to each entry of a series by itself


FUNCTIONS: dict[str, Function] = {
    "abs": Function(_of_each(_abs), "absolute value", single=True, each=True),
    "all": Function(lambda arguments: holds(flat(arguments)), "whether all hold"),
    "any": Function(lambda arguments: any([holds(value) for value in flat(arguments)]), "whether at least one holds"),
    "cos": Function(_plain(math.cos, "cos"), "cosine of an angle in radians", single=True, each=True),
    "deviation": Function(_deviation, "sample standard deviation; none for a single entry"),
    "envelope": Function(lambda arguments: reduce(larger, arguments), "the largest at each place of several series"),
    "falling": Function(_monotone(">="), "whether no entry is greater than the one before it", single=True),
    "first": Function(_at(0), "the first entry", single=True),
    "geomean": Function(_geomean, "geometric mean"),
    "last": Function(_at(-1), "the last entry", single=True),
    "len": Function(_len, "number of entries or characters", single=True),
    "max": Function(_extreme(max), "the largest"),
    "mean": Function(_mean, "arithmetic mean"),
    "median": Function(_median, "median"),
    "min": Function(_extreme(min), "the smallest"),
    **{f"p{share}": Function(partial(_percentile, share), f"the {share}th percentile") for share in (90, 95, 99)},
    "rising": Function(_monotone("<="), "whether no entry is less than the one before it", single=True),
    "share": Function(_share, "percentage of entries that hold"),
    "sin": Function(_plain(math.sin, "sin"), "sine of an angle in radians", single=True, each=True),
    "sqrt": Function(_plain(math.sqrt, "sqrt"), "square root", single=True, each=True),
    "sum": Function(_sum, "the sum"),
    "trend": Function(
        _trend,
        "Spearman's rank correlation of the entries with their order: 1 if each is greater than the one before it, -1 "
        "if each is less, 0 if all are equal",
        single=True,
    ),
}
