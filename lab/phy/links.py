# SPDX-License-Identifier: MIT
"""From radios in places to the ratio of signal to noise on every link between them.

Not modelled: interference from outside the lab; receivers that overload.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from lab.phy.numbers import Floats, decibels
from lab.phy.propagation import Propagation
from lab.phy.propagation.base import paths_between
from lab.phy.walls import Wall, wall_loss_db

THERMAL_DBM_HZ = -174.0  # kT at 290 K
NOISE_FIGURE_DB = 7.0


@dataclass(frozen=True)
class Radios:
    """n radios. What is one number counts for all, else it has shape (n,).

    Attributes:
        names: of the nodes, all different.
        position_m: shape (n, 3).
        txpower_dbm: at the antenna's connector.
        frequency_mhz: on which it sends; of shape (n, n) where it depends on the receiver.
        antenna_gain_dbi: for sending and receiving.
        noise_figure_db: of the receiver.
    """

    names: tuple[str, ...]
    position_m: npt.ArrayLike
    txpower_dbm: npt.ArrayLike
    frequency_mhz: npt.ArrayLike
    antenna_gain_dbi: npt.ArrayLike = 0.0
    noise_figure_db: npt.ArrayLike = NOISE_FIGURE_DB

    def each(self, values: npt.ArrayLike) -> Floats:
        """Values as shape (n,)."""
        return np.broadcast_to(np.asarray(values, dtype=np.float64), (len(self.names),))


def noise_floor_dbm(bandwidth_mhz: float = 20.0, noise_figure_db: npt.ArrayLike = NOISE_FIGURE_DB) -> Floats:
    """Noise that a receiver adds to what it hears: kTB times its noise figure; -94.0 dBm for 20 MHz and 7 dB."""
    return THERMAL_DBM_HZ + decibels(bandwidth_mhz * 1e6) + np.asarray(noise_figure_db, dtype=np.float64)


def received_dbm(model: Propagation, radios: Radios, *, seed: int, walls: Iterable[Wall] = ()) -> Floats:
    """Mean power at every receiver.

    Args:
        model: how power falls over distance.
        radios: n of them.
        seed: of the run, for what is drawn per pair.
        walls: between them.

    Returns:
        Shape (n, n); row: transmitter, column: receiver. The diagonal is NaN: a radio does not hear itself.

    Raises:
        ValueError: shapes that do not fit together.
    """
    paths = paths_between(radios.position_m, radios.frequency_mhz, radios.names, seed)
    gain = radios.each(radios.antenna_gain_dbi)
    sent = (radios.each(radios.txpower_dbm) + gain)[:, np.newaxis]
    power = sent + gain - model.loss_db(paths) - wall_loss_db(radios.position_m, walls)
    np.fill_diagonal(power, np.nan)
    return power


def snr_matrix(
    model: Propagation, radios: Radios, *, seed: int, walls: Iterable[Wall] = (), bandwidth_mhz: float = 20.0
) -> Floats:
    """Mean signal over noise in dB on every link, shape (n, n), as ``received_dbm`` has it."""
    noise = noise_floor_dbm(bandwidth_mhz, radios.each(radios.noise_figure_db))
    return received_dbm(model, radios, seed=seed, walls=walls) - noise
