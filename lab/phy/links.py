# SPDX-License-Identifier: MIT
"""Signal-to-noise ratios of all links between radios at given positions.

Not modelled: interference from outside the lab; overloaded receivers.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from lab.phy.numbers import Floats, decibels
from lab.phy.propagation import Propagation
from lab.phy.propagation.base import paths_between
from lab.phy.walls import WallSegment, wall_loss_db

THERMAL_DBM_HZ = -174.0  # kT at 290 K
NOISE_FIGURE_DB = 7.0


@dataclass(frozen=True)
class Radios:
    """n radios. A single number applies to all; else the shape is (n,).

    Attributes:
        names: node names, all different.
        position_m: shape (n, 3).
        txpower_dbm: at the antenna's connector.
        frequency_mhz: transmit frequency; shape (n, n) if it depends on the receiver.
        antenna_gain_dbi: for transmission and reception.
        noise_figure_db: of the receiver.
    """

    names: tuple[str, ...]
    position_m: npt.ArrayLike
    txpower_dbm: npt.ArrayLike
    frequency_mhz: npt.ArrayLike
    antenna_gain_dbi: npt.ArrayLike = 0.0
    noise_figure_db: npt.ArrayLike = NOISE_FIGURE_DB

    def each(self, values: npt.ArrayLike) -> Floats:
        """Broadcast values to shape (n,)."""
        return np.broadcast_to(np.asarray(values, dtype=np.float64), (len(self.names),))


def noise_floor_dbm(bandwidth_mhz: float = 20.0, noise_figure_db: npt.ArrayLike = NOISE_FIGURE_DB) -> Floats:
    """Return the noise floor of a receiver: kTB times its noise figure; -94.0 dBm for 20 MHz and 7 dB."""
    return THERMAL_DBM_HZ + decibels(bandwidth_mhz * 1e6) + np.asarray(noise_figure_db, dtype=np.float64)


def received_dbm(model: Propagation, radios: Radios, *, seed: int, walls: Iterable[WallSegment] = ()) -> Floats:
    """Return the mean power at every receiver.

    Returns:
        Shape (n, n); rows are transmitters, columns receivers. The diagonal is NaN: a radio does not hear itself.

    Raises:
        ValueError: If the shapes do not match.
    """
    paths = paths_between(radios.position_m, radios.frequency_mhz, radios.names, seed)
    gain = radios.each(radios.antenna_gain_dbi)
    sent = (radios.each(radios.txpower_dbm) + gain)[:, np.newaxis]
    power = sent + gain - model.loss_db(paths) - wall_loss_db(radios.position_m, walls)
    np.fill_diagonal(power, np.nan)
    return power


def snr_matrix(
    model: Propagation, radios: Radios, *, seed: int, walls: Iterable[WallSegment] = (), bandwidth_mhz: float = 20.0
) -> Floats:
    """Return the mean SNR in dB of every link, in the shape of ``received_dbm``."""
    noise = noise_floor_dbm(bandwidth_mhz, radios.each(radios.noise_figure_db))
    return received_dbm(model, radios, seed=seed, walls=walls) - noise
