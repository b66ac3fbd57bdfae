# SPDX-License-Identifier: MIT
"""The rates of 802.11b in white noise, by the closed forms that simulators share.

s is the ratio of powers within 22 MHz. 1 and 2 Mbit/s: differential detection of BPSK (J. G. Proakis, Digital
Communications, 2001, eq. 5.2-69) and QPSK (G. Ferrari and G. E. Corazza, Tight bounds and accurate approximations for
DQPSK transmission bit error rate, Electronics Letters 40(20), 2004, eq. 8). CCK: a symbol is one of 16 biorthogonal
signals at 5.5 Mbit/s, two of 16 at half the energy at 11 Mbit/s (M. B. Pursley and T. C. Royster, Properties and
performance of the IEEE 802.11b complementary-code-key signal sets, IEEE Transactions on Communications 57(2), 2009,
eq. 18 and 17).

No bit is wrong more often than in a half of all cases, so that hazards end at ln 2 where the signal vanishes.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from scipy.special import erfc, ndtr

from lab.phy.error_models.base import hazard_of
from lab.phy.numbers import Floats

_BANDWIDTH_MHZ = 22.0  # of 11 million chips a second, from null to null
_GUESS = 0.5


def _dbpsk(s: Floats) -> Floats:
    return hazard_of(_GUESS * np.exp(-_BANDWIDTH_MHZ * s))


def _dqpsk(s: Floats) -> Floats:
    x = _BANDWIDTH_MHZ / 2 * s
    factor = (math.sqrt(2) + 1) / math.sqrt(8 * math.pi * math.sqrt(2))
    return hazard_of(np.minimum(factor / np.sqrt(x) * np.exp(-(2 - math.sqrt(2)) * x), _GUESS))


_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(256)
_BELOW, _ABOVE = 10.0, 12.0  # the integrand falls by more than e^-100 so far from its peak, which has a width of 0.7


def symbol_errors_16(e: Floats) -> Floats:
    """P16, the chance that one of 16 biorthogonal signals is taken for another.

    P16 is 1 - ∫(2Φ(x+β)-1)⁷φ(x)dx from -β to ∞ with β = √(2e). Here 1 is drawn into the integral, so that small values
    keep their digits: Φ(-β) + ∫(1-erf(y/√2)⁷)φ(y-β)dy from 0 to ∞, by Gauss-Legendre quadrature around the peak at β/2.

    Args:
        e: energy of the signal over the noise density, linear, any shape.
    """
    beta = np.sqrt(2.0 * e)[..., np.newaxis]
    begin = np.maximum(beta / 2 - _BELOW, 0.0)
    half = (beta / 2 + _ABOVE - begin) / 2
    y = begin + half * (1.0 + _NODES)
    others_win = -np.expm1(7.0 * np.log1p(-erfc(y / math.sqrt(2))))
    density = np.exp(-0.5 * (y - beta) ** 2) / math.sqrt(2 * math.pi)
    integral = np.sum(_WEIGHTS * others_win * density, axis=-1) * half[..., 0]
    return np.asarray(ndtr(-beta[..., 0]) + integral)


def _symbols(probability: Floats, bits: int) -> Floats:
    """Hazard of a bit where symbols of so many bits are whole or not."""
    return hazard_of(probability) / bits


def _cck_5_5(s: Floats) -> Floats:
    return _symbols(symbol_errors_16(8.0 * s), 4)


def _cck_11(s: Floats) -> Floats:
    one = symbol_errors_16(8.0 * s / 2)
    return _symbols(one * (2.0 - one), 8)  # 1 - (1 - one)², without the loss of digits


_HAZARDS: dict[str, Callable[[Floats], Floats]] = {
    "dsss-1": _dbpsk,
    "dsss-2": _dqpsk,
    "cck-5.5": _cck_5_5,
    "cck-11": _cck_11,
}


def hazard(name: str, s: Floats) -> Floats:
    """Hazard per bit of that curve at the linear ratio ``s``."""
    return _HAZARDS[name](s)
