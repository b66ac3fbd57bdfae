# SPDX-License-Identifier: MIT
"""What fading is: the gain of a link, drawn anew for every frame, around the mean that propagation gives.

The kernel draws an entry of a table of quantiles. Mean power is 1 (0 dB), so that fading changes no mean.

Not modelled: correlation in time or frequency, so no Doppler and no selective fading; a frame sees one gain from its
first bit to its last.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
import numpy.typing as npt

from lab.phy import registry
from lab.phy.numbers import Floats, decibels

_PACKAGE = "lab.phy.fading"


class Fading(registry.Kind, ABC):
    """Base class. A kind of fading is a dataclass, its parameters are the fields."""

    @abstractmethod
    def gain(self, probability: Floats) -> Floats:
        """The inverse distribution function: linear power, of mean 1, at probabilities between 0 and 1."""


def kinds() -> dict[str, type[Fading]]:
    """All kinds of fading by name, found by the files in this folder."""
    return registry.kinds(_PACKAGE, Fading)  # type: ignore[type-abstract]


def known() -> tuple[str, ...]:
    """Their names."""
    return tuple(kinds())


def load(name: str, **params: Any) -> Fading:
    """Fading of that name: ``load("rician", k_db=6)``.

    Raises:
        InputError: no such fading, or wrong parameters.
    """
    return registry.build(_PACKAGE, Fading, "fading", name, params)  # type: ignore[type-abstract]


def quantiles(fading: Fading, n: int = 4096) -> npt.NDArray[np.int32]:
    """The kernel's table: shape (n,), gain in hundredths of a decibel (mB) at probabilities (i + 1/2)/n."""
    gain = fading.gain((np.arange(n) + 0.5) / n)
    return np.rint(100.0 * decibels(gain)).astype(np.int32)
