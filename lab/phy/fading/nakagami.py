# SPDX-License-Identifier: MIT
"""Nakagami fading, from worse than Rayleigh (m < 1) to none (m large)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from lab.phy.fading.base import Fading
from lab.phy.numbers import Floats
from lab.phy.params import check, param

_M_LEAST = 0.5  # lower bound of the Nakagami distribution
_M_MOST = 1000.0


@dataclass(frozen=True)
class Nakagami(Fading):
    """Power is gamma-distributed with shape m (M. Nakagami, The m-distribution, 1960); m = 1 is rayleigh."""

    about: ClassVar[str] = "the variance of power is 1/m; m = 1 is rayleigh"

    m: float = param("Shape parameter: the variance of power is 1/m.")

    def __post_init__(self) -> None:
        check("m", self.m, _M_LEAST, _M_MOST)

    def gain(self, probability: Floats) -> Floats:
        """Return the inverse of the gamma distribution of mean 1."""
        from scipy.special import gammaincinv  # slow to import

        return np.asarray(gammaincinv(self.m, probability) / self.m)
