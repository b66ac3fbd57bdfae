# SPDX-License-Identifier: MIT
"""Bit and frame error rates of an error model."""

from __future__ import annotations

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
