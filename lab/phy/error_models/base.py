# SPDX-License-Identifier: MIT
"""Base class of error models: bit errors of each curve over the signal-to-interference-and-noise ratio.

A model gives the *hazard* h = -ln(1 - p) of a bit, where p is the probability that it is wrong: a frame of L bits
arrives without error with probability exp(-h L), and hazards add up over parts of a frame with different ratios.
Hazards decrease with the ratio, are precise even if tiny, and infinite where p is 1.

Not modelled by any of them: error bursts (the kernel places errors in the frame later), frequency-selective channels,
imperfect synchronisation and channel estimation, soft decisions.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
import numpy.typing as npt

from lab.phy import params
from lab.phy.curves import Curve
from lab.phy.numbers import Floats
from lab.registry import Room

HAZARD_CAP = 15.0  # means certain loss: 1 bit in 3 million is correct; 15 · 2^60 still fits into 64 bits


class ErrorModel(params.PhyModel, ABC):
    """Base class. A model is a dataclass whose fields are its parameters."""

    @abstractmethod
    def hazard(self, curve: Curve, snr_db: Floats) -> Floats:
        """Return the hazard per bit, in the shape of ``snr_db``.

        Args:
            curve: modulation and code rate.
            snr_db: signal to interference and noise within the channel bandwidth, finite.

        Raises:
            InputError: If this model does not have the curve.
        """

    def uncoded(self, curve: Curve, snr_db: Floats) -> Floats | None:
        """Return the bit error rate before decoding, in the shape of ``snr_db``; None if the model has none."""
        return None

    def has(self, curve: Curve) -> bool:
        """Return whether the model has the curve."""
        return True


def hazard_of(probability: npt.ArrayLike) -> Floats:
    """Return -ln(1 - p) for the probability p of a wrong bit; union bounds above 1 count as 1."""
    with np.errstate(divide="ignore"):
        return np.asarray(-np.log1p(-np.minimum(probability, 1.0)), dtype=np.float64)


ERROR_MODELS = Room("phy/error_models", ErrorModel)
known, load = ERROR_MODELS.known, ERROR_MODELS.made
