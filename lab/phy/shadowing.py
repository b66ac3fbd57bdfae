# SPDX-License-Identifier: MIT
"""Shadowing by place: a map of losses at each place, in addition to distance and walls.

The loss of a link is the sum of those at its ends, each with half of the variance. So links that share an end are
correlated by one half, as in usual models of cells, and a node that moves away and back finds what it left.

A map is a Gaussian process in the plane whose correlation falls as exp(-d/D) with the distance d (M. Gudmundson,
"Correlation model for shadow fading in mobile radio systems", Electronics Letters 27, 1991): a sum of plane waves of
equal power, whose wave numbers are distributed as the spectrum of that correlation.

Not modelled: height; a different map for each frequency.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import pi, sqrt

import numpy as np
import numpy.typing as npt

from lab.phy.numbers import Floats
from lab.shared.streams import stream

_WAVES = 256


@dataclass(frozen=True)
class Shadowing:
    """A map.

    Attributes:
        deviation_db: standard deviation of the loss of a link, over many maps.
        decorrelation_m: distance at which the correlation has fallen to 1/e; above 0.
        number: of the map; any two differ.
    """

    deviation_db: float
    decorrelation_m: float
    number: int

    def loss_db(self, position_m: npt.ArrayLike) -> Floats:
        """Return the loss between each pair of n points.

        Args:
            position_m: shape (n, 3) or (n, 2); only x and y count.

        Returns:
            Shape (n, n), symmetric, in dB; below 0 where a link is better than its mean.
        """
        plane = np.asarray(position_m, dtype=np.float64)[:, :2]
        waves = _waves(self.number)
        phase = plane @ waves[:2] / self.decorrelation_m + waves[2]
        height = sqrt(2.0 / _WAVES) * np.cos(phase).sum(axis=1)  # a standard normal number for each point
        pairs = np.asarray(height[:, np.newaxis] + height)
        return self.deviation_db / sqrt(2.0) * pairs


@lru_cache(maxsize=16)
def _waves(number: int) -> Floats:
    """Return x, y of the wave vector and the phase of each wave, for D = 1 m; shape (3, waves).

    The spectrum of exp(-d) in the plane is (1 + k^2)^(-3/2) / 2 pi: the share of it below k is 1 - (1 + k^2)^(-1/2).
    """
    draws = stream(number, "shadowing", "map")
    uniform = np.array([[draws.random() for _ in range(3)] for _ in range(_WAVES)]).T
    size = np.sqrt((1.0 - uniform[0]) ** -2 - 1.0)
    angle = 2.0 * pi * uniform[1]
    waves = np.array([size * np.cos(angle), size * np.sin(angle), 2.0 * pi * uniform[2]])
    waves.flags.writeable = False
    return waves
