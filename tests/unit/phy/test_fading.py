# SPDX-License-Identifier: MIT
"""Distributions of gain per frame."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import gamma, ncx2

from lab.errors import InputError
from lab.phy.fading import Fading, known, load, quantiles

SOME = [
    load("none"),
    load("rayleigh"),
    *(load("rician", k_db=k_db) for k_db in (-40, -3, 0, 6, 12, 40)),
    *(load("nakagami", m=m) for m in (0.5, 0.8, 1, 3, 50, 1000)),
]


def test_kinds_are_found_by_their_files() -> None:
    assert {"none", "rayleigh", "rician", "nakagami"} <= set(known())


@pytest.mark.parametrize("fading", SOME, ids=str)
@pytest.mark.parametrize("n", [1024, 4096])
def test_the_mean_power_is_1_and_quantiles_rise(fading: Fading, n: int) -> None:
    table = quantiles(fading, n)
    assert table.shape == (n,) and table.dtype == np.int32
    assert np.all(np.diff(table) >= 0)
    assert np.mean(10 ** (table / 1000)) == pytest.approx(1, abs=0.01)


def test_no_fading() -> None:
    assert not quantiles(load("none")).any()


def test_quantiles_of_rayleigh_by_hand() -> None:
    # n = 4: p = 1/8, 3/8, 5/8, 7/8; -ln(1-p) = 0.133531, 0.470004, 0.980829, 2.079442;
    # in dB -8.744, -3.279, -0.084, 3.179
    assert list(quantiles(load("rayleigh"), 4)) == [-874, -328, -8, 318]
    # the deepest of 4096: p = 1/8192, -39.13 dB; the highest: ln 8192 = 9.0109, 9.55 dB
    table = quantiles(load("rayleigh"))
    assert (table[0], table[-1]) == (-3913, 955)


def test_nakagami_of_1_is_rayleigh_and_of_half_a_squared_gaussian() -> None:
    assert np.array_equal(quantiles(load("nakagami", m=1)), quantiles(load("rayleigh")))
    # n = 1: the median of a squared normal number is 0.67449² = 0.454936, -3.42 dB
    assert list(quantiles(load("nakagami", m=0.5), 1)) == [-342]


def test_rician_lies_between_rayleigh_and_none() -> None:
    weak = quantiles(load("rician", k_db=-40))
    assert np.abs(weak - quantiles(load("rayleigh"))).max() <= 1
    assert np.abs(quantiles(load("rician", k_db=40))).max() < 25  # 3.7 standard deviations of 0.06 dB
    deepest = [int(quantiles(load("rician", k_db=k_db))[0]) for k_db in range(-10, 20, 3)]
    assert deepest == sorted(deepest) and deepest[0] > -3913 - 20


@pytest.mark.parametrize("k_db", [-10.0, 0.0, 6.0, 20.0])
def test_rician_inverts_its_distribution(k_db: float) -> None:
    k = 10 ** (k_db / 10)
    probability = np.array([1e-4, 0.01, 0.3, 0.5, 0.9, 0.9999])
    gain = load("rician", k_db=k_db).gain(probability)
    assert ncx2.cdf(gain * 2 * (k + 1), 2, 2 * k) == pytest.approx(probability, rel=1e-7)


@given(st.floats(0.5, 1000))
def test_nakagami_inverts_its_distribution(m: float) -> None:
    probability = np.array([1e-4, 0.01, 0.3, 0.5, 0.9, 0.9999])
    assert gamma.cdf(load("nakagami", m=m).gain(probability), m, scale=1 / m) == pytest.approx(probability, rel=1e-7)


@given(st.floats(-40, 40))
def test_power_of_any_rician_is_1(k_db: float) -> None:
    assert np.mean(10 ** (quantiles(load("rician", k_db=k_db), 512) / 1000)) == pytest.approx(1, abs=0.01)


@pytest.mark.parametrize(
    ("name", "params", "message"),
    [
        (
            "ricean",
            {},
            r'unknown fading "ricean" \(did you mean rician\?\); known: nakagami, none, rayleigh, rician',
        ),
        ("rician", {"k_db": 50}, "k_db is 50; write a number from -40 to 40 dB"),
        ("nakagami", {"m": 0.4}, r"m is 0\.4; write a number from 0\.5 to 1000"),
        ("nakagami", {"m": math.nan}, "m is nan; write a number"),
        ("nakagami", {"m": "2"}, "m is 2; write a number"),
    ],
)
def test_mistakes_are_reported(name: str, params: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        load(name, **params)
