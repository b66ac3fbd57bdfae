# SPDX-License-Identifier: MIT
"""A direct wave and one reflected by flat ground."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from lab.phy.numbers import Floats
from lab.phy.params import param
from lab.phy.propagation.base import LIGHT_M_S, SYSTEM_LOSS, Paths, Propagation, check_system_loss, free_space_db

_LOWEST_M = 1.0  # Mininet-WiFi's default height of an antenna


@dataclass(frozen=True)
class TwoRayGround(Propagation):
    """Free space up to 4π h₁h₂/λ, beyond which power falls with d⁴: h₁²h₂²/(d⁴ sL) (Rappaport, 2002, 4.6).

    Both are equal at the crossover. Heights are the z of the antennas; heights below 1 m (as in files that place all
    nodes on the ground) count as 1 m. The interference pattern before the crossover is not modelled.
    """

    about: ClassVar[str] = "free space, then 40 dB per decade beyond the crossover distance; heights are z"

    sL: float = param(SYSTEM_LOSS, default=1.0)

    def __post_init__(self) -> None:
        check_system_loss(self.sL)

    def loss_db(self, paths: Paths) -> Floats:
        """Return the loss of free space before the crossover, of ground reflection beyond it."""
        height = np.maximum(paths.height_m, _LOWEST_M)
        heights = height[:, np.newaxis] * height
        crossover = 4.0 * math.pi * heights * paths.frequency_mhz * 1e6 / LIGHT_M_S
        near = free_space_db(paths.distance_m, paths.frequency_mhz, self.sL)
        far = 40.0 * np.log10(paths.distance_m) - 20.0 * np.log10(heights) + 10.0 * math.log10(self.sL)
        return np.where(paths.distance_m < crossover, near, far)
