# SPDX-License-Identifier: MIT
"""Bit and frame error rates of an error model, and the SNR required for a given rate."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from lab.phy.curves import Curve
from lab.phy.error_models import ErrorModel
from lab.phy.numbers import Floats

SNR_LEAST_DB = -60.0  # below, every frame is lost
SNR_MOST_DB = 100.0  # above, none is


def hazard(model: ErrorModel, curve: Curve, snr_db: npt.ArrayLike) -> Floats:
    """Return the hazard per bit, shaped like ``snr_db``: L bits arrive without error with probability exp(-hazard L).

    ``snr_db``: signal to interference and noise, any shape; clipped to -60 to 100 dB.
    """
    return model.hazard(curve, np.clip(np.asarray(snr_db, dtype=np.float64), SNR_LEAST_DB, SNR_MOST_DB))


def per(model: ErrorModel, curve: Curve, snr_db: npt.ArrayLike, bits: int) -> Floats:
    """Return the probability that a frame of ``bits`` (at least 1) has an error."""
    return np.asarray(-np.expm1(-hazard(model, curve, snr_db) * bits))


def snr_at_per(model: ErrorModel, curve: Curve, wanted_per: float, octets: int) -> float:
    """Return the SNR in dB at which frames of ``octets`` bytes are lost with probability ``wanted_per``.

    Raises:
        ValueError: ``wanted_per`` is not between 0 and 1, or not reached between -60 and 100 dB.
    """
    from scipy.optimize import brentq

    if not 0 < wanted_per < 1:
        raise ValueError(f"a packet error rate of {wanted_per} is not reached at any finite SNR")
    wanted = math.log(-math.log1p(-wanted_per) / (8 * octets))

    def excess(snr_db: float) -> float:
        """Return the logarithm of the hazard relative to the wanted one, kept finite."""
        value = float(hazard(model, curve, snr_db))
        return math.log(min(max(value, 1e-300), 1e300)) - wanted

    root, _ = brentq(excess, SNR_LEAST_DB, SNR_MOST_DB, xtol=1e-9, full_output=True)
    return float(root)
