# SPDX-License-Identifier: MIT
"""Power law of the distance, typical of buildings on average."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from lab.phy.numbers import Floats
from lab.phy.params import check, param
from lab.phy.propagation.base import REFERENCE_M, SYSTEM_LOSS, Paths, Propagation, check_system_loss, free_space_db

EXPONENT = "Path loss exponent: 10 times this many dB are lost per decade of distance."


@dataclass(frozen=True)
class LogDistance(Propagation):
    """Free space up to the reference distance of 1 m, then 10 · exp dB per decade (Rappaport, 2002, 4.9.1)."""

    about: ClassVar[str] = "10 exp dB per decade of distance from 1 m; sL: system loss factor"

    exp: float = param(EXPONENT, default=3.0)
    sL: float = param(SYSTEM_LOSS, default=1.0)

    def __post_init__(self) -> None:
        check("exp", self.exp, 0.0, 20.0)
        check_system_loss(self.sL)

    def loss_db(self, paths: Paths) -> Floats:
        reference = free_space_db(np.minimum(paths.distance_m, REFERENCE_M), paths.frequency_mhz, self.sL)
        decades = np.log10(np.maximum(paths.distance_m / REFERENCE_M, 1.0))
        return np.asarray(reference + 10.0 * self.exp * decades)
