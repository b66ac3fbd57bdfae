# SPDX-License-Identifier: MIT
"""The formulas of the error models, against numbers worked out by other means."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.special import erfc, ndtr
from scipy.stats import binom

from lab.errors import InputError
from lab.phy.curves import CURVES, NAMED, Coding, Curve
from lab.phy.error_models import ErrorModel, _dsss, _qam, known, load
from lab.phy.error_models.nist import decoded
from lab.phy.error_models.yans import wrong_path
from lab.phy.error_rates import hazard, per

from .snr import snr_at_per

NIST, YANS = load("nist"), load("yans")
FORMULAS = pytest.mark.parametrize("model", [NIST, YANS], ids=["nist", "yans"])
EVERY_CURVE = pytest.mark.parametrize("curve", CURVES, ids=[curve.name for curve in CURVES])


def test_models_are_found_by_their_files() -> None:
    assert {"nist", "yans", "table"} <= set(known())
    assert not [name for name in known() if name.startswith(("_", "base"))]


def test_an_unknown_model_is_reported_with_the_known_ones() -> None:
    with pytest.raises(InputError, match=r'unknown error model "nits" \(did you mean nist\?\); known: nist'):
        load("nits")


def test_the_order_of_the_curves_is_that_of_the_kernel() -> None:
    assert [curve.index for curve in CURVES] == list(range(15))
    names = "dsss-1 dsss-2 cck-5.5 cck-11 bpsk-1/2 bpsk-3/4 qpsk-1/2 qpsk-3/4 16qam-1/2 16qam-3/4 64qam-2/3 64qam-3/4"
    assert [curve.name for curve in CURVES] == [*names.split(), "64qam-5/6", "256qam-3/4", "256qam-5/6"]
    assert NAMED["64qam-2/3"].coding == Coding(64, Fraction(2, 3))
    assert NAMED["cck-11"].coding is None


@pytest.mark.parametrize(
    ("curve", "snr_db"),
    [
        ("bpsk-1/2", 3.95),
        ("qpsk-1/2", 6.96),
        ("qpsk-3/4", 9.86),
        ("16qam-1/2", 13.5),
        ("16qam-3/4", 16.6),
        ("64qam-2/3", 21.35),
        ("64qam-3/4", 22.61),
        ("64qam-5/6", 23.78),
        ("dsss-1", -3.04),
        ("dsss-2", 1.61),
        ("cck-5.5", 4.13),
        ("cck-11", 7.14),
    ],
)
def test_a_tenth_of_1458_byte_frames_is_lost_where_it_should_be(curve: str, snr_db: float) -> None:
    assert snr_at_per(NIST, NAMED[curve], 0.1, 1458) == pytest.approx(snr_db, abs=0.05)


def test_1_mbit_by_hand() -> None:
    # PER 0.1 of 11664 bits: p = 1 - 0.9^(1/11664) = 9.0330e-6; s = ln(0.5/9.0330e-6)/22 = 0.49643, or -3.041 dB
    assert snr_at_per(NIST, NAMED["dsss-1"], 0.1, 1458) == pytest.approx(-3.041, abs=0.001)


def test_2_mbit_by_hand() -> None:
    # s = 1: x = 11, (√2+1)/√(8π√2) = 0.404947; 0.404947/√11 · e^(-0.585786·11) = 0.122096 · 1.590589e-3 = 1.942048e-4
    assert hazard(NIST, NAMED["dsss-2"], 0.0) == pytest.approx(-math.log1p(-1.942048e-4), rel=1e-6)


def test_bpsk_by_hand() -> None:
    # s = 10: p = erfc(√10)/2 = 3.872108e-6; D² = 4p(1-p) = 1.548837e-5; D¹⁰ = 8.913104e-25;
    # ½(36 D¹⁰ + 211 D¹²) = 1.604504e-23
    assert hazard(NIST, NAMED["bpsk-1/2"], 10.0) == pytest.approx(1.604504e-23, rel=1e-6, abs=0)


@pytest.mark.parametrize(
    ("points", "factor", "divisor"), [(4, 1 / 2, 2), (16, 3 / 8, 10), (64, 7 / 24, 42), (256, 15 / 64, 170)]
)
def test_the_general_form_gives_the_listed_ones(points: int, factor: float, divisor: float) -> None:
    s = np.geomspace(0.1, 1000, 50)
    assert _qam.nearest_neighbour(points, s) == pytest.approx(factor * erfc(np.sqrt(s / divisor)), rel=1e-13, abs=0)


def test_the_union_bound_is_its_first_term_where_errors_are_rare() -> None:
    # D = 2√p: ¼·3·D⁶ = 48p³, ⅙·42·D⁵ = 224p^2.5, ⅒·92·D⁴ = 147.2p², ½·36·D¹⁰ = 18432p⁵
    p = np.array([1e-9])
    for rate, term in {"1/2": 18432e-45, "2/3": 48e-27, "3/4": 224 * 10**-22.5, "5/6": 147.2e-18}.items():
        assert decoded(Fraction(rate), p) == pytest.approx(term, rel=3e-3, abs=0), rate


def test_every_term_of_the_union_bound_counts() -> None:
    # p = ½ makes D = 1, the bound half the sum of the spectrum over the period
    half = np.array([0.5])
    assert decoded(Fraction(1, 2), half) == pytest.approx(159_574_991 / 2)
    assert decoded(Fraction(2, 3), half) == pytest.approx(11_538_815 / 4)
    assert decoded(Fraction(3, 4), half) == pytest.approx(518_940_397 / 6)
    assert decoded(Fraction(5, 6), half) == pytest.approx(53_778_507_866 / 10)


def test_symbols_of_16_that_are_pure_guesses() -> None:
    assert _dsss.symbol_errors_16(np.array(0.0)) == pytest.approx(15 / 16, rel=1e-12)


@pytest.mark.parametrize("e", [0.1, 1.0, 4.0, 9.0])
def test_symbol_errors_by_the_formula_as_it_is_written(e: float) -> None:
    beta = math.sqrt(2 * e)
    density = 1 / math.sqrt(2 * math.pi)
    right, _ = quad(
        lambda x: (2 * ndtr(x + beta) - 1) ** 7 * density * math.exp(-x * x / 2), -beta, 12, epsabs=1e-14, limit=200
    )
    assert _dsss.symbol_errors_16(np.array(e)) == pytest.approx(1 - right, abs=1e-12)


@pytest.mark.parametrize("e", [60.0, 90.0, 300.0])
def test_rare_symbol_errors_near_the_union_bound(e: float) -> None:
    # 14 signals at distance √(2e), one at 2√e: 14 Q(√e) + Q(√(2e)) (e = 60: 6.6e-14); overlaps are of second order
    bound = 14 * float(ndtr(-math.sqrt(e))) + float(ndtr(-math.sqrt(2 * e)))
    assert _dsss.symbol_errors_16(np.array(e)) == pytest.approx(bound, rel=1e-4, abs=0)


@pytest.mark.parametrize("e", [1e-3, 1.0, 9.0, 60.0, 300.0, 600.0])
def test_rare_symbol_errors_have_all_their_digits(e: float) -> None:
    # by an adaptive quadrature of what must be added to the chance of the opposite signal (e = 600: 3e-131)
    beta = math.sqrt(2 * e)

    def others_win(y: float) -> float:
        return -math.expm1(7 * math.log1p(-math.erfc(y / math.sqrt(2)))) if y else 1.0

    added, _ = quad(
        lambda y: others_win(y) * math.exp(-0.5 * (y - beta) ** 2) / math.sqrt(2 * math.pi),
        *(max(beta / 2 - 9, 0), beta / 2 + 9),
        **{"epsabs": 0, "epsrel": 1e-13, "limit": 500},
    )
    expected = float(ndtr(-beta)) + added
    assert _dsss.symbol_errors_16(np.array(e)) == pytest.approx(expected, rel=1e-12, abs=0)


def test_the_quadrature_takes_any_shape() -> None:
    e = np.array([[0.5, 1.0, 2.0], [4.0, 8.0, 16.0]])
    together = _dsss.symbol_errors_16(e)
    assert together.shape == (2, 3)
    assert together[1, 0] == _dsss.symbol_errors_16(np.array(4.0))


@pytest.mark.parametrize("distance", [4, 5, 6, 7, 10])
@pytest.mark.parametrize("p", [1e-9, 1e-3, 0.2, 0.5])
def test_the_wrong_path_is_taken_when_most_bits_say_so(distance: int, p: float) -> None:
    more_than_half = float(binom.sf(distance // 2, distance, p))
    tie = float(binom.pmf(distance / 2, distance, p)) / 2 if distance % 2 == 0 else 0.0
    assert wrong_path(distance, np.array(p)) == pytest.approx(more_than_half + tie, rel=1e-12, abs=0)


@pytest.mark.parametrize(
    ("curve", "snr_db", "first_term"),
    [
        # a_d P_d where p is small: 11·½C(10,5)p⁵ = 1386p⁵, 8·C(5,3)p³ = 80p³
        ("bpsk-1/2", 5.0, lambda p: 1386 * p**5),
        ("bpsk-3/4", 5.0, lambda p: 80 * p**3),
        ("qpsk-3/4", 8.0, lambda p: 80 * p**3 + 31 * 10 * p**3),  # P_6 begins with ½C(6,3)p³
        ("64qam-2/3", 24.0, lambda p: 10 * p**3),
        ("64qam-5/6", 24.0, lambda p: 14 * 3 * p**2),
    ],
)
def test_yans_where_errors_are_rare(curve: str, snr_db: float, first_term: Callable[[float], float]) -> None:
    coding = NAMED[curve].coding
    assert coding
    symbol = 5 / 3 * 10 ** (snr_db / 10)
    if coding.points == 2:
        p = erfc(math.sqrt(symbol)) / 2
    else:
        side = (1 - coding.points**-0.5) * erfc(math.sqrt(1.5 * symbol / (coding.points - 1)))
        p = (1 - (1 - side) ** 2) / math.log2(coding.points)
    assert hazard(YANS, NAMED[curve], snr_db) == pytest.approx(first_term(p), rel=0.1, abs=0)


def test_yans_is_more_hopeful_than_nist_and_equal_for_dsss() -> None:
    for curve in CURVES:
        difference_db = snr_at_per(NIST, curve, 0.1, 1458) - snr_at_per(YANS, curve, 0.1, 1458)
        assert 2.5 < difference_db < 4 if curve.coding else difference_db == 0, curve.name


@FORMULAS
@EVERY_CURVE
def test_hazards_fall_without_exception(model: ErrorModel, curve: Curve) -> None:
    hazards = hazard(model, curve, np.arange(-60, 100, 0.01))
    finite = hazards[np.isfinite(hazards)]
    assert np.all(hazards >= 0) and np.all(np.diff(finite) <= 0)
    assert np.isfinite(hazards).argmax() + finite.size == hazards.size, "infinite at the low end only"
    assert finite[-1] == 0


@given(
    st.sampled_from(CURVES),
    st.sampled_from([NIST, YANS]),
    st.floats(-80, 120),
    st.floats(0, 30),
    st.integers(1, 2**19),
    st.integers(0, 2**19),
)
def test_frames_are_lost_less_with_more_signal_and_fewer_bits(
    curve: Curve, model: ErrorModel, snr_db: float, more_db: float, bits: int, more_bits: int
) -> None:
    rate = float(per(model, curve, snr_db, bits))
    assert 0 <= rate <= 1
    assert float(per(model, curve, snr_db + more_db, bits)) <= rate
    assert float(per(model, curve, snr_db, bits + more_bits)) >= rate


@given(st.sampled_from(CURVES), st.floats(0.001, 0.999), st.integers(14, 65535))
def test_the_snr_of_a_rate_has_that_rate(curve: Curve, rate: float, octets: int) -> None:
    snr_db = snr_at_per(NIST, curve, rate, octets)
    assert float(per(NIST, curve, snr_db, 8 * octets)) == pytest.approx(rate, rel=1e-5)


def test_rates_that_no_snr_has() -> None:
    for rate in (0.0, 1.0, -0.1, math.nan):
        with pytest.raises(ValueError, match="at any finite SNR"):
            snr_at_per(NIST, CURVES[4], rate, 100)


@EVERY_CURVE
def test_shapes_and_the_ends_of_the_scale(curve: Curve) -> None:
    assert hazard(NIST, curve, 3.0).shape == ()
    assert hazard(NIST, curve, np.zeros((2, 3))).shape == (2, 3)
    worst, best = hazard(NIST, curve, [-math.inf, math.inf])
    assert best == 0
    assert worst == (math.inf if curve.coding else pytest.approx(math.log(2), rel=1e-2))


def test_tiny_rates_keep_their_digits() -> None:
    # 1 Mbit/s at s = 2: hazard e^-44/2 = 3.8905662e-20, and 100 bits of it; 1 - (1 - p) would be 0
    two = 10 * math.log10(2)
    assert hazard(NIST, NAMED["dsss-1"], two) == pytest.approx(math.exp(-44) / 2, rel=1e-9, abs=0)
    assert per(NIST, NAMED["dsss-1"], two, 100) == pytest.approx(3.8905662e-18, rel=1e-6, abs=0)
