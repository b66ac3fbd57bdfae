# SPDX-License-Identifier: MIT
"""Numbers for readers."""

from __future__ import annotations

import math
import sys

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lab.numbers import count, distinct, plain, short, size, ticks


def test_counts() -> None:
    assert [count(number, "trial") for number in (0, 1, 2)] == ["0 trials", "1 trial", "2 trials"]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (0.0, "0"),
        (23.585952036, "23.59"),
        (0.0159, "0.0159"),
        (67108864, "67108864"),
        (-30, "\N{MINUS SIGN}30"),
        (100.0, "100"),
        (99999.6, "100000"),
        (1e-7, "0.0000001"),
        (1e20, "100000000000000000000"),
        (5e-324, "4.941·10⁻³²⁴"),
        (-1e300, "\N{MINUS SIGN}10³⁰⁰"),
        (float("nan"), "not a number"),
        (float("-inf"), "not a number"),
    ],
)
def test_plain(value: float, text: str) -> None:
    assert plain(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (0.02, "0.02"),
        (1e-5, "0.00001"),
        (123456789.0, "123456789"),
        (3e-7, "3·10⁻⁷"),
        (1e12, "10¹²"),
        (-1.25e94, "\N{MINUS SIGN}1.25·10⁹⁴"),
        (-1e-9, "\N{MINUS SIGN}10⁻⁹"),
        (float("inf"), "not a number"),
    ],
)
def test_short(value: float, text: str) -> None:
    assert short(value) == text


def test_size() -> None:
    assert [size(count) for count in (17, 2048, 64 << 20, 3 << 29)] == ["17 B", "2 KiB", "64 MiB", "1.5 GiB"]


@given(st.floats(), st.floats(), st.integers(0, 12))
@example(1.0, 1 + 2e-16, 6)
@example(-sys.float_info.max, sys.float_info.max, 4)
@example(0.0, sys.float_info.max, 1)
def test_ticks_of_any_range(low: float, high: float, wanted: int) -> None:
    found = ticks(low, high, wanted)
    assert len(found) <= 2 * wanted + 4 and found == sorted(set(found)) and all(map(math.isfinite, found))
    if low < high:
        air = max(high - low, 0.0) * 1e-6 if math.isfinite(high - low) else sys.float_info.max * 1e-6
        assert all(low - air <= tick <= high or tick <= high + air for tick in found)
    texts = distinct(found)
    assert len(set(texts)) == len(found)


@given(st.floats(-1e9, 1e9), st.floats(1e-6, 1e9))
def test_ticks_are_round_inside_and_not_too_many(low: float, span: float) -> None:
    found = ticks(low, low + span)
    assert found == sorted(found) and len(found) <= 10
    air = span * 1e-6 + abs(low) * 1e-9
    assert all(low - air <= tick <= low + span + air for tick in found)


def test_ticks_of_a_common_axis() -> None:
    assert ticks(0, 30) == [0, 5, 10, 15, 20, 25, 30]
    assert ticks(-0.3, 0.6, wanted=4) == [-0.2, 0, 0.2, 0.4, 0.6]
    assert ticks(5, 5) == [5]
    assert ticks(0, 2e-13, wanted=2) == [0, 1e-13, 2e-13]
