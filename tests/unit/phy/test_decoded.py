# SPDX-License-Identifier: MIT
"""How wrong a damaged frame is: a decoder that runs, its table, and what the kernel gets."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from lab.phy import decoded, viterbi
from lab.phy.curves import CURVES, NAMED, Curve
from lab.phy.error_models import load
from lab.phy.error_models.nist import decoded as bound
from lab.phy.kernel_table import FRACTION_BITS, kernel_table, wrong_share

RATES = (Fraction(1, 2), Fraction(2, 3), Fraction(3, 4), Fraction(5, 6))


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("p", [0.03, 0.06, 0.2])
def test_the_table_is_what_the_decoder_does(rate: Fraction, p: float) -> None:
    """With another seed; errors come in bursts, so their number varies more than by itself."""
    reported = float(decoded.error_rate(rate, np.array(p)))
    if reported > 1e-3:
        assert viterbi.error_rate(rate, p, frames=512, length=600, seed=7) == pytest.approx(reported, rel=0.1)


@pytest.mark.parametrize("rate", RATES)
def test_the_decoder_is_never_above_its_bound(rate: Fraction) -> None:
    p = np.geomspace(0.004, 0.5, 100)
    rates = decoded.error_rate(rate, p)
    seen = rates < 1
    assert np.all(rates[seen] <= 1.05 * np.minimum(bound(rate, p[seen]), 0.5))


def test_a_decoder_corrects_and_gives_up() -> None:
    """Two errors in a frame are corrected; of noise half the bits are right."""
    assert viterbi.error_rate(Fraction(1, 2), 0.001, frames=16, length=300) == 0
    assert viterbi.error_rate(Fraction(1, 2), 0.5, frames=64, length=300) == pytest.approx(0.5, abs=0.02)


def test_where_a_frame_is_lost_most_of_its_bits_are_right() -> None:
    """At 18 dB no frame of 54 Mbit/s arrives whole, with 2 % of its bits wrong; the bound said all."""
    curve = NAMED["64qam-3/4"]
    (share,) = wrong_share(load("nist"), curve, np.array([18.0]))
    assert 0.01 < share < 0.04


@pytest.mark.parametrize(("snr_db", "least", "most"), [(18.0, 0.01, 0.04), (15.0, 0.2, 0.35), (10.0, 0.45, 0.5)])
def test_the_kernel_knows_how_wrong_lost_frames_are(snr_db: float, least: float, most: float) -> None:
    """Also where no frame is left to lose, as in a collision."""
    table = kernel_table(load("nist"), NAMED["64qam-3/4"])
    at = round((snr_db * 100 - table.start_mb) / table.step_mb)
    share = -np.expm1(-float(table.wrong_bits[max(at, 0)]) / 2.0**FRACTION_BITS)
    assert least < share < most
    events = -np.expm1(-float(table.events[max(at, 0)]) / 2.0**FRACTION_BITS)
    burst = table.burst_q8 / 256
    assert events * burst / (1 + events * (2 * burst - 2)) == pytest.approx(share, rel=0.02)


@pytest.mark.parametrize("model", ["nist", "yans"])
@pytest.mark.parametrize("curve", CURVES, ids=lambda curve: curve.name)
def test_the_kernels_tables(model: str, curve: Curve) -> None:
    """Never rising, no more than half of the bits, and not above what decides whether a frame is damaged."""
    table = kernel_table(load(model), curve)
    for values in (table.wrong_bits, table.events):
        assert len(values) == len(table.values) and values[-1] == 0
        assert np.all(values[1:] <= values[:-1]) and np.all(values <= table.values)
    share = -np.expm1(-float(table.wrong_bits[0]) / 2.0**FRACTION_BITS)
    assert share <= 0.5 + 1e-9
