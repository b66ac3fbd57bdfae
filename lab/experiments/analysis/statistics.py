# SPDX-License-Identifier: MIT
"""Statistics of repeated trials: mean, 95 % confidence interval, trials needed, and significance of differences.

Trials are assumed independent and their mean normal. Confidence intervals use Student's t (Student, "The probable error
of a mean", Biometrika 6, 1908), so that three repetitions are not trusted like thirty. Differences of two means use
Student's t of the pairs if trials have equal seeds, and so equal random numbers; else Welch's t-test (Welch, "The
generalization of 'Student's' problem", Biometrika 34, 1947), since a changed stack may also change the deviation.
"""

from __future__ import annotations

import math
import statistics
import sys
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from lab.experiments.types import Experiment, Row, Summary, TrialOutcome

CONFIDENCE = 0.95
NORMAL_95 = 1.96  # two-sided quantile of the normal distribution, for the rule of ``needed``
ENDLESS = sys.maxsize  # more than any limit


def summarise(
    values: Sequence[float],
    unit: str,
    missing: int = 0,
    share: float | None = None,
    *,
    normal: bool = False,
    bounds: Iterable[int] = (),
) -> Summary:
    """Compute mean, half-width of its 95 % confidence interval and standard deviation of a sample of finite values.

    ``share`` is the largest half-width as a share of the mean; with ``normal``, the normal quantile decides on that,
    instead of Student's. ``bounds`` are the indexes of values that are lower bounds: the mean is one, too, and has no
    interval.
    """
    count, bounds = len(values), frozenset(bounds)
    # the standard library computes with fractions: equal values have exactly that mean and a deviation of 0
    mean = float(statistics.mean(values)) if count else None
    deviation = float(statistics.stdev(values)) if count > 1 and not bounds else None
    ci95 = None if deviation is None else half_width(deviation, count)
    if share is None:
        precise = None
    elif normal:
        precise = count > 1 and not bounds and needed(values, share) <= count
    else:
        precise = mean is not None and ci95 is not None and ci95 <= share * abs(mean)  # also if all values are 0
    return Summary(tuple(values), mean, ci95, deviation, count, missing, unit, precise, bounds)


def half_width(deviation: float, count: int) -> float:
    """Return the half-width of the 95 % confidence interval of a mean of ``count`` (at least 2) values."""
    return student_quantile(count - 1) * deviation / math.sqrt(count)


def deviation_of(ci95: float, count: int) -> float:
    """Return the standard deviation for a half-width; inverse of ``half_width``."""
    return ci95 * math.sqrt(count) / student_quantile(count - 1)


@lru_cache
def student_quantile(freedom: float) -> float:
    """Return the two-sided 95 % quantile of Student's t-distribution."""
    from scipy.special import stdtrit  # scipy.stats takes a second to import

    return float(stdtrit(freedom, (1 + CONFIDENCE) / 2))


def needed(values: Sequence[float], half_width: float) -> int:
    """Estimate from ``values`` how many trials are needed until the half-width is that share of the mean.

    n = (1.96 s / (share * mean))^2, rounded up (Sales, Oliveira, Perkusich and Melo). Two if there are fewer, since one
    trial has no deviation. ``ENDLESS`` if the mean is 0 but the deviation is not.
    """
    if len(values) < 2:
        return 2
    deviation = statistics.stdev(values)
    wanted = abs(half_width * statistics.mean(values))
    if deviation == 0:
        return 1
    ratio = NORMAL_95 * deviation / wanted if wanted else math.inf
    return math.ceil(ratio**2) if ratio < math.sqrt(ENDLESS) else ENDLESS


def enough(values: Sequence[float], share: float, *, normal: bool = False) -> int:
    """Return how many trials to run before checking again; the current number if the mean is precise enough.

    ``needed`` uses the normal quantile 1.96, but the reported interval is Student's, which is up to twice as wide for a
    few trials. If ``needed`` is satisfied and that interval is not, one more trial is run, unless ``normal``.
    """
    count = len(values)
    if normal:
        return max(count, needed(values, share))
    if summarise(values, "", share=share).precise:
        return count
    return max(needed(values, share), count + 1)


@dataclass(frozen=True)
class Mean:
    """A mean for a comparison. ``deviation`` None: a single value."""

    mean: float
    deviation: float | None
    n: int


@dataclass(frozen=True)
class MeanDifference:
    """The difference of two means, b - a. ``half_width`` None: one side has a single value."""

    difference: float
    half_width: float | None

    @property
    def significant(self) -> bool | None:
        """Whether 0 is outside the 95 % confidence interval; None without one."""
        return None if self.half_width is None else abs(self.difference) > self.half_width


def paired(differences: Sequence[float]) -> MeanDifference:
    """Compute the mean of the differences of pairs, at least one, with its 95 % confidence interval."""
    found = summarise(differences, "")
    assert found.mean is not None  # there is one
    return MeanDifference(found.mean, found.ci95)


def welch(a: Mean, b: Mean) -> MeanDifference:
    """Compute the difference of two means with its 95 % confidence interval, for unequal variances."""
    difference = b.mean - a.mean
    if a.deviation is None or b.deviation is None or min(a.n, b.n) < 2:
        return MeanDifference(difference, None)
    of_a, of_b = a.deviation**2 / a.n, b.deviation**2 / b.n
    if of_a + of_b == 0:
        return MeanDifference(difference, 0.0)
    share = of_a / (of_a + of_b)
    freedom = 1 / (share**2 / (a.n - 1) + (1 - share) ** 2 / (b.n - 1))  # Welch and Satterthwaite
    return MeanDifference(difference, student_quantile(freedom) * math.sqrt(of_a + of_b))


def rows_of(experiment: Experiment, outcomes: Iterable[TrialOutcome]) -> Iterable[Row]:
    """Yield each point of an experiment with the statistics of its trials."""
    by_point: dict[int, list[TrialOutcome]] = defaultdict(list)
    for outcome in sorted(outcomes, key=lambda one: (one.point, one.seed)):
        by_point[outcome.point].append(outcome)
    for point in experiment.points:
        found = by_point[point.number]
        summaries = {}
        for metric in experiment.metrics:
            kept = [one for one in found if one.error is None and one.values.get(metric.name) is not None]
            numbers = [value for one in kept if (value := one.values[metric.name]) is not None]
            summaries[metric.name] = summarise(
                numbers,
                metric.unit,
                missing=len(found) - len(numbers),
                share=experiment.repetitions.share(metric.name),
                normal=experiment.repetitions.normal,
                bounds=[index for index, one in enumerate(kept) if metric.name in one.unfinished],
            )
        yield Row(point, summaries)
