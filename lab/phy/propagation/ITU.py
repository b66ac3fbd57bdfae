# SPDX-License-Identifier: MIT
"""ITU-R P.1238: indoor propagation, also through floors.

Mininet-WiFi changes the coefficient from 28 to 38 at 16 m, which makes the loss jump by 12 dB. Here the coefficient is
the same at all distances.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from lab.phy.numbers import Floats, decibels
from lab.phy.params import check, param
from lab.phy.propagation.base import REFERENCE_M, Paths, Propagation

# Distance power loss coefficients of residential buildings, ITU-R P.1238 table 2
_RESIDENTIAL = 28.0  # 1.8 to 2.4 GHz
_RESIDENTIAL_5_GHZ = 30.0  # 5.2 GHz, an apartment
_5_GHZ_FROM_MHZ = 4000.0


@dataclass(frozen=True)
class Itu(Propagation):
    """20 log f + N log d + lF · nFloors - 28 dB, f in MHz, d in m; distances below 1 m count as 1 m.

    pL is N, the power loss coefficient; 0 selects it by frequency: 28 at 2.4 GHz, 30 at 5 GHz.
    """

    about: ClassVar[str] = "indoor; pL: power loss coefficient, lF: loss in dB per floor, nFloors: number of floors"

    lF: float = param("Loss per floor in between.", default=0.0, unit="dB")
    nFloors: int = param("Number of floors in between.", default=0)
    pL: float = param("Power loss coefficient; 0: by frequency, 28 at 2.4 GHz, 30 at 5 GHz.", default=0.0)

    def __post_init__(self) -> None:
        check("lF", self.lF, 0.0, 100.0, "dB")
        check("nFloors", self.nFloors, 0, 100)
        check("pL", self.pL, 0.0, 200.0)

    def loss_db(self, paths: Paths) -> Floats:
        by_frequency = np.where(paths.frequency_mhz < _5_GHZ_FROM_MHZ, _RESIDENTIAL, _RESIDENTIAL_5_GHZ)
        coefficient = self.pL or by_frequency
        distance = np.maximum(paths.distance_m, REFERENCE_M)
        floors = self.lF * self.nFloors
        return np.asarray(2.0 * decibels(paths.frequency_mhz) + coefficient * np.log10(distance) + floors - 28.0)
