# SPDX-License-Identifier: MIT
"""What an error model is: for every curve, how bits fail at a ratio of signal to interference and noise.

A model gives the *hazard* h = -ln(1 - p) of a bit, p being the probability that it is wrong: a frame of L bits arrives
whole with probability exp(-h L), and hazards add up over parts of a frame that have different ratios. Hazards fall as
the ratio rises and are right to many digits however small they are; infinite where p is 1.

Not modelled, by any of them: that errors come in bursts (they are spread over the frame later, by the kernel),
channels that differ from one subcarrier to the next, imperfect synchronisation and channel estimation, soft decisions.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
import numpy.typing as npt

from lab.phy import registry
from lab.phy.curves import Curve
from lab.phy.numbers import Floats

HAZARD_CAP = 15.0  # stands for certain loss: 1 bit in 3 million is right; 15 · 2^60 is what 64 bits hold
_PACKAGE = "lab.phy.error_models"


class ErrorModel(registry.Kind, ABC):
    """Base class. A model is a dataclass, its parameters are the fields."""

    @abstractmethod
    def hazard(self, curve: Curve, snr_db: Floats) -> Floats:
        """Hazard per bit, in the shape of ``snr_db``.

        Args:
            curve: which one.
            snr_db: signal over interference and noise within the bandwidth of the channel, finite.

        Raises:
            InputError: this model does not have the curve.
        """

    def uncoded(self, curve: Curve, snr_db: Floats) -> Floats | None:
        """Bit error rate before decoding, in the shape of ``snr_db``; None where a model knows of none."""
        return None

    def has(self, curve: Curve) -> bool:
        """Whether it has the curve."""
        return True


def hazard_of(probability: npt.ArrayLike) -> Floats:
    """-ln(1 - p) of the probability that a bit is wrong; bounds above 1 (union bounds have them) count as 1."""
    with np.errstate(divide="ignore"):
        return np.asarray(-np.log1p(-np.minimum(probability, 1.0)), dtype=np.float64)


def known() -> tuple[str, ...]:
    """Names of all error models, found by the files in this folder."""
    return tuple(registry.kinds(_PACKAGE, ErrorModel))  # type: ignore[type-abstract]


def load(name: str, **params: Any) -> ErrorModel:
    """The model of that name: ``load("nist")``, ``load("table", file="mine.csv")``.

    Raises:
        InputError: no such model, wrong parameters, or a file that cannot be used.
    """
    return registry.build(_PACKAGE, ErrorModel, "error model", name, params)  # type: ignore[type-abstract]
