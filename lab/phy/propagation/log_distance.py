# SPDX-License-Identifier: MIT
"""A power of the distance, as buildings have it on the average."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from lab.phy.numbers import Floats
from lab.phy.propagation.base import REFERENCE_M, SYSTEM_LOSS, Paths, Propagation, check_system_loss, free_space_db
from lab.phy.registry import check, param

EXPONENT = "So many times 10 dB are lost in each decade of distance."


@dataclass(frozen=True)
class LogDistance(Propagation):
    """Free space to the reference distance of 1 m, from there 10 · exp dB a decade (Rappaport, 2002, 4.9.1)."""

    name: ClassVar[str] = "logDistance"
    about: ClassVar[str] = "10 exp dB a decade of distance from 1 m; sL: loss of the system, a factor"

    exp: float = param(EXPONENT, default=3.0)
    sL: float = param(SYSTEM_LOSS, default=1.0)

    def __post_init__(self) -> None:
        check("exp", self.exp, 0.0, 20.0)
        check_system_loss(self.sL)

    def loss_db(self, paths: Paths) -> Floats:
        """Mean loss at the distance."""
        reference = free_space_db(np.minimum(paths.distance_m, REFERENCE_M), paths.frequency_mhz, self.sL)
        decades = np.log10(np.maximum(paths.distance_m / REFERENCE_M, 1.0))
        return np.asarray(reference + 10.0 * self.exp * decades)
