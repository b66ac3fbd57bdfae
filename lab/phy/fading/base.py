# SPDX-License-Identifier: MIT
"""Base class of fading models: the gain of a link relative to its mean, drawn for each frame.

The kernel draws an entry of a table of quantiles. The mean power is 1 (0 dB), so fading does not change the mean.

Not modelled: correlation in time or frequency, so no Doppler and no frequency-selective fading; the gain is constant
during a frame.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from lab.phy import params
from lab.phy.numbers import Floats, decibels
from lab.registry import Room


class Fading(params.PhyModel, ABC):
    """Base class. A model of fading is a frozen dataclass whose fields are its parameters."""

    @abstractmethod
    def gain(self, probability: Floats) -> Floats:
        """Return the inverse distribution function: linear power, mean 1, at probabilities between 0 and 1."""


FADING = Room("phy/fading", Fading)
known, load = FADING.known, FADING.made


@lru_cache(maxsize=32)
def quantiles(fading: Fading, n: int = 4096) -> npt.NDArray[np.int32]:
    """Return the kernel's table: shape (n,), gain in hundredths of a decibel (mB) at probabilities (i + 1/2)/n.

    It is remembered, since Rician fading takes 30 ms and an experiment has hundreds of plans with the same one.
    """
    gain = fading.gain((np.arange(n) + 0.5) / n)
    table = np.rint(100.0 * decibels(gain)).astype(np.int32)
    table.setflags(write=False)
    return table
