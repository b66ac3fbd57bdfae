# SPDX-License-Identifier: MIT
"""802.11b rates in white noise, with the closed forms that simulators use.

s is the SNR within 22 MHz. 1 and 2 Mbit/s: differential detection of BPSK (J. G. Proakis, Digital
Communications, 2001, eq. 5.2-69) and QPSK (G. Ferrari and G. E. Corazza, Tight bounds and accurate approximations for
DQPSK transmission bit error rate, Electronics Letters 40(20), 2004, eq. 8). CCK: a symbol is one of 16 biorthogonal
signals at 5.5 Mbit/s, two of 16 at half the energy at 11 Mbit/s (M. B. Pursley and T. C. Royster, Properties and
performance of the IEEE 802.11b complementary-code-key signal sets, IEEE Transactions on Communications 57(2), 2009,
eq. 18 and 17).

The bit error rate never exceeds one half, so hazards approach ln 2 as the signal vanishes.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from lab.phy.error_models.base import hazard_of
from lab.phy.numbers import Floats, erfc

_BANDWIDTH_MHZ = 22.0  # null to null, at 11 million chips per second
_GUESS = 0.5


def _dbpsk(s: Floats) -> Floats:
    return hazard_of(_GUESS * np.exp(-_BANDWIDTH_MHZ * s))


def _dqpsk(s: Floats) -> Floats:
    x = _BANDWIDTH_MHZ / 2 * s
    factor = (math.sqrt(2) + 1) / math.sqrt(8 * math.pi * math.sqrt(2))
    return hazard_of(np.minimum(factor / np.sqrt(x) * np.exp(-(2 - math.sqrt(2)) * x), _GUESS))


def _quadrature() -> tuple[Floats, Floats]:
    """Return nodes and weights of Gauss-Legendre quadrature from 0 to _PANELS, in panels of width 1."""
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    begins = np.arange(_PANELS)[:, np.newaxis]
    return (begins + (1.0 + nodes) / 2).ravel(), np.tile(weights / 2, _PANELS)


_PANELS = 39  # beyond, erfc(y/√2) is below 10^-308
_NODES = 12  # per panel; more change only the last digit
_Y, _WEIGHTS = _quadrature()
_OTHERS_WIN = -np.expm1(7.0 * np.log1p(-erfc(_Y / math.sqrt(2))))


def symbol_errors_16(e: Floats) -> Floats:
    """Return P16, the probability that one of 16 biorthogonal signals is mistaken for another.

    P16 is 1 - ∫(2Φ(x+β)-1)⁷φ(x)dx from -β to ∞ with β = √(2e). Here the 1 is moved into the integral, so that small
    values keep their precision: Φ(-β) + ∫(1-erf(y/√2)⁷)φ(y-β)dy from 0 to ∞. All β share the quadrature nodes, so the
    first factor is computed once.

    Args:
        e: signal energy over noise density, linear, any shape.
    """
    beta = np.sqrt(2.0 * e)
    density = np.exp(-0.5 * (_Y - beta[..., np.newaxis]) ** 2) / math.sqrt(2 * math.pi)
    integral = np.sum(_WEIGHTS * _OTHERS_WIN * density, axis=-1)
    return np.asarray(0.5 * erfc(beta / math.sqrt(2)) + integral)


def _symbols(probability: Floats, bits: int) -> Floats:
    """Return the hazard per bit if symbols of ``bits`` bits are either correct or wrong."""
    return hazard_of(probability) / bits


def _cck_5_5(s: Floats) -> Floats:
    return _symbols(symbol_errors_16(8.0 * s), 4)


def _cck_11(s: Floats) -> Floats:
    one = symbol_errors_16(8.0 * s / 2)
    return _symbols(one * (2.0 - one), 8)  # 1 - (1 - one)² without cancellation


_HAZARDS: dict[str, Callable[[Floats], Floats]] = {
    "dsss-1": _dbpsk,
    "dsss-2": _dqpsk,
    "cck-5.5": _cck_5_5,
    "cck-11": _cck_11,
}


def hazard(name: str, s: Floats) -> Floats:
    """Return the hazard per bit of that curve at the linear SNR ``s``."""
    return _HAZARDS[name](s)
