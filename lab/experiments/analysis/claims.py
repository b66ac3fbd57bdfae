# SPDX-License-Identifier: MIT
"""Claims: statements about series of an experiment, checked before anything runs and evaluated afterwards.

``all(throughput[quick] > throughput[never])`` compares two series place by place; ``geomean(quick / never)`` reduces
one to a number. The language is that of checks (lab.expressions.expression) plus labels after names
(analysis.selection). A claim about points without a value fails: what was not measured is not shown.

Trials that did not finish have values above a limit. A claim holds if it does wherever they are: each series that it
names is taken at its limits and far beyond them. If it depends on that, it fails as undecided.
"""

from __future__ import annotations

import operator
import re
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from itertools import chain, pairwise, product
from random import Random
from typing import Any

from lab.errors import InputError
from lab.experiments.analysis.selection import Labels, Selection, Selector, Values, describe, paired
from lab.experiments.types import BEYOND, Claim, Experiment, Row, Summary, Verdict
from lab.expressions import values as language
from lab.expressions.expression import Evaluator
from lab.expressions.grammar import Call, Comparison, Indexed, Language, Literal, Logic, Name, Tree, parse, walk
from lab.expressions.values import UndefinedError, ValueWithUnit
from lab.numbers import plain

_LANGUAGE = Language("claim", "a comparison, such as all(throughput[quick] > throughput[never])", labels=True)
_TRIES = (2.0, -2.0)  # first stand-in for the numbers before anything is measured; the others count up from it
_PLACES_MAX = 3  # named one by one
_LATE_MAX = 8  # series of a claim with trials that did not finish
_LATE = (BEYOND, 1e6 * BEYOND)  # what still grows from one to the other has no limit, even the 50th root of it
_GROWS = 1.01
_SAMPLES = 1000  # drawn from the trials
_ALONG = ("rising", "falling", "first", "last", "trend")  # need places along one axis
_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}


def check(claim: Claim, experiment: Experiment) -> None:
    """Refuse a claim that can never be evaluated, before anything runs; in several places, in the first.

    Raises:
        InputError: If the syntax is not valid, a series is unknown, series over different places are paired, or values
            cannot be compared; with FILE:LINE.
    """
    experiment = experiment.in_place(experiment.places[0]) if experiment.places else experiment
    try:
        tree = parse(claim.that, _LANGUAGE)
        grid = Selector(experiment)
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


def points(claim: Claim, experiment: Experiment) -> int:
    """Return how many points a claim is about (in one place), of an experiment for which it is valid."""
    experiment = experiment.in_place(experiment.places[0]) if experiment.places else experiment
    statement = _Statement(Selector(experiment), {})
    named = _measured(parse(claim.that, _LANGUAGE), statement)
    return len({point.number for found in named for point in found.points})


def judge(claim: Claim, experiment: Experiment, rows: Sequence[Row]) -> Verdict:
    """Evaluate a claim, with the numbers that explain the verdict.

    It fails if a point that it needs has no value, and names that point. It is evaluated on the means (or medians) of
    the trials that have a value, and reports how many have none.
    """
    summaries = _summaries(rows)
    numbers = _middles(claim, summaries)
    try:
        tree = parse(claim.that, _LANGUAGE)
        statement = _Statement(Selector(experiment), numbers)
        used = _measured(tree, statement)
        missing = _missing(used, numbers)
        if missing:
            return Verdict(claim, False, missing, _expected(tree))
        statement.later = [_Statement(statement.grid, later) for later in _later(claim, used, summaries, numbers)]
        truths = {one.holds(one.value(tree)) for one in (statement, *statement.later)}
        value = _explained(tree, statement)
        medians = " (medians)" if claim.of == "medians" else ""
        scatter = _scatter(claim, tree, statement, summaries)
        open_ = _undecided(claim) if len(truths) > 1 else ""
        rest = f" ({claim.left}; --only leaves out the others)" if claim.left else ""
        text = open_ + value + scatter + medians + _thin(used, summaries) + rest
        return Verdict(claim, truths == {True}, text, _expected(tree))
    except OverflowError:
        return Verdict(claim, False, "cannot be evaluated: a number in it is too large", claim.that)
    except InputError as error:
        return Verdict(claim, False, f"cannot be evaluated: {error.message}", claim.that)


def statement_of(claim: Claim, experiment: Experiment, rows: Sequence[Row]) -> tuple[Tree, Evaluator]:
    """Return a claim's tree, and what evaluates its parts place by place, on the means (or medians) of these rows.

    Raises:
        InputError: If it is not a valid claim, or a point that it needs has no value.
    """
    numbers = _middles(claim, _summaries(rows))
    statement = _Statement(Selector(experiment), numbers)
    statement.inside = True
    tree = parse(claim.that, _LANGUAGE)
    missing = _missing(_measured(tree, statement), numbers)
    if missing:
        raise InputError(missing)
    return tree, statement


def _measured(tree: Tree, statement: _Statement) -> list[Selection]:
    """Return what a claim names, without the paper's numbers."""
    named = [statement.find(part) for part in walk(tree) if isinstance(part, Name | Indexed)]
    return [found for found in named if not found.published]


def _summaries(rows: Sequence[Row]) -> dict[tuple[str, int], Summary]:
    return {(name, row.point.number): found for row in rows for name, found in row.metrics.items()}


def _middles(claim: Claim, summaries: Mapping[tuple[str, int], Summary]) -> dict[tuple[str, int], float]:
    """Return the mean (or median) at each point that has one."""
    middles = {key: found.median if claim.of == "medians" else found.mean for key, found in summaries.items()}
    return {key: middle for key, middle in middles.items() if middle is not None}


def _later(
    claim: Claim,
    used: Sequence[Selection],
    summaries: Mapping[tuple[str, int], Summary],
    numbers: Mapping[tuple[str, int], float],
) -> list[dict[tuple[str, int], float]]:
    """Return the numbers for trials that finish far later than their limits, in some or all of the series.

    First with all of them as late as the first of _LATE, then again with the second.
    """
    groups: dict[tuple[int, ...], list[tuple[str, int]]] = {}
    for key, found in summaries.items():
        named = tuple(
            index
            for index, one in enumerate(used)
            if one.metric.name == key[0] and any(point.number == key[1] for point in one.points)
        )
        if named and (found.median_is_bound if claim.of == "medians" else found.unfinished):
            groups.setdefault(named, []).append(key)
    if len(groups) > _LATE_MAX:
        raise InputError(f"it names {len(groups)} series with trials that did not finish; write several claims")
    choices = product(*(((), keys) for keys in groups.values()))
    chosen = [list(chain(*choice)) for choice in choices if any(choice)]
    return [{**numbers, **dict.fromkeys(keys, late)} for late in _LATE for keys in chosen]


def _undecided(claim: Claim) -> str:
    hint = "" if claim.of == "medians" else " (of a mean, only that it is above is known; write of: medians)"
    return f"undecided, since trials did not finish{hint}: "


@dataclass(frozen=True)
class _Bound(ValueWithUnit):
    """A value that depends on trials which did not finish, for readers: the least (>) or the largest (<) it can be."""

    sign: str = ""


class _Statement(Evaluator):
    """Evaluates a claim; ``numbers`` by metric and point number.

    ``later`` evaluate it with trials that finish later.
    """

    def __init__(self, grid: Selector, numbers: Mapping[tuple[str, int], float]) -> None:
        super().__init__({})
        self.grid = grid
        self.numbers = numbers
        self.inside = False  # all() or any(), where "and" applies place by place
        self.later: Sequence[_Statement] = ()

    def for_readers(self, tree: Tree) -> Any:
        """Return the value of a part of the claim; of what depends on trials that did not finish, a bound."""
        found, later = self.value(tree), [one.value(tree) for one in self.later]
        if isinstance(found, Values):
            each = (_bounded(value, [one.values[index] for one in later]) for index, value in enumerate(found.values))
            return Values(found.places, tuple(each))
        return _bounded(found, later)

    def find(self, tree: Name | Indexed) -> Selection:
        """Return the points that a name stands for."""
        return self.grid.find(tree.name, tree.labels) if isinstance(tree, Indexed) else self.grid.find(tree.text)

    def look_up(self, name: Name) -> Any:
        return self._series(self.find(name))

    def select(self, tree: Indexed) -> Any:
        return self._series(self.find(tree))

    def _series(self, found: Selection) -> Any:
        measured = (self.numbers.get((found.metric.name, point.number)) for point in found.points)
        unit = found.metric.unit
        values = tuple(None if one is None else ValueWithUnit(one, unit) for one in found.published or measured)
        return values[0] if found.places is None else Values(found.places, values)

    def call(self, tree: Call) -> Any:
        if tree.function in ("all", "any", "share"):
            truths = [truth for argument in tree.arguments for truth in self._truths(self.at_places(argument))]
            return language.FUNCTIONS[tree.function].call(truths)
        arguments = [self.value(argument) for argument in tree.arguments]
        function = language.FUNCTIONS[tree.function].call
        if language.FUNCTIONS[tree.function].each and isinstance(arguments[0], Values):
            return arguments[0].each(lambda value: function([value]))
        if tree.function == "envelope":
            return reduce(partial(paired, language.larger), arguments)
        if tree.function in _ALONG:
            _check_line(tree, arguments[0])
        return function([list(value.values) if isinstance(value, Values) else value for value in arguments])

    def at_places(self, tree: Tree) -> Any:
        """Evaluate the argument of all or any: a boolean for each place."""
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
            return operand.each(operator.not_) if isinstance(operand, Values) else not operand
        return reduce(partial(paired, operator.and_ if tree.word == "and" else operator.or_), operands)

    def negate(self, value: Any) -> Any:
        return value.each(language.negate) if isinstance(value, Values) else language.negate(value)

    def spread(self, operation: Any, left: Any, right: Any) -> Any:
        return paired(operation, left, right)

    def compared(self, tree: Comparison, operands: list[Any]) -> Any:
        for (left, right), found in zip(pairwise(tree.operands), pairwise(operands), strict=True):
            _check_bare(left, found[0], right, found[1])
            _check_bare(right, found[1], left, found[0])
        links = [
            paired(partial(language.compare, sign), left, right)
            for (left, right), sign in zip(pairwise(operands), tree.signs, strict=True)
        ]
        return reduce(partial(paired, operator.and_), links)

    def holds(self, value: Any) -> bool:
        return all(self._truths(value))

    def _truths(self, value: Any) -> list[bool]:
        found = value.values if isinstance(value, Values) else (value,)
        for truth in found:
            if not isinstance(truth, bool):
                raise InputError(f"{_shown(truth)} is not true or false; write {_LANGUAGE.example}")
        return list(found)


def _bounded(value: Any, later: Sequence[Any]) -> Any:
    if not isinstance(value, ValueWithUnit) or all(one == value for one in later):
        return value
    low, high = (pick([value, *later], key=lambda one: one.base) for pick in (min, max))
    late, later_still = later[: len(later) // 2], later[len(later) // 2 :]
    if any(far.base > _GROWS * near.base > 0 for near, far in zip(late, later_still, strict=True)):
        return _Bound(low.value, low.unit, ">")
    return _Bound(high.value, high.unit, "<")


def _check_bare(bare: Tree, found: Any, other: Tree, limit: Any) -> None:
    """Refuse to compare what is calculated and has no unit, such as a ratio, with a number that has one."""
    value = next((one for one in found.values if one is not None), None) if isinstance(found, Values) else found
    if isinstance(bare, Literal) or not isinstance(other, Literal) or not isinstance(limit, ValueWithUnit):
        return
    if isinstance(value, ValueWithUnit) and not value.unit and limit.dimension is not None:
        number = float(limit.value) / (100 if limit.unit == "%" else 1)
        raise InputError(f"{bare.text} has no unit, but {other.text} has one; write {plain(number)}")


def _check_line(tree: Call, value: Any) -> None:
    """Refuse places that are not along one axis."""
    if not isinstance(value, Values):
        raise InputError(f"{tree.function} needs several points, but {tree.arguments[0].text} has one")
    if value.line() is None:
        axes = [axis for axis, _ in value.places[0]]
        raise InputError(
            f"{tree.function} works along one axis, but this series has {' and '.join(axes)}; fix one by a label"
        )


def _explained(tree: Tree, statement: _Statement) -> str:
    """Return the values behind a verdict."""
    match tree:
        case Logic():
            return "; ".join(_explained(operand, statement) for operand in tree.operands)
        case Comparison():
            return _describe_places(tree, statement, everywhere=True)
        case Call(function="all" | "any", arguments=(inner,)):
            return _describe_places(inner, statement, everywhere=tree.function == "all")
        case Call(function="rising" | "falling"):
            return _describe_course(tree, statement)
    return f"{tree.text} is {str(statement.holds(statement.value(tree))).lower()}"


def _scatter(claim: Claim, tree: Tree, statement: _Statement, summaries: Mapping[tuple[str, int], Summary]) -> str:
    """Describe within which bounds trends are in 95 % of bootstrap samples: the trials of each point, drawn again.

    Empty without a trend, or if a point has a single trial (B. Efron, "Bootstrap methods", Ann. Statist. 7, 1979).
    """
    trends = {call.text: call for call in walk(tree) if isinstance(call, Call) and call.function == "trend"}
    keys = {(found.metric.name, point.number) for found in _measured(tree, statement) for point in found.points}
    if not trends or not keys or any(summaries[key].n < 2 for key in keys):
        return ""
    drawn: dict[str, list[float]] = {text: [] for text in trends}
    middle = statistics.median if claim.of == "medians" else statistics.fmean
    random = Random(0)
    for _ in range(_SAMPLES):
        numbers = {key: middle(random.choices(summaries[key].values, k=summaries[key].n)) for key in sorted(keys)}
        sample = _Statement(statement.grid, numbers)
        for text, call in trends.items():
            try:
                drawn[text].append(float(sample.value(call).value))
            except UndefinedError:  # such as a division by a mean that is 0 in this sample
                return ""
    parts = []
    for text, values in drawn.items():
        low, *_, high = statistics.quantiles(values, n=40)
        parts.append(f"; {text} is between {plain(low, 2)} and {plain(high, 2)} in 95 % of samples of the trials")
    return "".join(parts)


def _expected(tree: Tree) -> str:
    """Describe what a claim expects, briefly, for display next to its value."""
    match tree:
        case Call(function="all" | "any", arguments=(inner,)):
            return f"{inner.text} at {'every point' if tree.function == 'all' else 'one or more points'}"
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


def _describe_places(tree: Tree, statement: _Statement, everywhere: bool) -> str:
    """Describe what is compared: single values, or at how many places it holds, where not, and the range of values."""
    # not what a share sums up
    inside = [part for call in walk(tree) if isinstance(call, Call) and call.function == "share" for part in walk(call)]
    comparisons = [part for part in walk(tree) if isinstance(part, Comparison) and part not in inside]
    operands = {operand.text: operand for part in comparisons for operand in part.operands}
    values = {text: statement.for_readers(part) for text, part in operands.items() if not isinstance(part, Literal)}
    result = statement.at_places(tree)
    if not isinstance(result, Values):
        found = ", ".join(_equation(text, value) for text, value in values.items())
        return found or f"{tree.text} is {str(result).lower()}"
    picked = [place for place, holds in result.items() if holds is not everywhere]
    total = len(result.places)
    holding = total - len(picked) if everywhere else len(picked)
    lines = [f"holds at {_share(holding, total)}"]
    if 0 < holding < total:
        lines.append(("not at " if everywhere else "there: ") + _listed(picked, values))
    return "; ".join([*lines, *_ranges(values)])


def _share(holding: int, total: int) -> str:
    if total == 1:
        return "the only point" if holding else "no point"
    return f"all {total} points" if holding == total else f"{holding or 'none'} of {total} points"


def _listed(places: Sequence[Labels], values: Mapping[str, Any]) -> str:
    """List the first few places: ``distance 4 m (quick = 3 Mbit/s, never = 4 Mbit/s)``."""
    lines = []
    for place in places[:_PLACES_MAX]:
        there = {
            text: dict(value.items())[place] if isinstance(value, Values) else value for text, value in values.items()
        }
        lines.append(f"{describe(place)} ({', '.join(_equation(text, value) for text, value in there.items())})")
    more = len(places) - _PLACES_MAX
    return ", ".join(lines) + (f" and {more} more" if more > 0 else "")


def _ranges(values: Mapping[str, Any]) -> list[str]:
    """Return minimum and maximum of what is compared: of the ratio of two sides, else of each series."""
    sides = [value for side in values.values() for value in (side.values if isinstance(side, Values) else (side,))]
    bounds = any(isinstance(value, _Bound) for value in sides)
    if len(values) == 2 and not bounds and all(isinstance(value, ValueWithUnit) and value.value > 0 for value in sides):
        left, right = values
        return _range(f"{_bracketed(left)} / {_bracketed(right)}", paired(language.divide, values[left], values[right]))
    return [line for text, value in values.items() for line in _range(text, value)]


def _bracketed(text: str) -> str:
    return text if re.fullmatch(r"[^ ]+|[^ ]+\[[^]]*\]", text) else f"({text})"


def _range(text: str, value: Any) -> list[str]:
    if not isinstance(value, Values) or not all(isinstance(one, ValueWithUnit) for one in value.values):
        return []
    low, high = (pick(value.items(), key=lambda item: item[1].base) for pick in (min, max))
    if low[0] == high[0]:
        return [_equation(text, low[1])]
    return [f"{text} from {_shown(low[1])} ({describe(low[0])}) to {_shown(high[1])} ({describe(high[0])})"]


def _describe_course(tree: Call, statement: _Statement) -> str:
    """Describe where a series starts and ends, or its first step in the wrong direction."""
    series = statement.for_readers(tree.arguments[0])
    steps = list(pairwise(series.items()))
    sign, word = ("<=", "below") if tree.function == "rising" else (">=", "above")
    wrong = [(before, after) for before, after in steps if not language.compare(sign, before[1], after[1])]
    if not wrong:
        (first, start), (last, end) = steps[0][0], steps[-1][1]
        return f"{_shown(start)} at {describe(first)}, {_shown(end)} at {describe(last)}"
    (before, was), (after, comes) = wrong[0]
    text = f"{_shown(comes)} at {describe(after)} is {word} {_shown(was)} at {describe(before)}"
    return text + (f"; so are {len(wrong)} of {len(steps)} steps" if len(wrong) > 1 else "")


def _equation(text: str, value: Any) -> str:
    """Format a value with its name: ``time = 7 s``, ``time > 150 s``."""
    return f"{text} {_shown(value)}" if isinstance(value, _Bound) else f"{text} = {_shown(value)}"


def _shown(value: Any) -> str:
    if not isinstance(value, ValueWithUnit):
        return language.show(value)
    number = plain(float(value.value))
    sign = f"{value.sign} " if isinstance(value, _Bound) else ""
    return sign + (f"{number}%" if value.unit == "%" else f"{number} {value.unit}".strip())


def _missing(used: Iterable[Selection], numbers: Mapping[tuple[str, int], float]) -> str:
    """Describe the points without a value; empty if all have one."""
    found: dict[str, dict[int, str]] = {}
    for selection in used:
        for point in selection.points:
            if (selection.metric.name, point.number) not in numbers:
                found.setdefault(selection.metric.name, {})[point.number] = describe(tuple(point.labels.items()))
    return "; ".join(f"no {metric} {_at(list(places.values()))}" for metric, places in found.items())


def _at(places: list[str]) -> str:
    """Format places: ``at a and at b and 3 more points``, or ``at the only point`` without axes."""
    more = len(places) - _PLACES_MAX
    shown = " and at ".join(place for place in places[:_PLACES_MAX] if place)
    return f"at {shown}{f' and {more} more points' if more > 0 else ''}" if shown else "at the only point"


def _thin(used: Iterable[Selection], summaries: Mapping[tuple[str, int], Summary]) -> str:
    """Remark on trials without a value, which the means do not cover, and on those that did not finish."""
    keys = {(selection.metric.name, point.number) for selection in used for point in selection.points}
    missing, unfinished = (sum(getattr(summaries[key], name) for key in keys) for name in ("missing", "unfinished"))
    trials = sum(summaries[key].n for key in keys) + missing
    text = f" ({missing} of {trials} trials have no value)" if missing else ""
    return text + (f" ({unfinished} of {trials} trials did not finish)" if unfinished else "")
