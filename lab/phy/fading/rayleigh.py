# SPDX-License-Identifier: MIT
"""Rayleigh fading: many echoes and no line of sight."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from lab.phy.fading.base import Fading
from lab.phy.numbers import Floats


@dataclass(frozen=True)
class Rayleigh(Fading):
    """Power is exponentially distributed (J. G. Proakis, Digital Communications, 2001, 2.1.4)."""

    about: ClassVar[str] = "many echoes, no line of sight"

    def gain(self, probability: Floats) -> Floats:
        return np.asarray(-np.log1p(-probability))
