# SPDX-License-Identifier: MIT
"""What repetitions of a trial tell: mean, 95 % confidence, how many more are needed, and whether two differ.

Trials are taken as independent and their mean as normal. Confidence is Student's t (Student, "The probable error of a
mean", Biometrika 6, 1908), so that three repetitions are not trusted like thirty. A difference of two means is
Welch's t (Welch, "The generalization of 'Student's' problem", Biometrika 34, 1947), since a changed stack may well
change the deviation too.
"""

from __future__ import annotations

import math
import statistics
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from lab.experiments.types import Summary

CONFIDENCE = 0.95
NORMAL_95 = 1.96  # of the normal distribution, two-sided, as the rule of ``needed`` has it
ENDLESS = sys.maxsize  # more than any cap


def summarise(values: Sequence[float], unit: str, missing: int = 0, share: float | None = None) -> Summary:
    """Mean, half width of its 95 % confidence interval and standard deviation of a sample.

    Args:
        values: one of each trial that has one, finite, in ``unit``.
        unit: kept.
        missing: how many trials have none.
        share: of the mean that the half width may be; None: nobody asks.
    """
    count = len(values)
    # the standard library calculates with fractions: equal values have that very mean and no deviation at all
    mean = float(statistics.mean(values)) if count else None
    deviation = float(statistics.stdev(values)) if count > 1 else None
    ci95 = None if deviation is None else half_width(deviation, count)
    precise = None if share is None else _precise(mean, ci95, share)
    return Summary(tuple(values), mean, ci95, deviation, count, missing, unit, precise)


def _precise(mean: float | None, ci95: float | None, share: float) -> bool:
    """Whether the interval that is told is narrow enough. Values without any spread are, also those of 0."""
    return mean is not None and ci95 is not None and ci95 <= share * abs(mean)


def half_width(deviation: float, count: int) -> float:
    """Half of the 95 % confidence interval of a mean of ``count`` (at least 2) values."""
    return student(count - 1) * deviation / math.sqrt(count)


def deviation_of(ci95: float, count: int) -> float:
    """The standard deviation behind a half width; see ``half_width``."""
    return ci95 * math.sqrt(count) / student(count - 1)


@lru_cache
def student(freedom: float) -> float:
    """The quantile of Student's t that 95 % of it lie within, either side."""
    from scipy.special import stdtrit  # scipy.stats takes a second to import

    return float(stdtrit(freedom, (1 + CONFIDENCE) / 2))


def needed(values: Sequence[float], half_width: float) -> int:
    """How many trials it takes until the half width is that share of the mean, as far as ``values`` tell.

    n = (1.96 s / (share * mean))^2, rounded up (Sales, Oliveira, Perkusich and Melo). Two at least, where there are
    fewer: one trial has no deviation. ``ENDLESS`` for a mean of 0 with a deviation: no share of it is wide enough.

    Args:
        values: of the trials so far.
        half_width: the share, such as 0.05.
    """
    if len(values) < 2:
        return 2
    deviation = statistics.stdev(values)
    wanted = abs(half_width * statistics.mean(values))
    if deviation == 0:
        return 1
    ratio = NORMAL_95 * deviation / wanted if wanted else math.inf
    return math.ceil(ratio**2) if ratio < math.sqrt(ENDLESS) else ENDLESS


def enough(values: Sequence[float], share: float) -> int:
    """How many trials there should be before one looks again: as many as there are where the mean is precise.

    ``needed`` says how far to go, but not when to stop: 1.96 is of the normal distribution, and the interval that is
    told is Student's, of a few trials up to twice as wide. Where ``needed`` is content and that interval is not, it is
    one trial more.

    Args:
        values: of the trials so far.
        share: of the mean that the half width of the told interval may be, such as 0.05.
    """
    count = len(values)
    if summarise(values, "", share=share).precise:
        return count
    return max(needed(values, share), count + 1)


@dataclass(frozen=True)
class Sample:
    """What a comparison needs of a mean. ``deviation`` None: of one value only."""

    mean: float
    deviation: float | None
    n: int


@dataclass(frozen=True)
class Welch:
    """The difference of two means, b - a. ``half_width`` None: one of them has a single value."""

    difference: float
    half_width: float | None

    @property
    def significant(self) -> bool | None:
        """Whether 0 is outside the 95 % confidence interval; None where there is none."""
        return None if self.half_width is None else abs(self.difference) > self.half_width


def welch(a: Sample, b: Sample) -> Welch:
    """The difference of two means with its 95 % confidence, each with a deviation of its own."""
    difference = b.mean - a.mean
    if a.deviation is None or b.deviation is None or min(a.n, b.n) < 2:
        return Welch(difference, None)
    of_a, of_b = a.deviation**2 / a.n, b.deviation**2 / b.n
    if of_a + of_b == 0:
        return Welch(difference, 0.0)
    share = of_a / (of_a + of_b)
    freedom = 1 / (share**2 / (a.n - 1) + (1 - share) ** 2 / (b.n - 1))  # Welch and Satterthwaite
    return Welch(difference, student(freedom) * math.sqrt(of_a + of_b))
