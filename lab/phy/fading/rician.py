# SPDX-License-Identifier: MIT
"""Rician fading: a line of sight and echoes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from lab.phy.fading.base import Fading
from lab.phy.numbers import Floats, linear
from lab.phy.registry import check, param

_K_BOUND_DB = 40.0  # below: rayleigh; above: none, to a hundredth of the mean


@dataclass(frozen=True)
class Rician(Fading):
    """Power of a direct wave and of echoes that together have 1/K of its power.

    With K linear, 2 (K + 1) times the gain is χ² distributed with 2 degrees of freedom, non-central by 2 K (J. G.
    Proakis, Digital Communications, 2001, 2.1.4).
    """

    name: ClassVar[str] = "rician"
    about: ClassVar[str] = "a line of sight k above the sum of all echoes"

    k_db: float = param("Power of the direct wave over that of all echoes.", unit="dB")

    def __post_init__(self) -> None:
        check("k_db", self.k_db, -_K_BOUND_DB, _K_BOUND_DB, "dB")

    def gain(self, probability: Floats) -> Floats:
        """The inverse of the non-central χ² distribution."""
        from scipy.special import chndtrix  # takes long to import

        k = float(linear(self.k_db))
        return np.asarray(chndtrix(probability, 2.0, 2.0 * k) / (2.0 * (k + 1.0)))
