# SPDX-License-Identifier: MIT
"""What a propagation model is: the loss of power from every antenna to every other.

Models and parameters have the names and defaults of Mininet-WiFi, and mean what they mean there, with these
differences: nothing is rounded to whole decibels, the model of two rays is the textbook's, and what holds from 1 m on
is not continued below it.

Not modelled: antennas that favour a direction, reflection and diffraction by objects, shadowing that changes from place
to place.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from lab.phy import registry
from lab.phy.numbers import Floats

LIGHT_M_S = 299_792_458.0
NEAREST_M = 0.1  # antennas nearer than this count as so far apart, also two in one place (Mininet-WiFi's figure)
REFERENCE_M = 1.0  # where models that need one have their reference loss, by the formula of free space
_PACKAGE = "lab.phy.propagation"

SYSTEM_LOSS = "Loss of hardware and cables, a factor of 1 or more."


@dataclass(frozen=True)
class Paths:
    """Every way from one of n antennas to another; row: transmitter, column: receiver.

    Attributes:
        distance_m: shape (n, n), at least NEAREST_M.
        height_m: shape (n,), the antennas' z.
        frequency_mhz: shape (n, 1), the transmitters' frequency, or (n, n).
        names: of the nodes, to draw what belongs to a pair.
        seed: of those draws.
    """

    distance_m: Floats
    height_m: Floats
    frequency_mhz: Floats
    names: tuple[str, ...]
    seed: int


class Propagation(registry.Kind, ABC):
    """Base class. A model is a dataclass, its parameters are the fields."""

    @abstractmethod
    def loss_db(self, paths: Paths) -> Floats:
        """Loss of power in dB, shape (n, n), without antenna gains; the diagonal means nothing."""


def kinds() -> dict[str, type[Propagation]]:
    """All propagation models by name, found by the files in this folder."""
    return registry.kinds(_PACKAGE, Propagation)  # type: ignore[type-abstract]


def known() -> tuple[str, ...]:
    """Their names."""
    return tuple(kinds())


def load(name: str, **params: Any) -> Propagation:
    """The model of that name: ``load("logDistance", exp=4)``.

    Raises:
        InputError: no such model, or wrong parameters.
    """
    return registry.build(_PACKAGE, Propagation, "propagation model", name, params)  # type: ignore[type-abstract]


def paths_between(position_m: npt.ArrayLike, frequency_mhz: npt.ArrayLike, names: Sequence[str], seed: int) -> Paths:
    """The paths between antennas at ``position_m``, shape (n, 3).

    Args:
        position_m: x, y and z of each antenna.
        frequency_mhz: one for all, of each transmitter, shape (n,), or of each path, shape (n, n).
        names: n different ones.
        seed: of the run.

    Raises:
        ValueError: shapes that do not fit together, or two nodes of one name.
    """
    position = np.asarray(position_m, dtype=np.float64)
    if position.shape != (len(names), 3):
        raise ValueError(f"{len(names)} names, but positions of shape {position.shape}")
    if len(set(names)) < len(names):
        raise ValueError("two nodes of one name")
    frequency = np.asarray(frequency_mhz, dtype=np.float64)
    if frequency.ndim < 2:
        frequency = np.broadcast_to(frequency, (len(names),))[:, np.newaxis]
    elif frequency.shape != (len(names), len(names)):
        raise ValueError(f"{len(names)} names, but frequencies of shape {frequency.shape}")
    distance = np.linalg.norm(position[:, np.newaxis] - position, axis=-1)
    return Paths(np.maximum(distance, NEAREST_M), position[:, 2], frequency, tuple(names), seed)


def free_space_db(distance_m: Floats, frequency_mhz: Floats, system_loss: float = 1.0) -> Floats:
    """Friis's formula: (4πdf/c)² · L in dB, L being what hardware and cables lose, as a factor."""
    wavelengths = distance_m * frequency_mhz * 1e6 / LIGHT_M_S
    return np.asarray(20.0 * np.log10(4.0 * math.pi * wavelengths) + 10.0 * math.log10(system_loss))


def check_system_loss(value: float) -> None:
    """InputError unless sL is a factor that loses: 1 (nothing) or more."""
    registry.check("sL", value, 1.0, 1e6)
