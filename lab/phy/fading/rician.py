# SPDX-License-Identifier: MIT
"""Rician fading: a line of sight plus echoes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from lab.phy.fading.base import Fading
from lab.phy.numbers import Floats, linear
from lab.phy.params import check, param

_K_BOUND_DB = 40.0  # below -40 dB it is rayleigh, above 40 dB none, within 1 % of the mean


@dataclass(frozen=True)
class Rician(Fading):
    """Power of a direct wave plus echoes with 1/K of its power in total.

    With K linear, 2 (K + 1) times the gain has a non-central χ² distribution with 2 degrees of freedom and
    non-centrality 2 K (J. G. Proakis, Digital Communications, 2001, 2.1.4).
    """

    about: ClassVar[str] = "a line of sight that is stronger by k than all echoes together"

    k_db: float = param("Power ratio of the direct wave to all echoes.", unit="dB")

    def __post_init__(self) -> None:
        check("k_db", self.k_db, -_K_BOUND_DB, _K_BOUND_DB, "dB")

    def gain(self, probability: Floats) -> Floats:
        """Return the inverse of the non-central χ² distribution."""
        from scipy.special import chndtrix  # slow to import

        k = float(linear(self.k_db))
        return np.asarray(chndtrix(probability, 2.0, 2.0 * k) / (2.0 * (k + 1.0)))
