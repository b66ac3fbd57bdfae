# SPDX-License-Identifier: MIT
"""Judges claims with each variation of an experiment: which ones hold, how clearly, and what that depends on.

The margin of a claim says how clearly it holds or fails, as one number: above 0 it holds, below 0 it fails. A
comparison a < b has the margin (b - a) / max(|a|, |b|). ``and`` and ``all`` have the smallest margin of their parts,
``or`` and ``any`` the largest, ``not`` the negative: the robustness of temporal logics (G. E. Fainekos, G. J. Pappas,
"Robustness of temporal logic specifications for continuous-time signals", 2009), relative instead of absolute.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from lab.errors import InputError
from lab.experiments.analysis import claims
from lab.experiments.analysis.selection import Values
from lab.experiments.analysis.statistics import rows_of
from lab.experiments.types import Claim, Experiment, Row, TrialOutcome
from lab.experiments.variations.changes import Change, Pair, with_variation
from lab.experiments.variations.uncertain import DrawnPlace, Parameter
from lab.expressions.expression import Evaluator
from lab.expressions.grammar import Call, Comparison, Logic, Tree
from lab.expressions.values import ValueWithUnit

SIGNIFICANT = 0.05  # of all correlations of a claim together
_NORMAL_95 = 1.959964  # two-sided quantile of the normal distribution
_LEAST_SPREAD = 0.01  # of margins: below, ranks are chance
_DIGITS = 9  # of correlations and their probabilities
_LEAST_PLACES = 10  # fewer have few orders
_LESS, _MORE = ("<", "<="), (">", ">=")


@dataclass(frozen=True)
class Judged:
    """A claim with one variation, or with none."""

    passed: bool | None  # None: it fails, since a point that it needs has no value
    margin: float | None
    value: str


def judged(experiment: Experiment, outcomes: Iterable[TrialOutcome]) -> tuple[Judged, ...]:
    """Judge every claim of an experiment."""
    rows = tuple(rows_of(experiment, outcomes))
    found = []
    for claim in experiment.claims:
        verdict, apart = claims.judge(claim, experiment, rows), margin(claim, experiment, rows)
        found.append(Judged(None if apart is None else verdict.passed, apart, verdict.value))
    return tuple(found)


def failed(outcomes: Iterable[TrialOutcome]) -> int:
    """Return how many trials failed."""
    return sum(outcome.error is not None for outcome in outcomes)


# With changes


@dataclass(frozen=True)
class Changed:
    """All claims with one change, or with two."""

    change: Change | Pair
    judged: tuple[Judged, ...]  # by claim
    failed: int  # trials


@dataclass(frozen=True)
class Changes:
    """All claims of an experiment, unchanged and with each change."""

    claims: tuple[Claim, ...]
    base: tuple[Judged, ...]  # by claim
    changed: tuple[Changed, ...]
    trials: int  # with changes

    def turned(self, number: int) -> list[Changed]:
        """Return the changes that turn a claim, from failing to holding or the other way."""
        before = bool(self.base[number].passed)
        verdicts = ((one, one.judged[number].passed) for one in self.changed)
        return [one for one, passed in verdicts if passed is not None and passed != before]

    def explaining(self, number: int) -> list[Changed]:
        """Return the changes that turn a claim, without pairs of which one alone does so."""
        turned = self.turned(number)
        alone = [one.change for one in turned if isinstance(one.change, Change)]
        return [one for one in turned if one.change in alone or not any(part in alone for part in one.change.parts)]

    def without_value(self, number: int) -> list[Changed]:
        """Return the changes with which a claim cannot be evaluated."""
        return [one for one in self.changed if one.judged[number].passed is None]

    def nearest(self, number: int) -> Changed | None:
        """Return the change that brings a claim nearest to turning, if it comes nearer than without any."""
        before = self.base[number].margin
        known = [(abs(margin), one) for one in self.changed if (margin := one.judged[number].margin) is not None]
        if before is None or not known:
            return None
        least, found = min(known, key=lambda pair: pair[0])
        return found if least < abs(before) else None


def with_changes(
    experiment: Experiment,
    base: Sequence[TrialOutcome],
    found: Sequence[Change | Pair],
    outcomes: Sequence[TrialOutcome],
) -> Changes:
    """Judge every claim with every change: ``base`` are the outcomes without any, ``outcomes`` those of ``in_all``."""
    changed = []
    for number, change in enumerate(found):
        own = with_variation(experiment, number, outcomes)
        changed.append(Changed(change, judged(experiment, own), failed(own)))
    return Changes(experiment.claims, judged(experiment, base), tuple(changed), len(outcomes))


# In places


@dataclass(frozen=True)
class Correlation:
    """Spearman's rank correlation of a parameter and a claim's margin."""

    parameter: str
    rho: float
    p: float  # probability that any parameter has one so large without any effect (S. Holm, 1979)

    @property
    def significant(self) -> bool:
        """Whether it is unlikely to be chance."""
        return self.p < SIGNIFICANT


@dataclass(frozen=True)
class Held:
    """A claim in all places."""

    claim: Claim
    judged: tuple[Judged, ...]  # by place
    correlations: tuple[Correlation, ...]  # of all parameters, in their order; empty if it cannot be computed

    @property
    def evaluated(self) -> int:
        """The number of places in which it could be evaluated."""
        return sum(one.passed is not None for one in self.judged)

    @property
    def holds(self) -> int:
        """The number of places in which it holds."""
        return sum(one.passed is True for one in self.judged)

    @property
    def share(self) -> float | None:
        """The share of places in which it holds, of those in which it could be evaluated."""
        return self.holds / self.evaluated if self.evaluated else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """The 95 % confidence interval of the share (E. B. Wilson, JASA 22, 1927)."""
        n, share = self.evaluated, self.share
        if share is None:
            return None
        z2 = _NORMAL_95**2
        middle = (share + z2 / (2 * n)) / (1 + z2 / n)
        half = _NORMAL_95 / (1 + z2 / n) * math.sqrt(share * (1 - share) / n + z2 / (4 * n * n))
        return 0.0 if not self.holds else middle - half, 1.0 if self.holds == n else middle + half

    @property
    def reasons(self) -> list[Correlation]:
        """The significant correlations, the strongest first."""
        found = [one for one in self.correlations if one.significant]
        return sorted(found, key=lambda one: -abs(one.rho))


@dataclass(frozen=True)
class Sensitivity:
    """The claims of an experiment in places drawn from the ranges of its uncertain parameters."""

    parameters: tuple[Parameter, ...]
    places: tuple[DrawnPlace, ...]
    held: tuple[Held, ...]  # by claim
    reps: int  # trials of each point in each place
    seed: int
    failed: int  # trials


def in_places(
    experiment: Experiment,
    parameters: tuple[Parameter, ...],
    places: tuple[DrawnPlace, ...],
    outcomes: Sequence[TrialOutcome],
    reps: int,
) -> Sensitivity:
    """Judge every claim in every place, by the outcomes of ``changes.in_all``."""
    by_place = [judged(experiment, with_variation(experiment, place.number, outcomes)) for place in places]
    held = []
    for number, claim in enumerate(experiment.claims):
        found = tuple(one[number] for one in by_place)
        held.append(Held(claim, found, _correlations(parameters, places, [one.margin for one in found])))
    return Sensitivity(parameters, places, tuple(held), reps, experiment.seed, failed(outcomes))


def _correlations(
    parameters: Sequence[Parameter], places: Sequence[DrawnPlace], margins: Sequence[float | None]
) -> tuple[Correlation, ...]:
    known = [(place, one) for place, one in zip(places, margins, strict=True) if one is not None]
    values = [one for _, one in known]
    if len(known) < _LEAST_PLACES or max(values) - min(values) < _LEAST_SPREAD:
        return ()
    from scipy.stats import spearmanr  # slow to import

    found = []
    for parameter in parameters:
        numbers = [place.numbers[parameter.name] for place, _ in known]
        if parameter.ordered and len(set(numbers)) > 1:
            result = spearmanr(numbers, values)
            found.append(Correlation(parameter.name, _sure(result.statistic), _sure(result.pvalue)))
    return _together(found)


def _sure(number: float) -> float:
    """Drop the digits that depend on the machine: libraries add up in different orders."""
    return float(f"{number:.{_DIGITS}g}")


def _together(found: Sequence[Correlation]) -> tuple[Correlation, ...]:
    """Correct the probabilities for their number, by Holm's method."""
    least, corrected = 0.0, {}
    for left, one in zip(range(len(found), 0, -1), sorted(found, key=lambda one: one.p), strict=True):
        least = min(1.0, max(least, left * one.p))
        corrected[one.parameter] = least
    return tuple(replace(one, p=corrected[one.parameter]) for one in found)


# Margins


def margin(claim: Claim, experiment: Experiment, rows: Sequence[Row]) -> float | None:
    """Return the margin of a claim; None if it cannot be evaluated, since a point has no value."""
    try:
        tree, statement = claims.statement_of(claim, experiment, rows)
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
    return list(value.values) if isinstance(value, Values) else [value]


def _numbers(value: Any) -> list[float]:
    """Return values in base units; raise ValueError if one is missing or not a number."""
    found = _values(value)
    if not all(isinstance(one, ValueWithUnit) for one in found):
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
