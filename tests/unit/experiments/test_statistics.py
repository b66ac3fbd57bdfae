# SPDX-License-Identifier: MIT
"""What repetitions tell, against numpy and scipy."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from lab.experiments.numbers.statistics import ENDLESS, Sample, deviation_of, half_width, needed, summarise, welch

NUMBERS = st.floats(-1e9, 1e9).filter(lambda value: value == 0 or abs(value) > 1e-6)
SAMPLES = st.lists(NUMBERS, min_size=2, max_size=40)
# samples whose spread is more than rounding, so that two ways to calculate can agree on it
SPREAD = SAMPLES.filter(lambda values: np.std(values) > 1e-6 * np.max(np.abs(values)))


@settings(deadline=None)
@given(SPREAD)
def test_a_summary_is_that_of_scipy(values: list[float]) -> None:
    found = summarise(values, "ms", missing=2)
    interval = stats.t.interval(0.95, len(values) - 1, loc=np.mean(values), scale=stats.sem(values))
    assert found.mean is not None and found.ci95 is not None
    scale = float(np.max(np.abs(values)))
    assert found.mean == pytest.approx(float(np.mean(values)), rel=1e-9, abs=1e-12 * scale)
    assert found.deviation == pytest.approx(float(np.std(values, ddof=1)), rel=1e-6)
    assert found.ci95 == pytest.approx((interval[1] - interval[0]) / 2, rel=1e-6)
    assert (found.values, found.n, found.missing, found.unit) == (tuple(values), len(values), 2, "ms")
    assert deviation_of(found.ci95, len(values)) == pytest.approx(found.deviation)


@settings(deadline=None)
@given(NUMBERS, st.integers(2, 30))
def test_equal_values_have_that_mean_and_no_deviation(value: float, count: int) -> None:
    found = summarise([value] * count, "ms")
    assert (found.mean, found.deviation, found.ci95) == (value, 0.0, 0.0)
    assert needed([value] * count, 0.05) == 1


def test_few_values() -> None:
    none, one = summarise([], "ms", missing=3), summarise([5.0], "ms")
    assert (none.mean, none.ci95, none.deviation, none.n, none.missing) == (None, None, None, 0, 3)
    assert (one.mean, one.ci95, one.deviation, one.n) == (5.0, None, None, 1)


def test_three_values_by_hand() -> None:
    # mean 4, deviation 2, t of two degrees of freedom 4.303
    found = summarise([2.0, 4.0, 6.0], "ms")
    assert (found.mean, found.deviation) == (4.0, 2.0)
    assert found.ci95 == pytest.approx(4.3027 * 2 / math.sqrt(3), rel=1e-4)
    assert needed([2.0, 4.0, 6.0], 0.05) == 385  # (1.96 * 2 / 0.2)^2 = 384.16
    assert needed([2.0, 4.0, 6.0], 0.5) == 4  # 3.84
    assert needed([-2.0, -4.0, -6.0], 0.5) == 4  # a level in dBm has a mean below 0


@settings(deadline=None)
@given(SPREAD, st.floats(0.001, 0.5))
def test_needed_is_the_least_number_that_is_enough(values: list[float], share: float) -> None:
    count = needed(values, share)
    allowed = share * abs(float(np.mean(values)))
    assert count >= 1
    if count == ENDLESS:
        assert allowed < 1e-6 * float(np.max(np.abs(values)))
        return

    def width(trials: int) -> float:
        return 1.96 * float(np.std(values, ddof=1)) / math.sqrt(trials)

    if allowed > 1e-9 * float(np.max(np.abs(values))):  # else the mean itself is rounding
        assert width(count) <= allowed * (1 + 1e-5)
        assert count == 1 or width(count - 1) >= allowed * (1 - 1e-5)


def test_needed_of_a_mean_of_zero_is_endless() -> None:
    assert needed([-1.0, 1.0], 0.05) == ENDLESS
    assert needed([0.0, 0.0], 0.05) == 1
    assert needed([5.0], 0.05) == needed([], 0.05) == 2
    assert needed([-1e-300, 1e300], 1e-300) == ENDLESS


@settings(deadline=None)
@given(SPREAD, SPREAD)
def test_a_difference_is_that_of_scipy(a: list[float], b: list[float]) -> None:
    theirs = stats.ttest_ind(b, a, equal_var=False)
    interval = theirs.confidence_interval(0.95)
    one, other = summarise(a, ""), summarise(b, "")
    assert one.mean is not None and other.mean is not None
    ours = welch(Sample(one.mean, one.deviation, one.n), Sample(other.mean, other.deviation, other.n))
    assert ours.half_width == pytest.approx((interval.high - interval.low) / 2, rel=1e-5)
    if abs(theirs.pvalue - 0.05) > 1e-4:
        assert ours.significant is bool(theirs.pvalue < 0.05)


def test_differences_without_a_deviation() -> None:
    assert welch(Sample(1, None, 1), Sample(2, 0.1, 5)).significant is None
    assert welch(Sample(1, 0.0, 3), Sample(1, 0.0, 3)).significant is False
    assert welch(Sample(1, 0.0, 3), Sample(1.001, 0.0, 3)).significant is True
    assert half_width(0.0, 2) == 0.0
