# SPDX-License-Identifier: MIT
"""The default model: hard decisions and the union bound of the K=7 code with ten terms of its weight spectrum.

G. Pei and T. R. Henderson, Validation of OFDM error rate model in ns-3, 2010, after L. E. Miller, Validation of
802.11a/UWB coexistence simulation, NIST, 2003. The SNR within the channel is taken as Es/N0. 256-QAM, which they do not
cover, uses the same formulas.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from lab.phy.curves import Coding, Curve
from lab.phy.error_models import _dsss, _qam
from lab.phy.error_models.base import ErrorModel, hazard_of
from lab.phy.numbers import Floats, linear


@dataclass(frozen=True)
class Spectrum:
    """Wrong bits on paths at each distance from the correct one.

    Attributes:
        free: the free distance.
        step: difference between the distances that occur.
        period: input bits per puncturing period.
        bits: total number of wrong bits at each distance.
    """

    free: int
    step: int
    period: int
    bits: tuple[int, ...]


# P. Frenger, P. Orten, T. Ottosson, Convolutional codes with optimum distance spectrum, 1999, for rate 1/2; D. Haccoun,
# G. Bégin, High-rate punctured convolutional codes for Viterbi and sequential decoding, 1989, for the others.
_SPECTRA = {
    Fraction(1, 2): Spectrum(
        10, 2, 1, (36, 211, 1404, 11633, 77433, 502690, 3322763, 21292910, 134365911)
    ),
    Fraction(2, 3): Spectrum(
        6, 1, 2, (3, 70, 285, 1276, 6160, 27128, 117019, 498860, 2103891, 8784123)
    ),
    Fraction(3, 4): Spectrum(
        5, 1, 3, (42, 201, 1492, 10469, 62935, 379644, 2253373, 13073811, 75152755, 428005675)
    ),
    Fraction(5, 6): Spectrum(
        4, 1, 5, (92, 528, 8694, 79453, 792114, 7375573, 67884974, 610875423, 5427275376, 47664215639)
    ),
}  # fmt: skip


@dataclass(frozen=True)
class Nist(ErrorModel):
    """The NIST model."""

    about: ClassVar[str] = "hard decisions and the union bound of the code (NIST, ns-3's default for OFDM)"

    def hazard(self, curve: Curve, snr_db: Floats) -> Floats:
        """Return the hazard per bit; infinite where the union bound reaches 1."""
        s = linear(snr_db)
        if curve.coding is None:
            return _dsss.hazard(curve.name, s)
        return hazard_of(decoded(curve.coding.rate, uncoded(curve.coding, s)))

    def uncoded(self, curve: Curve, snr_db: Floats) -> Floats | None:
        return uncoded(curve.coding, linear(snr_db)) if curve.coding else None


def uncoded(coding: Coding, es_n0: Floats) -> Floats:
    """Return the bit error rate before decoding."""
    return _qam.bpsk(es_n0) if coding.points == 2 else _qam.nearest_neighbour(coding.points, es_n0)


def decoded(rate: Fraction, p: Floats) -> Floats:
    """Return the union bound on the bit error rate after decoding for the rate ``p`` before it; may exceed 1.

    1/(2 k) Σ c_d D^d with D = √(4 p (1 - p)) (Chernoff bound on the choice between two paths), k the period. All terms
    are positive, so small results are precise.
    """
    spectrum = _SPECTRA[rate]
    chernoff = np.sqrt(4.0 * p * (1.0 - p))
    series = np.polynomial.polynomial.polyval(chernoff**spectrum.step, spectrum.bits)
    return np.asarray(chernoff**spectrum.free * series / (2 * spectrum.period))
