# SPDX-License-Identifier: MIT
"""Fading of links: one with a line of sight, another behind walls."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from lab.phy import fading as fadings
from lab.phy.doppler import coherence_us
from lab.plan.medium.snr import SnrMatrix
from lab.shared.medium_types import FadingTable, packed

if TYPE_CHECKING:
    from lab.model.medium import WrittenFading

_US = 1_000  # ns


def parameters(fading: Any) -> dict[str, Any]:
    """Return a model of lab.phy with its parameters, for the record."""
    return {"model": fading.model, **dataclasses.asdict(fading.made())}


class Fadings:
    """The tables of a medium, and which of them each link has.

    ``tables`` has those for the kernel: one if both are the same, none without fading.
    """

    def __init__(self, open_: WrittenFading | None, behind: WrittenFading | None, levels: SnrMatrix) -> None:
        """Take ``open_``, the fading with a line of sight, and ``behind``, that behind walls; None: none."""
        self.tables: list[FadingTable] = []
        self._fadings = (open_, behind)
        self._numbers = [self._number(open_)]
        self._numbers.append(self._number(behind) if behind is not open_ else self._numbers[0])
        self._coherences_us = [
            _coherences_us(fading, levels) if number else np.zeros_like(levels.frequency_mhz)
            for fading, number in zip(self._fadings, self._numbers, strict=True)
        ]

    def numbers(self, behind: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
        """Return the number of each link's table, 0: none; shape (n, n), as ``behind``."""
        return np.where(behind, self._numbers[1], self._numbers[0])

    def coherences_us(self, behind: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
        """Return how long the level of each link holds, 0: for one frame; shape (n, n), as ``behind``."""
        return np.where(behind, self._coherences_us[1], self._coherences_us[0])

    def described(self, which: int) -> dict[str, Any] | None:
        """Return fading 0 (line of sight) or 1 (behind walls) for the record, with its coherence in each band."""
        fading = self._fadings[which]
        if fading is None:
            return None
        times_ns = [int(value) * _US for value in np.unique(self._coherences_us[which])]
        return {**parameters(fading), "coherence_ns": times_ns}

    def _number(self, fading: WrittenFading | None) -> int:
        """Add a table of quantiles; return its number, 0 if all are 0."""
        quantiles = fadings.quantiles(fading.made()) if fading is not None else np.zeros(1)
        if not quantiles.any():
            return 0
        self.tables.append(FadingTable(len(self.tables) + 1, packed(quantiles.astype("<i4").tobytes())))
        return len(self.tables)


def _coherences_us(fading: WrittenFading | None, levels: SnrMatrix) -> npt.NDArray[np.int64]:
    given = fading.coherence if fading is not None else None
    if given is None:
        return coherence_us(levels.frequency_mhz)
    return np.full_like(levels.frequency_mhz, 0 if isinstance(given, str) else given // _US)
