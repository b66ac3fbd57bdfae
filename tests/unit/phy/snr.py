# SPDX-License-Identifier: MIT
"""The SNR required for a given error rate."""

from __future__ import annotations

import math

from scipy.optimize import brentq

from lab.phy.curves import Curve
from lab.phy.error_models import ErrorModel
from lab.phy.error_rates import SNR_LEAST_DB, SNR_MOST_DB, hazard


def snr_at_per(model: ErrorModel, curve: Curve, wanted_per: float, octets: int) -> float:
    """Return the SNR in dB at which frames of ``octets`` bytes are lost with probability ``wanted_per``.

    Raises:
        ValueError: ``wanted_per`` is not between 0 and 1, or not reached between -60 and 100 dB.
    """
    if not 0 < wanted_per < 1:
        raise ValueError(f"a packet error rate of {wanted_per} is not reached at any finite SNR")
    wanted = math.log(-math.log1p(-wanted_per) / (8 * octets))

    def excess(snr_db: float) -> float:
        """Return the logarithm of the hazard relative to the wanted one, kept finite."""
        value = float(hazard(model, curve, snr_db))
        return math.log(min(max(value, 1e-300), 1e300)) - wanted

    root, _ = brentq(excess, SNR_LEAST_DB, SNR_MOST_DB, xtol=1e-9, full_output=True)
    return float(root)
