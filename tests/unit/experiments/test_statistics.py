# SPDX-License-Identifier: MIT
"""What repetitions tell, against numpy and scipy."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from lab.experiments.analysis.statistics import (
    ENDLESS,
    Mean,
    deviation_of,
    enough,
    half_width,
    needed,
    summarise,
    welch,
)

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


def test_the_rule_of_196_is_content_before_the_interval_that_is_reported_is_narrow() -> None:
    values = [9.6, 10.0, 10.4]
    assert needed(values, 0.05) == 3  # 1.96 * 0.4 / sqrt(3) = 0.45, of 0.5
    found = summarise(values, "ms", share=0.05)
    assert found.ci95 == pytest.approx(0.9937, rel=1e-4)  # 4.3027 * 0.4 / sqrt(3)
    assert found.precise is False
    assert enough(values, 0.05) == 4
    assert enough(values, 0.1) == 3
    assert enough(values, 0.05, normal=True) == 3
    assert summarise(values, "ms", share=0.05, normal=True).precise is True
    assert summarise(values, "ms", share=0.04, normal=True).precise is False


@settings(deadline=None)
@given(SAMPLES, st.floats(0.001, 0.5))
def test_there_are_enough_where_the_interval_that_is_reported_is_narrow(values: list[float], share: float) -> None:
    found, count = summarise(values, "ms", share=share), enough(values, share)
    assert found.mean is not None and found.ci95 is not None
    assert found.precise is (found.ci95 <= share * abs(found.mean))
    assert (count == len(values)) is found.precise
    assert found.precise or count >= needed(values, share)


def test_whether_a_mean_is_precise() -> None:
    assert summarise([1.0, 2.0], "ms").precise is None  # nobody asks
    assert summarise([0.0, 0.0, 0.0], "ms", share=0.05).precise is True
    assert summarise([-1.0, 1.0], "ms", share=0.05).precise is False  # of 0
    assert summarise([-50.0, -50.1, -49.9], "dBm", share=0.05).precise is True
    assert summarise([5.0], "ms", share=0.05).precise is False
    assert summarise([], "ms", 3, share=0.05).precise is False
    assert (enough([], 0.05), enough([5.0], 0.05), enough([0.0, 0.0], 0.05)) == (2, 2, 2)


@settings(deadline=None)
@given(SPREAD, SPREAD)
def test_a_difference_is_that_of_scipy(a: list[float], b: list[float]) -> None:
    theirs = stats.ttest_ind(b, a, equal_var=False)
    interval = theirs.confidence_interval(0.95)
    one, other = summarise(a, ""), summarise(b, "")
    assert one.mean is not None and other.mean is not None
    ours = welch(Mean(one.mean, one.deviation, one.n), Mean(other.mean, other.deviation, other.n))
    assert ours.half_width == pytest.approx((interval.high - interval.low) / 2, rel=1e-5)
    if abs(theirs.pvalue - 0.05) > 1e-4:
        assert ours.significant is bool(theirs.pvalue < 0.05)


def test_differences_without_a_deviation() -> None:
    assert welch(Mean(1, None, 1), Mean(2, 0.1, 5)).significant is None
    assert welch(Mean(1, 0.0, 3), Mean(1, 0.0, 3)).significant is False
    assert welch(Mean(1, 0.0, 3), Mean(1.001, 0.0, 3)).significant is True
    assert half_width(0.0, 2) == 0.0
