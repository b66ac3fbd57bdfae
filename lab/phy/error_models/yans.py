# SPDX-License-Identifier: MIT
"""The YANS model: hard decisions and the first one or two terms of the bound on error events.

M. Lacage and T. R. Henderson, Yet another network simulator, WNS2 2006, section on the PHY; in ns-3 as
YansErrorRateModel. It serves for comparison with simulators that use it. Computation:

1. Energy per coded bit over noise density: the SNR times B / R, with B = 20 MHz and R the rate of coded bits. Here
   R = m · 12 Mbit/s, from the 48 data subcarriers of 802.11a (so Es/N0 is 5/3 of the SNR), also for rates of 802.11n
   with 52 subcarriers, for which ns-3 uses 13 Mbit/s (0.35 dB worse).
2. Bit error rate before decoding: BPSK erfc(√s)/2; M-QAM (1 - (1 - z)²)/m with z = (1 - 1/√M) erfc(√(1.5 s/(M - 1))).
3. P_d, the probability that hard decisions favour a path at distance d: more than d/2 of d bits are wrong; ties are
   decided at random.
4. Per bit: a_d P_d of the free distance, plus that of the next distance except for BPSK, at most 1. a_d counts error
   events, not wrong bits, with the same sources as in nist.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from lab.phy.curves import Coding, Curve
from lab.phy.error_models import _dsss, _qam
from lab.phy.error_models.base import ErrorModel, hazard_of
from lab.phy.numbers import Floats, linear

_ES_N0 = 20 / 12  # 20 MHz over 12 million symbols per second: 48 data subcarriers, 4 µs

_EVENTS = {  # distance: error events at it; none at 11 for rate 1/2
    Fraction(1, 2): {10: 11},
    Fraction(2, 3): {6: 1, 7: 16},
    Fraction(3, 4): {5: 8, 6: 31},
    Fraction(5, 6): {4: 14, 5: 69},
}


@dataclass(frozen=True)
class Yans(ErrorModel):
    """The YANS model."""

    about: ClassVar[str] = "hard decisions and the code's shortest error events (yans, ns-3's former default)"

    def hazard(self, curve: Curve, snr_db: Floats) -> Floats:
        """Return the hazard per bit. So few terms do not always reach 1; the worst is 64qam-2/3 with 0.36."""
        s = linear(snr_db)
        if curve.coding is None:
            return _dsss.hazard(curve.name, s)
        p = uncoded(curve.coding, _ES_N0 * s)
        terms = (events * wrong_path(distance, p) for distance, events in _events(curve.coding).items())
        return hazard_of(sum(terms, np.zeros_like(p)))

    def uncoded(self, curve: Curve, snr_db: Floats) -> Floats | None:
        return uncoded(curve.coding, _ES_N0 * linear(snr_db)) if curve.coding else None


def _events(coding: Coding) -> dict[int, int]:
    events = _EVENTS[coding.rate]
    return events if coding.points > 2 else {min(events): events[min(events)]}


def uncoded(coding: Coding, es_n0: Floats) -> Floats:
    """Return the bit error rate before decoding (step 2)."""
    if coding.points == 2:
        return _qam.bpsk(es_n0)
    z = _qam.dimension(coding.points, es_n0)
    return z * (2.0 - z) / math.log2(coding.points)


def wrong_path(distance: int, p: Floats) -> Floats:
    """Return the probability that the decoder chooses a path at that distance (step 3)."""
    total = np.zeros_like(p)
    for wrong in range((distance + 1) // 2, distance + 1):
        tie = 0.5 if 2 * wrong == distance else 1.0
        total += tie * math.comb(distance, wrong) * p**wrong * (1.0 - p) ** (distance - wrong)
    return total
