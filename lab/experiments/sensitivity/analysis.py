# SPDX-License-Identifier: MIT
"""What the places say of each claim: in which share of them it holds, and which parameters its margin follows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from lab.experiments.analysis import claims
from lab.experiments.analysis.margin import margin
from lab.experiments.analysis.statistics import rows_of
from lab.experiments.sensitivity.parameters import Parameter
from lab.experiments.sensitivity.sample import Place, of_place
from lab.experiments.types import Claim, Experiment, Outcome

_NORMAL_95 = 1.959964  # two-sided quantile of the normal distribution
_LEAST_SPREAD = 0.01  # of margins: below, ranks are those of hairs
_DIGITS = 9  # of correlations and their probabilities
_LEAST_PLACES = 10  # fewer have few orders
SIGNIFICANT = 0.05  # of all correlations of a claim together


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
    passed: tuple[bool | None, ...]  # by place; None: it could not be evaluated there
    margins: tuple[float | None, ...]
    correlations: tuple[Correlation, ...]  # of all parameters, in their order; empty if it cannot be computed

    @property
    def evaluated(self) -> int:
        """The number of places in which it could be evaluated."""
        return sum(one is not None for one in self.passed)

    @property
    def holds(self) -> int:
        """The number of places in which it holds."""
        return sum(one is True for one in self.passed)

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
    places: tuple[Place, ...]
    held: tuple[Held, ...]  # by claim
    reps: int  # trials of each point in each place
    seed: int
    failed: int  # trials


def analyse(
    experiment: Experiment,
    parameters: tuple[Parameter, ...],
    places: tuple[Place, ...],
    outcomes: Sequence[Outcome],
    reps: int,
    seed: int,
) -> Sensitivity:
    """Judge every claim in every place.

    Args:
        experiment: the experiment.
        parameters: that were varied.
        places: that were drawn.
        outcomes: of the trials of ``sample.in_all``.
        reps: trials of each point.
        seed: of the places.
    """
    size = len(experiment.points)
    rows = [tuple(rows_of(experiment, of_place(outcomes, place.number, size))) for place in places]
    held = []
    for claim in experiment.claims:
        margins = tuple(margin(claim, experiment, found) for found in rows)
        verdicts = [claims.judge(claim, experiment, found) for found in rows]
        passed = tuple(None if one is None else verdict.passed for one, verdict in zip(margins, verdicts, strict=True))
        held.append(Held(claim, passed, margins, _correlations(parameters, places, margins)))
    failed = sum(outcome.error is not None for outcome in outcomes)
    return Sensitivity(parameters, places, tuple(held), reps, seed, failed)


def _correlations(
    parameters: Sequence[Parameter], places: Sequence[Place], margins: Sequence[float | None]
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
