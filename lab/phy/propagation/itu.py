# SPDX-License-Identifier: MIT
"""ITU-R P.1238: inside buildings, through floors.

Mininet-WiFi changes from a coefficient of 28 to one of 38 at 16 m, and 12 dB are gone within a step. Here the
coefficient is the same at all distances.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from lab.phy.numbers import Floats, decibels
from lab.phy.propagation.base import REFERENCE_M, Paths, Propagation
from lab.phy.registry import check, param

# Distance power loss coefficients of residential buildings, ITU-R P.1238 table 2
_RESIDENTIAL = 28.0  # 1.8 to 2.4 GHz
_RESIDENTIAL_5_GHZ = 30.0  # 5.2 GHz, an apartment
_5_GHZ_FROM_MHZ = 4000.0


@dataclass(frozen=True)
class Itu(Propagation):
    """20 log f + N log d + lF · nFloors - 28 dB, f in MHz, d in m; less than 1 m counts as 1 m.

    pL is N, the power loss coefficient; 0 takes that of the frequency: 28 at 2.4 GHz, 30 at 5 GHz.
    """

    name: ClassVar[str] = "ITU"
    about: ClassVar[str] = "indoors; pL: power loss coefficient, lF: dB lost in each of nFloors floors"

    lF: float = param("What each floor in between costs.", default=0.0, unit="dB")
    nFloors: int = param("The number of floors in between.", default=0)
    pL: float = param("Power loss coefficient; 0: that of the frequency, 28 at 2.4 GHz, 30 at 5 GHz.", default=0.0)

    def __post_init__(self) -> None:
        check("lF", self.lF, 0.0, 100.0, "dB")
        check("nFloors", self.nFloors, 0, 100)
        check("pL", self.pL, 0.0, 200.0)

    def loss_db(self, paths: Paths) -> Floats:
        """The recommendation's formula."""
        by_frequency = np.where(paths.frequency_mhz < _5_GHZ_FROM_MHZ, _RESIDENTIAL, _RESIDENTIAL_5_GHZ)
        coefficient = self.pL or by_frequency
        distance = np.maximum(paths.distance_m, REFERENCE_M)
        floors = self.lF * self.nFloors
        return np.asarray(2.0 * decibels(paths.frequency_mhz) + coefficient * np.log10(distance) + floors - 28.0)
