# SPDX-License-Identifier: MIT
"""Claims: statements about series of an experiment, refused before anything runs or judged after.

``all(throughput[quick] > throughput[never])`` compares two series place by place; ``geomean(quick / never)`` sums one
up. The language is that of checks (lab.expressions.expression) with labels behind names (numbers.series). A claim on
points that have no value fails: what was not measured is not shown.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from itertools import pairwise
from typing import Any

from lab.errors import InputError
from lab.experiments.analysis.series import Grid, Place, Selection, Series, paired, told
from lab.experiments.types import Claim, Experiment, Row, Summary, Verdict
from lab.expressions import values as language
from lab.expressions.expression import Evaluator
from lab.expressions.grammar import Call, Comparison, Indexed, Language, Literal, Logic, Name, Tree, parse, walk
from lab.expressions.values import Quantity, UndefinedError
from lab.numbers import plain

_LANGUAGE = Language("claim", "a comparison, such as all(throughput[quick] > throughput[never])", labels=True)
_TRIES = (2.0, -2.0)  # the first number before anything is measured; the others follow it
_PLACES_MAX = 3  # told one by one
_ALONG = ("rising", "falling", "first", "last")  # need places in a line
_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}


def check(claim: Claim, experiment: Experiment) -> None:
    """Refuse what could never be judged, before anything runs.

    Raises:
        InputError: with FILE:LINE; it is no claim, names no series of the experiment, pairs series over different
            places, or compares what cannot be compared.
    """
    try:
        tree = parse(claim.that, _LANGUAGE)
        grid = Grid(experiment)
        for first in _TRIES:
            numbers = {point.number: first + index for index, point in enumerate(experiment.points)}
            statement = _Statement(grid, {(name, point): numbers[point] for name in grid.metrics for point in numbers})
            try:
                statement.holds(statement.value(tree))
            except UndefinedError:
                continue  # depends on the numbers
            except OverflowError:
                raise InputError("a number in it is too large") from None
    except InputError as error:
        raise InputError(
            f'claim "{claim.name}": {error.message}', where=claim.source or None, hint=error.hint
        ) from None


def judge(claim: Claim, experiment: Experiment, rows: Sequence[Row]) -> Verdict:
    """Whether a claim holds, with the numbers that say so.

    It fails where a point that it needs has no value, and tells which; it is judged on the means (or medians) of the
    trials that there are, and tells how many there are not.
    """
    summaries = {(name, row.point.number): found for row in rows for name, found in row.metrics.items()}
    middles = {key: found.median if claim.of == "medians" else found.mean for key, found in summaries.items()}
    numbers = {key: middle for key, middle in middles.items() if middle is not None}
    try:
        tree = parse(claim.that, _LANGUAGE)
        statement = _Statement(Grid(experiment), numbers)
        named = [statement.find(part) for part in walk(tree) if isinstance(part, Name | Indexed)]
        used = [found for found in named if not found.published]
        missing = _missing(used, numbers)
        if missing:
            return Verdict(claim, False, missing, _expected(tree))
        found = _judged(tree, statement)
        medians = " (medians)" if claim.of == "medians" else ""
        return Verdict(claim, found.passed, found.value + medians + _thin(used, summaries), found.expected)
    except OverflowError:
        return Verdict(claim, False, "cannot be judged: a number in it is too large", claim.that)
    except InputError as error:
        return Verdict(claim, False, f"cannot be judged: {error.message}", claim.that)


class _Statement(Evaluator):
    """Evaluates a claim; ``numbers`` by metric and number of the point."""

    def __init__(self, grid: Grid, numbers: Mapping[tuple[str, int], float]) -> None:
        super().__init__({})
        self.grid = grid
        self.numbers = numbers
        self.inside = False  # of all or any, where "and" joins what holds at a place, not everywhere

    def find(self, tree: Name | Indexed) -> Selection:
        """The points that a name stands for."""
        return self.grid.find(tree.name, tree.labels) if isinstance(tree, Indexed) else self.grid.find(tree.text)

    def look_up(self, name: Name) -> Any:
        return self._series(self.find(name))

    def select(self, tree: Indexed) -> Any:
        return self._series(self.find(tree))

    def _series(self, found: Selection) -> Any:
        measured = (self.numbers.get((found.metric.name, point.number)) for point in found.points)
        unit = found.metric.unit
        values = tuple(None if one is None else Quantity(one, unit) for one in found.published or measured)
        return values[0] if found.places is None else Series(found.places, values)

    def call(self, tree: Call) -> Any:
        if tree.function in ("all", "any"):
            truths = [truth for argument in tree.arguments for truth in self._truths(self.at_places(argument))]
            return all(truths) if tree.function == "all" else any(truths)
        arguments = [self.value(argument) for argument in tree.arguments]
        function = language.FUNCTIONS[tree.function].call
        if tree.function == "abs" and isinstance(arguments[0], Series):
            return arguments[0].each(lambda value: function([value]))
        if tree.function in _ALONG:
            _check_line(tree, arguments[0])
        return function([list(value.values) if isinstance(value, Series) else value for value in arguments])

    def at_places(self, tree: Tree) -> Any:
        """What stands in all or any: a truth for each place."""
        before, self.inside = self.inside, True
        try:
            return self.value(tree)
        finally:
            self.inside = before

    def logic(self, tree: Logic) -> Any:
        if not self.inside:
            return super().logic(tree)
        operands = [self.value(operand) for operand in tree.operands]
        for operand in operands:
            self._truths(operand)
        if tree.word == "not":
            (operand,) = operands
            return operand.each(operator.not_) if isinstance(operand, Series) else not operand
        return reduce(partial(paired, operator.and_ if tree.word == "and" else operator.or_), operands)

    def negate(self, value: Any) -> Any:
        return value.each(language.negate) if isinstance(value, Series) else language.negate(value)

    def spread(self, operation: Any, left: Any, right: Any) -> Any:
        return paired(operation, left, right)

    def compared(self, tree: Comparison, operands: list[Any]) -> Any:
        """All comparisons of a chain together, place by place."""
        links = [
            paired(partial(language.compare, sign), left, right)
            for (left, right), sign in zip(pairwise(operands), tree.signs, strict=True)
        ]
        return reduce(partial(paired, operator.and_), links)

    def holds(self, value: Any) -> bool:
        return all(self._truths(value))

    def _truths(self, value: Any) -> list[bool]:
        found = value.values if isinstance(value, Series) else (value,)
        for truth in found:
            if not isinstance(truth, bool):
                raise InputError(f"{_shown(truth)} is neither true nor false; write {_LANGUAGE.example}")
        return list(found)


def _check_line(tree: Call, value: Any) -> None:
    """Refuse to go along places that are not in a line."""
    if not isinstance(value, Series):
        raise InputError(f"{tree.function} needs several places, and {tree.arguments[0].text} has one")
    if value.line() is None:
        axes = [axis for axis, _ in value.places[0]]
        raise InputError(
            f"{tree.function} goes along one axis, and here are {' and '.join(axes)}; fix one by its label"
        )


@dataclass(frozen=True)
class _Judged:
    """What a part of a claim came to."""

    passed: bool
    value: str
    expected: str


def _judged(tree: Tree, statement: _Statement) -> _Judged:
    """Judge and explain."""
    passed = statement.holds(statement.value(tree))
    expected = _expected(tree)
    match tree:
        case Logic():
            parts = [_judged(operand, statement) for operand in tree.operands]
            return _Judged(passed, "; ".join(part.value for part in parts), expected)
        case Comparison():
            return _Judged(passed, _told_places(tree, statement, everywhere=True), expected)
        case Call(function="all" | "any", arguments=(inner,)):
            return _Judged(passed, _told_places(inner, statement, everywhere=tree.function == "all"), expected)
        case Call(function="rising" | "falling"):
            return _Judged(passed, _told_course(tree, statement), expected)
    return _Judged(passed, f"{tree.text} is {str(passed).lower()}", expected)


def _expected(tree: Tree) -> str:
    """What a claim wants, as short as it can be said beside its value."""
    match tree:
        case Call(function="all" | "any", arguments=(inner,)):
            return f"{inner.text} at {'every place' if tree.function == 'all' else 'one place at least'}"
        case Call(function="rising" | "falling"):
            return f"{tree.arguments[0].text} {tree.function}"
        case Comparison(operands=(left, right), signs=(sign,)):
            if isinstance(right, Literal) and not isinstance(left, Literal):
                return f"{sign} {right.text}"
            if isinstance(left, Literal) and not isinstance(right, Literal):
                return f"{_MIRRORED[sign]} {left.text}"
        case Comparison(operands=(Literal() as low, middle, Literal() as high), signs=("<" | "<=", "<" | "<=")):
            if not isinstance(middle, Literal):
                return f"between {low.text} and {high.text}"
    return tree.text


def _told_places(tree: Tree, statement: _Statement, everywhere: bool) -> str:
    """What is compared: single values; or at how many places it holds, at which it breaks, and how far it goes."""
    comparisons = [part for part in walk(tree) if isinstance(part, Comparison)]
    operands = {operand.text: operand for part in comparisons for operand in part.operands}
    said = {text: statement.value(part) for text, part in operands.items() if not isinstance(part, Literal)}
    result = statement.at_places(tree)
    if not isinstance(result, Series):
        found = ", ".join(f"{text} = {_shown(value)}" for text, value in said.items())
        return found or f"{tree.text} is {str(result).lower()}"
    picked = [place for place, holds in result.items() if holds is not everywhere]
    count = len(result.places)
    holding = count - len(picked) if everywhere else len(picked)
    lines = [f"holds at {_share(holding, count)} {count} places"]
    if 0 < holding < count:
        lines.append(("not at " if everywhere else "there: ") + _listed(picked, said))
    return "; ".join([*lines, *_ranges(said)])


def _share(holding: int, count: int) -> str:
    return "all" if holding == count else f"{holding or 'none'} of"


def _listed(places: Sequence[Place], said: Mapping[str, Any]) -> str:
    """``distance 4 m (quick = 3 Mbit/s, never = 4 Mbit/s)``, for the first few."""
    lines = []
    for place in places[:_PLACES_MAX]:
        there = {
            text: dict(value.items())[place] if isinstance(value, Series) else value for text, value in said.items()
        }
        lines.append(f"{told(place)} ({', '.join(f'{text} = {_shown(value)}' for text, value in there.items())})")
    more = len(places) - _PLACES_MAX
    return ", ".join(lines) + (f" and {more} more" if more > 0 else "")


def _ranges(said: Mapping[str, Any]) -> list[str]:
    """The least and greatest of what is compared: of the ratio of two sides, else of each series."""
    sides = [value for side in said.values() for value in (side.values if isinstance(side, Series) else (side,))]
    if len(said) == 2 and all(isinstance(value, Quantity) and value.value > 0 for value in sides):
        left, right = said
        return _range(f"{_bracketed(left)} / {_bracketed(right)}", paired(language.divide, said[left], said[right]))
    return [line for text, value in said.items() for line in _range(text, value)]


def _bracketed(text: str) -> str:
    return text if re.fullmatch(r"[^ ]+|[^ ]+\[[^]]*\]", text) else f"({text})"


def _range(text: str, value: Any) -> list[str]:
    if not isinstance(value, Series) or not all(isinstance(one, Quantity) for one in value.values):
        return []
    low, high = (pick(value.items(), key=lambda item: item[1].base) for pick in (min, max))
    if low[0] == high[0]:
        return [f"{text} = {_shown(low[1])}"]
    return [f"{text} from {_shown(low[1])} ({told(low[0])}) to {_shown(high[1])} ({told(high[0])})"]


def _told_course(tree: Call, statement: _Statement) -> str:
    """Where a series begins and ends, or the first step that goes the wrong way."""
    series = statement.value(tree.arguments[0])
    steps = list(pairwise(series.items()))
    sign, word = ("<=", "below") if tree.function == "rising" else (">=", "above")
    wrong = [(before, after) for before, after in steps if not language.compare(sign, before[1], after[1])]
    if not wrong:
        (first, start), (last, end) = steps[0][0], steps[-1][1]
        return f"{_shown(start)} at {told(first)}, {_shown(end)} at {told(last)}"
    (before, was), (after, comes) = wrong[0]
    text = f"{_shown(comes)} at {told(after)} is {word} {_shown(was)} at {told(before)}"
    return text + (f"; {len(wrong)} of {len(steps)} steps are so" if len(wrong) > 1 else "")


def _shown(value: Any) -> str:
    """A value with as many digits as tell something."""
    if not isinstance(value, Quantity):
        return language.show(value)
    number = plain(float(value.value))
    return f"{number}%" if value.unit == "%" else f"{number} {value.unit}".strip()


def _missing(used: Iterable[Selection], numbers: Mapping[tuple[str, int], float]) -> str:
    """Which points have no value; nothing if all have."""
    found: dict[str, dict[int, str]] = {}
    for selection in used:
        for point in selection.points:
            if (selection.metric.name, point.number) not in numbers:
                found.setdefault(selection.metric.name, {})[point.number] = told(tuple(point.labels.items()))
    return "; ".join(f"no {metric} {_at(list(places.values()))}" for metric, places in found.items())


def _at(places: list[str]) -> str:
    """``at a, b; 3 more points``; nothing of an experiment that has no axes."""
    more = len(places) - _PLACES_MAX
    shown = " and at ".join(place for place in places[:_PLACES_MAX] if place)
    return f"at {shown}{f' and {more} more points' if more > 0 else ''}" if shown else "at the only point"


def _thin(used: Iterable[Selection], summaries: Mapping[tuple[str, int], Summary]) -> str:
    """A remark on trials that the means are without."""
    keys = {(selection.metric.name, point.number) for selection in used for point in selection.points}
    missing = sum(summaries[key].missing for key in keys)
    if not missing:
        return ""
    trials = sum(summaries[key].n for key in keys) + missing
    return f" ({missing} of {trials} trials have no value)"
