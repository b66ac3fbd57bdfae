# SPDX-License-Identifier: MIT
"""The language of checks: ``outage.max < 500 ms and fetch.sha256 == file.sha256``.

Names are looked up in nested mappings: processes and probes by name, with ``exit``, ``sha256`` and whatever their
parser found; files with ``sha256``, ``size``, ``path``; metrics with ``min``, ``max``, ``mean`` and so on. Figures
with a unit are given as ``Quantity(312, "ms")`` and compared in base units. A list (a process that several nodes run)
holds where all of its entries do; ``any(…)`` asks for one of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from lab.errors import InputError, suggestion
from lab.expressions import values
from lab.expressions.grammar import Arithmetic, Call, Comparison, Indexed, Literal, Logic, Name, Tree, parse, walk
from lab.expressions.values import Quantity

__all__ = ["Evaluator", "Outcome", "Quantity", "Unmeasured", "check", "evaluate", "names"]


@dataclass(frozen=True)
class Outcome:
    """Whether a check holds, and the values that say so."""

    passed: bool
    explanation: str


class Unmeasured(Mapping[str, Any]):
    """Stands for the values of a process before it has run: whatever is asked for has no value yet."""

    def __getitem__(self, key: str) -> None:
        return None

    def __iter__(self) -> Iterator[str]:
        return iter(("exit",))

    def __len__(self) -> int:
        return 1

    def __contains__(self, key: object) -> bool:
        return True


def check(text: str, context: Mapping[str, Any]) -> None:
    """Refuse what could never be judged, before anything runs.

    ``context`` has every name that there will be: metrics with any figure in their unit, ``Unmeasured`` for processes.

    Raises:
        InputError: it is no check, names what there will not be, or compares what cannot be compared.
    """
    try:
        values.holds(_value(parse(text), context))
    except values.UndefinedError:
        return  # depends on the figures
    except OverflowError:
        raise InputError("a number in it is too large") from None


def names(text: str) -> list[tuple[str, ...]]:
    """Every name in a check, split at its dots, in order.

    Raises:
        InputError: it is no check; shows where.
    """
    return [part.path for part in walk(parse(text)) if isinstance(part, Name)]


def evaluate(text: str, context: Mapping[str, Any]) -> Outcome:
    """Judge a check.

    A name without a value in ``context``, or values that cannot be compared, fail the check and are told in its
    explanation: a run is over when checks are judged, and its record is worth keeping.

    Raises:
        InputError: it is no check; shows where.
    """
    tree = parse(text)
    try:
        result = values.holds(_value(tree, context))
        return Outcome(result, "; ".join(_explain(tree, context)))
    except InputError as error:
        return Outcome(False, f"cannot be judged: {error.message}")
    except OverflowError:
        return Outcome(False, "cannot be judged: a number in it is too large")


_ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "+": values.add,
    "-": values.subtract,
    "*": values.multiply,
    "/": values.divide,
}


class Evaluator:
    """Goes through a tree; names are looked up in ``context``."""

    def __init__(self, context: Mapping[str, Any]) -> None:
        self.context = context

    def value(self, tree: Tree) -> Any:
        """What a tree comes to.

        Raises:
            InputError: an unknown name, or values that do not go together.
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
        """The value of a name."""
        return _look_up(name, self.context)

    def select(self, tree: Indexed) -> Any:
        """The value of a name with labels."""
        raise InputError(f"{tree.text}: there are no labels here")

    def call(self, tree: Call) -> Any:
        """The value of a function."""
        return values.FUNCTIONS[tree.function].call([self.value(argument) for argument in tree.arguments])

    def negate(self, value: Any) -> Any:
        """The value with the other sign."""
        return values.negate(value)

    def spread(self, operation: Callable[[Any, Any], Any], left: Any, right: Any) -> Any:
        """The operation, on each entry where there are several."""
        return values.spread(operation, left, right)

    def compared(self, tree: Comparison, operands: list[Any]) -> Any:
        """All comparisons of a chain together."""
        results = [
            self.spread(partial(values.compare, sign), left, right)
            for left, sign, right in zip(operands, tree.signs, operands[1:], strict=False)
        ]
        if len(results) == 1:
            return results[0]
        return all([self.holds(result) for result in results])

    def logic(self, tree: Logic) -> bool:
        """``and``, ``or`` and ``not``; every operand is evaluated, so that mistakes in any of them are found."""
        truths = [self.holds(self.value(operand)) for operand in tree.operands]
        if tree.word == "not":
            return not truths[0]
        return all(truths) if tree.word == "and" else any(truths)

    def holds(self, value: Any) -> bool:
        """Whether a result is a yes."""
        return values.holds(value)


def _value(tree: Tree, context: Mapping[str, Any]) -> Any:
    """What a tree comes to."""
    return Evaluator(context).value(tree)


def _look_up(name: Name, context: Mapping[str, Any]) -> Any:
    """A value of the context. InputError: there is none, with those there are."""
    found: Any = context
    for depth, word in enumerate(name.path):
        if isinstance(found, list):
            found = [_member(item, word, name.path[:depth]) for item in found]
        else:
            found = _member(found, word, name.path[:depth])
    if isinstance(found, Mapping) or (isinstance(found, list) and any(isinstance(item, Mapping) for item in found)):
        one = found[0] if isinstance(found, list) else found
        raise InputError(f"{name.text} has several values; write {name.text}.{next(iter(one), '…')} or the like")
    return found


def _member(holder: Any, word: str, path: tuple[str, ...]) -> Any:
    about = ".".join(path)
    if holder is None:
        return None
    if not isinstance(holder, Mapping):
        raise InputError(f"{about} is a single value, there is no {word} in it")
    if word not in holder:
        known = ", ".join(map(str, holder)) or "nothing"
        where = f"{about} has no" if about else "there is no"
        raise InputError(f'{where} "{word}"{suggestion(word, map(str, holder))}; known: {known}')
    return values.value_of(holder[word])


def _explain(tree: Tree, context: Mapping[str, Any]) -> list[str]:
    """What the parts of a check came to."""
    match tree:
        case Comparison():
            return [
                _explain_pair(left, sign, right, context)
                for left, sign, right in zip(tree.operands, tree.signs, tree.operands[1:], strict=False)
            ]
        case Logic(word="not"):
            return [f"not ({'; '.join(_explain(tree.operands[0], context))})"]
        case Logic():
            return [line for operand in tree.operands for line in _explain(operand, context)]
        case Call(function="all" | "any"):
            inner = [line for argument in tree.arguments for line in _explain(argument, context)]
            return [f"{tree.function}({'; '.join(inner)})"]
    return [_shown(tree, context)]


def _explain_pair(left: Tree, sign: str, right: Tree, context: Mapping[str, Any]) -> str:
    """``outage.max = 312 ms, wanted < 500 ms``."""
    if isinstance(left, Literal):
        return f"{left.text} {sign} {_shown(right, context)}"
    text = f"{_shown(left, context)}, wanted {sign} {_shown(right, context)}"
    result = values.spread(partial(values.compare, sign), _value(left, context), _value(right, context))
    if isinstance(result, list):
        text += f" ({sum(map(values.holds, result))} of {len(result)} hold)"
    return text


def _shown(tree: Tree, context: Mapping[str, Any]) -> str:
    """A part of a check and its value."""
    return tree.text if isinstance(tree, Literal) else f"{tree.text} = {values.show(_value(tree, context))}"
