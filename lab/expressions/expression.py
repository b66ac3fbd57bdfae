# SPDX-License-Identifier: MIT
"""The language of checks: ``outage.max < 500 ms and fetch.sha256 == file.sha256``.

Names are looked up in nested mappings: processes and probes by name, with ``exit``, ``sha256`` and the values of their
parser; files with ``sha256``, ``size``, ``path``; metrics with ``min``, ``max``, ``mean`` and so on. Numbers with a
unit are passed as ``Quantity(312, "ms")`` and compared in base units. A list (a process that several nodes run) holds
if all its entries do; ``any(…)`` requires only one of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from lab.errors import InputError, suggestion
from lab.expressions import values
from lab.expressions.grammar import Arithmetic, Call, Comparison, Indexed, Literal, Logic, Name, Tree, parse, walk
from lab.expressions.values import ValueWithUnit

__all__ = ["ValueWithUnit"]


@dataclass(frozen=True)
class CheckOutcome:
    """Whether a check holds, and the values that show it."""

    passed: bool
    explanation: str


class Unmeasured(Mapping[str, Any]):
    """Placeholder for the values of a process before it has run: every name exists.

    Names in ``units`` have a number in that unit, so that comparisons with other units are refused; others no value.
    """

    def __init__(self, units: Mapping[str, str] | None = None) -> None:
        self._units = units or {}

    def __getitem__(self, key: str) -> ValueWithUnit | None:
        return ValueWithUnit(1, self._units[key]) if key in self._units else None

    def __iter__(self) -> Iterator[str]:
        return iter(("exit",))

    def __len__(self) -> int:
        return 1

    def __contains__(self, key: object) -> bool:
        return True


def check(text: str, context: Mapping[str, Any]) -> None:
    """Refuse a check that can never be evaluated, before anything runs.

    ``context`` has every name that will exist: metrics with any number in their unit, ``Unmeasured`` for processes.

    Raises:
        InputError: If the syntax is not valid, a name is unknown, or values cannot be compared.
    """
    try:
        values.holds(Evaluator(context).value(parse(text)))
    except values.UndefinedError:
        return  # depends on the measured values
    except OverflowError:
        raise InputError("a number in it is too large") from None


def names(text: str) -> list[tuple[str, ...]]:
    """Return every name in a check, split at its dots, in order.

    Raises:
        InputError: If it is not a check; shows where.
    """
    return [part.path for part in walk(parse(text)) if isinstance(part, Name)]


def evaluate(text: str, context: Mapping[str, Any]) -> CheckOutcome:
    """Evaluate a check.

    A name without a value in ``context``, or values that cannot be compared, fail the check and are reported in its
    explanation instead of as an error: the run is already over, and its record is worth keeping.

    Raises:
        InputError: If it is not a check; shows where.
    """
    tree, evaluator = parse(text), Evaluator(context)
    try:
        result = values.holds(evaluator.value(tree))
        return CheckOutcome(result, "; ".join(_explain(tree, evaluator)))
    except InputError as error:
        return CheckOutcome(False, f"cannot be evaluated: {error.message}")
    except OverflowError:
        return CheckOutcome(False, "cannot be evaluated: a number in it is too large")


_ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "+": values.add,
    "-": values.subtract,
    "*": values.multiply,
    "/": values.divide,
    "//": values.floor_divide,
    "%": values.remainder,
}


class Evaluator:
    """Evaluates a tree; names are looked up in ``context``."""

    def __init__(self, context: Mapping[str, Any]) -> None:
        self.context = context

    def value(self, tree: Tree) -> Any:
        """Return the value of a tree.

        Raises:
            InputError: If a name is unknown, or values cannot be combined.
        """
        match tree:
            case Literal():
                return tree.value
            case Name():
                return self.look_up(tree)
            case Indexed():
                return self.select(tree)
            case Call():
                return self.call(tree)
            case Arithmetic(left=None):
                return self.negate(self.value(tree.right))
            case Arithmetic():
                assert tree.left is not None
                return self.spread(_ARITHMETIC[tree.sign], self.value(tree.left), self.value(tree.right))
            case Comparison():
                return self.compared(tree, [self.value(operand) for operand in tree.operands])
            case Logic():
                return self.logic(tree)

    def look_up(self, name: Name) -> Any:
        """Return the value of a name; raise InputError with the known names if it is unknown."""
        found: Any = self.context
        for depth, word in enumerate(name.path):
            about = ".".join(name.path[:depth])
            several = isinstance(found, list)
            found = [_member(one, word, about) for one in found] if several else _member(found, word, about)
        if isinstance(found, Mapping) or (isinstance(found, list) and any(isinstance(item, Mapping) for item in found)):
            one = found[0] if isinstance(found, list) else found
            choice = f"{'one of ' if len(one) > 1 else ''}{name.text}.{', .'.join(one) or '…'}"
            raise InputError(f"{name.text} has several values; write {choice}")
        return found

    def select(self, tree: Indexed) -> Any:
        """Return the value of a name with labels."""
        raise InputError(f"{tree.text}: labels are for claims only; write the name alone")

    def call(self, tree: Call) -> Any:
        """Return the value of a function call."""
        return values.FUNCTIONS[tree.function].call([self.value(argument) for argument in tree.arguments])

    def negate(self, value: Any) -> Any:
        """Return the negated value."""
        return values.negate(value)

    def spread(self, operation: Callable[[Any, Any], Any], left: Any, right: Any) -> Any:
        """Apply the operation, to each entry of a list."""
        return values.spread(operation, left, right)

    def compared(self, tree: Comparison, operands: list[Any]) -> Any:
        """Evaluate a chain of comparisons."""
        results = [
            self.spread(partial(values.compare, sign), left, right)
            for left, sign, right in zip(operands, tree.signs, operands[1:], strict=False)
        ]
        if len(results) == 1:
            return results[0]
        return all([self.holds(result) for result in results])

    def logic(self, tree: Logic) -> bool:
        """Evaluate ``and``, ``or`` and ``not``, and always every operand, so that mistakes in all of them are found."""
        truths = [self.holds(self.value(operand)) for operand in tree.operands]
        if tree.word == "not":
            return not truths[0]
        return all(truths) if tree.word == "and" else any(truths)

    def holds(self, value: Any) -> bool:
        """Return whether a result counts as true."""
        return values.holds(value)


def _member(holder: Any, word: str, about: str) -> Any:
    if holder is None:
        return None
    if not isinstance(holder, Mapping):
        raise InputError(f"{about} is a single value, so it has no {word}")
    if word not in holder:
        known = ", ".join(map(str, holder)) or "nothing"
        where = f"{about} has no" if about else "unknown name"
        raise InputError(f'{where} "{word}"{suggestion(word, map(str, holder))}; known: {known}')
    return values.value_of(holder[word])


def _explain(tree: Tree, evaluator: Evaluator) -> list[str]:
    match tree:
        case Comparison():
            return [
                _explain_pair(left, sign, right, evaluator)
                for left, sign, right in zip(tree.operands, tree.signs, tree.operands[1:], strict=False)
            ]
        case Logic(word="not"):
            return [f"not ({'; '.join(_explain(tree.operands[0], evaluator))})"]
        case Logic():
            return [line for operand in tree.operands for line in _explain(operand, evaluator)]
        case Call(function="all" | "any"):
            inner = [line for argument in tree.arguments for line in _explain(argument, evaluator)]
            return [f"{tree.function}({'; '.join(inner)})"]
    return [_shown(tree, evaluator)]


def _explain_pair(left: Tree, sign: str, right: Tree, evaluator: Evaluator) -> str:
    """Explain a comparison: ``outage.max = 312 ms, wanted < 500 ms``; equal values once: ``both are 3``."""
    if isinstance(left, Literal):
        return f"{left.text} {sign} {_shown(right, evaluator)}"
    text = f"{_shown(left, evaluator)}, wanted {sign} {_shown(right, evaluator)}"
    result = values.spread(partial(values.compare, sign), evaluator.value(left), evaluator.value(right))
    if sign == "==" and result is True and not isinstance(right, Literal):
        return f"both are {values.show(evaluator.value(right))}"
    if isinstance(result, list):
        text += f" ({sum(map(values.holds, result))} of {len(result)} hold)"
    return text


def _shown(tree: Tree, evaluator: Evaluator) -> str:
    return tree.text if isinstance(tree, Literal) else f"{tree.text} = {values.show(evaluator.value(tree))}"
