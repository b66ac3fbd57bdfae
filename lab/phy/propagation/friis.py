# SPDX-License-Identifier: MIT
"""Free space."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from lab.phy.numbers import Floats
from lab.phy.params import param
from lab.phy.propagation.base import SYSTEM_LOSS, Paths, Propagation, check_system_loss, free_space_db


@dataclass(frozen=True)
class Friis(Propagation):
    """Power falls with the square of the distance (H. T. Friis, A note on a simple transmission formula, 1946)."""

    about: ClassVar[str] = "free space; sL: system loss factor"

    sL: float = param(SYSTEM_LOSS, default=1.0)

    def __post_init__(self) -> None:
        check_system_loss(self.sL)

    def loss_db(self, paths: Paths) -> Floats:
        return free_space_db(paths.distance_m, paths.frequency_mhz, self.sL)
