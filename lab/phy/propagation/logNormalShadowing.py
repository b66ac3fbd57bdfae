# SPDX-License-Identifier: MIT
"""Power law of the distance plus random shadowing per pair of nodes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np

from lab.phy.numbers import Floats
from lab.phy.params import check, param
from lab.phy.propagation.base import SYSTEM_LOSS, Paths, Propagation
from lab.phy.propagation.logDistance import EXPONENT, LogDistance
from lab.shared.streams import stream


@dataclass(frozen=True)
class LogNormalShadowing(Propagation):
    """logDistance plus a Gaussian loss in dB for each pair (Rappaport, 2002, 4.9.2).

    It is drawn from the random stream of the pair: it is the same in both directions and for a whole run, wherever the
    nodes move and whichever other nodes exist. Despite its name, ``variance`` is the standard deviation in dB, as in
    Mininet-WiFi.
    """

    about: ClassVar[str] = "logDistance plus a Gaussian loss per pair; variance: its standard deviation in dB"

    exp: float = param(EXPONENT, default=3.0)
    sL: float = param(SYSTEM_LOSS, default=1.0)
    variance: float = param("Standard deviation of the loss of a pair.", default=2.0, unit="dB")

    def __post_init__(self) -> None:
        LogDistance(self.exp, self.sL)
        check("variance", self.variance, 0.0, 50.0, "dB")

    def loss_db(self, paths: Paths) -> Floats:
        """Return the mean loss at each distance plus that of the pair, symmetric."""
        mean = LogDistance(self.exp, self.sL).loss_db(paths)
        return mean + self.variance * _normals(paths.seed, paths.names)


@lru_cache(maxsize=16)
def _normals(seed: int, names: tuple[str, ...]) -> Floats:
    """Return a standard normal number per pair, shape (n, n), symmetric, 0 on the diagonal."""
    normals = np.zeros((len(names), len(names)))
    for row, one in enumerate(names):
        for column, other in enumerate(names[:row]):
            pair = " ".join(sorted((one, other)))
            normals[row, column] = normals[column, row] = stream(seed, "shadowing", pair).gauss(0.0, 1.0)
    normals.flags.writeable = False
    return normals
