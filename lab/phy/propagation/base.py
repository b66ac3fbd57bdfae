# SPDX-License-Identifier: MIT
"""Base class of propagation models: path loss between all pairs of antennas.

Names, defaults and meaning of models and parameters are those of Mininet-WiFi, with these differences: nothing is
rounded to whole decibels, the two-ray model is the textbook one, and formulas that hold from 1 m on are not
extrapolated below it.

Not modelled: directional antennas, reflection and diffraction by objects, shadowing that varies with position.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from lab.phy import params
from lab.phy.numbers import Floats
from lab.registry import Room

LIGHT_M_S = 299_792_458.0
NEAREST_M = 0.1  # minimum distance: closer antennas count as this far apart (value of Mininet-WiFi)
REFERENCE_M = 1.0  # reference distance, at which the loss is that of free space

SYSTEM_LOSS = "Loss in hardware and cables, as a factor of at least 1."


@dataclass(frozen=True)
class Paths:
    """All paths between n antennas; rows are transmitters, columns receivers.

    Attributes:
        distance_m: shape (n, n), at least NEAREST_M.
        height_m: shape (n,), z of the antennas.
        frequency_mhz: shape (n, 1), frequency of the transmitters, or (n, n).
        names: node names, which select the random stream of a pair.
        seed: seed of these streams.
    """

    distance_m: Floats
    height_m: Floats
    frequency_mhz: Floats
    names: tuple[str, ...]
    seed: int


class Propagation(params.PhyModel, ABC):
    """Base class. A model is a dataclass whose fields are its parameters."""

    @abstractmethod
    def loss_db(self, paths: Paths) -> Floats:
        """Return the path loss in dB, shape (n, n), without antenna gains; the diagonal is meaningless."""


PROPAGATION = Room("phy/propagation", Propagation)
known, load = PROPAGATION.known, PROPAGATION.made


def paths_between(position_m: npt.ArrayLike, frequency_mhz: npt.ArrayLike, names: Sequence[str], seed: int) -> Paths:
    """Return the paths between antennas at ``position_m``, shape (n, 3).

    Args:
        position_m: x, y and z of each antenna.
        frequency_mhz: one number, or one per transmitter, shape (n,), or per path, shape (n, n).
        names: n different names.
        seed: seed of the run.

    Raises:
        ValueError: If the shapes do not match, or two nodes have the same name.
    """
    position = np.asarray(position_m, dtype=np.float64)
    if position.shape != (len(names), 3):
        raise ValueError(f"{len(names)} names, but positions of shape {position.shape}")
    if len(set(names)) < len(names):
        raise ValueError("two nodes have the same name")
    frequency = np.asarray(frequency_mhz, dtype=np.float64)
    if frequency.ndim < 2:
        frequency = np.broadcast_to(frequency, (len(names),))[:, np.newaxis]
    elif frequency.shape != (len(names), len(names)):
        raise ValueError(f"{len(names)} names, but frequencies of shape {frequency.shape}")
    distance = np.linalg.norm(position[:, np.newaxis] - position, axis=-1)
    return Paths(np.maximum(distance, NEAREST_M), position[:, 2], frequency, tuple(names), seed)


def free_space_db(distance_m: Floats, frequency_mhz: Floats, system_loss: float = 1.0) -> Floats:
    """Return the loss by Friis' formula: (4πdf/c)² · L in dB, where L is the system loss factor."""
    wavelengths = distance_m * frequency_mhz * 1e6 / LIGHT_M_S
    return np.asarray(20.0 * np.log10(4.0 * math.pi * wavelengths) + 10.0 * math.log10(system_loss))


def check_system_loss(value: float) -> None:
    """Raise InputError unless sL is a loss factor of at least 1 (no loss)."""
    params.check("sL", value, 1.0, 1e6)
