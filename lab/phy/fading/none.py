# SPDX-License-Identifier: MIT
"""No fading."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from lab.phy.fading.base import Fading
from lab.phy.numbers import Floats


@dataclass(frozen=True)
class NoFading(Fading):
    """Every frame arrives with the mean power."""

    about: ClassVar[str] = "every frame arrives with the mean power"

    def gain(self, probability: Floats) -> Floats:
        return np.ones_like(probability)
