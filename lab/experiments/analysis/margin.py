# SPDX-License-Identifier: MIT
"""How clearly a claim holds or fails, as one number: above 0 it holds, below 0 it fails.

A comparison a < b has the margin (b - a) / max(|a|, |b|). ``and`` and ``all`` have the smallest margin of their parts,
``or`` and ``any`` the largest, ``not`` the negative: the robustness of temporal logics (G. E. Fainekos, G. J. Pappas,
"Robustness of temporal logic specifications for continuous-time signals", 2009), relative instead of absolute.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from lab.errors import InputError
from lab.experiments.analysis.claims import statement_of
from lab.experiments.analysis.series import Series
from lab.experiments.types import Claim, Experiment, Row
from lab.expressions.expression import Evaluator
from lab.expressions.grammar import Call, Comparison, Logic, Tree
from lab.expressions.values import Quantity

_LESS, _MORE = ("<", "<="), (">", ">=")


def margin(claim: Claim, experiment: Experiment, rows: Sequence[Row]) -> float | None:
    """Return the margin of a claim; None if it cannot be evaluated, since a point has no value."""
    try:
        tree, statement = statement_of(claim, experiment, rows)
        return _margin(tree, statement)
    except (InputError, OverflowError, ValueError):
        return None


def _margin(tree: Tree, statement: Evaluator) -> float:
    """Return the margin of a statement. Outside of all and any, each part of and, or, not is about all places."""
    match tree:
        case Logic(word="not"):
            return -_margin(tree.operands[0], statement)
        case Logic():
            return (min if tree.word == "and" else max)(_margin(operand, statement) for operand in tree.operands)
    return min(_margins(tree, statement))


def _margins(tree: Tree, statement: Evaluator) -> list[float]:
    """Return the margin at each place, or one for all."""
    match tree:
        case Comparison():
            values = [statement.value(operand) for operand in tree.operands]
            if all(isinstance(one, bool) for value in values for one in _values(value)):
                return [1.0 if one else -1.0 for one in _values(statement.value(tree))]
            operands = [_numbers(value) for value in values]
            links = [
                _compared(sign, left, right) for (left, right), sign in zip(pairwise(operands), tree.signs, strict=True)
            ]
            return _joined(links, min)
        case Logic(word="not"):
            return [-one for one in _margins(tree.operands[0], statement)]
        case Logic():
            parts = [_margins(operand, statement) for operand in tree.operands]
            return _joined(parts, min if tree.word == "and" else max)
        case Call(function="all" | "any"):
            pick = min if tree.function == "all" else max
            return [pick(one for argument in tree.arguments for one in _margins(argument, statement))]
        case Call(function="rising" | "falling"):
            numbers = _numbers(statement.value(tree.arguments[0]))
            sign = "<" if tree.function == "rising" else ">"
            return [min(one for pair in pairwise(numbers) for one in _compared(sign, [pair[0]], [pair[1]]))]
    return [1.0 if one else -1.0 for one in _values(statement.value(tree))]


def _values(value: Any) -> list[Any]:
    return list(value.values) if isinstance(value, Series) else [value]


def _numbers(value: Any) -> list[float]:
    """Return values in base units. ValueError: one is missing, or is not a number."""
    found = _values(value)
    if not all(isinstance(one, Quantity) for one in found):
        raise ValueError("not a number")
    return [float(one.base) for one in found]


def _compared(sign: str, left: Sequence[float], right: Sequence[float]) -> list[float]:
    size = max(len(left), len(right))
    pairs = zip(_wide(left, size), _wide(right, size), strict=True)
    return [_relative(sign, one, other) for one, other in pairs]


def _relative(sign: str, left: float, right: float) -> float:
    scale = max(abs(left), abs(right)) or 1.0
    if sign in _LESS:
        return (right - left) / scale
    if sign in _MORE:
        return (left - right) / scale
    apart = abs(left - right) / scale
    return apart if sign == "!=" else -apart


def _joined(parts: Sequence[Sequence[float]], pick: Any) -> list[float]:
    size = max(map(len, parts))
    return [pick(ones) for ones in zip(*(_wide(part, size) for part in parts), strict=True)]


def _wide(values: Sequence[float], size: int) -> Sequence[float]:
    return list(values) * size if len(values) == 1 else values
