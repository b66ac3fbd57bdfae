# SPDX-License-Identifier: MIT
"""Signal-to-noise ratio of every radio at every other, from positions or as given.

Not modelled: which of its network's channels a station is on. A link with an access point is on that access point's
channel; a link between two stations is on the lowest channel that both may use.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from lab.model.medium import DEFAULT_SNR_DB, DEFAULT_TXPOWER_DBM
from lab.phy.links import Radios, snr_matrix
from lab.phy.shadowing import Shadowing
from lab.phy.walls import WallSegment, wall_loss_db
from lab.plan.timeline.movement import Position
from lab.shared.types import Node, Radio

if TYPE_CHECKING:
    from lab.model.medium import Medium

Pair = tuple[int, int]
_LIMIT_DB = 200.0  # the kernel's


class SnrMatrix:
    """The levels of a run; rows are transmitters, columns receivers."""

    def __init__(self, model: Medium, nodes: list[Node], fixed_db: Mapping[Pair, float], seed: int) -> None:
        """Compute what stays the same while nodes move.

        ``nodes``: those with a radio, in order; ``fixed_db``: levels given for (transmitter, receiver).
        """
        radios = [node.radio for node in nodes if node.radio]
        self.names = [node.name for node in nodes]
        self.propagation: Any = model.propagation.made()
        self.walls = [WallSegment(wall.from_, wall.to, wall.loss) for wall in model.walls]
        self.noise_figure_db = model.noise_figure
        self.txpower_dbm = np.array([power_dbm(radio) for radio in radios])
        self.gain_dbi = np.array([_value_or(radio.antenna_gain_dbi, 0.0) for radio in radios])
        self.frequency_mhz = np.array([[frequency_mhz(one, other) for other in radios] for one in radios])
        self.fixed_db = dict(fixed_db)
        self.seed = seed
        self.shadowing = _shadowing(model, seed)

    def snr_mb(self, positions: Mapping[str, Position]) -> npt.NDArray[np.int64]:
        """Return the SNR with nodes at ``positions`` (m), in mB, shape (n, n), 0 on the diagonal."""
        size = len(self.names)
        snr_db = np.full((size, size), DEFAULT_SNR_DB)
        placed = [index for index, name in enumerate(self.names) if name in positions]
        if len(placed) > 1:
            snr_db[np.ix_(placed, placed)] = self._from_positions(placed, positions)
        for pair, level_db in self.fixed_db.items():
            snr_db[pair] = level_db
        np.fill_diagonal(snr_db, 0.0)
        return np.rint(np.clip(snr_db, -_LIMIT_DB, _LIMIT_DB) * 100.0).astype(np.int64)

    def behind_walls(self, positions: Mapping[str, Position]) -> npt.NDArray[np.bool_]:
        """Return which links cross a wall, with nodes at ``positions`` (m); shape (n, n)."""
        crossing = np.zeros((len(self.names), len(self.names)), dtype=bool)
        placed = [index for index, name in enumerate(self.names) if name in positions]
        if self.walls and len(placed) > 1:
            here = [positions[self.names[index]] for index in placed]
            crossing[np.ix_(placed, placed)] = wall_loss_db(here, self.walls) > 0
        return crossing

    def _from_positions(self, placed: list[int], positions: Mapping[str, Position]) -> npt.NDArray[np.float64]:
        names = tuple(self.names[index] for index in placed)
        radios = Radios(
            names=names,
            position_m=[positions[name] for name in names],
            txpower_dbm=self.txpower_dbm[placed],
            frequency_mhz=self.frequency_mhz[np.ix_(placed, placed)],
            antenna_gain_dbi=self.gain_dbi[placed],
            noise_figure_db=self.noise_figure_db,
        )
        with np.errstate(over="ignore", invalid="ignore"):  # positions may be light years apart
            snr_db = snr_matrix(self.propagation, radios, seed=self.seed, walls=self.walls)
            if self.shadowing is not None:
                snr_db -= self.shadowing.loss_db(radios.position_m)
        return np.nan_to_num(snr_db, nan=-_LIMIT_DB)


def _shadowing(model: Medium, seed: int) -> Shadowing | None:
    written = model.shadowing
    if written is None:
        return None
    return Shadowing(written.deviation, written.distance, seed if written.map is None else written.map)


CHANNEL_1_MHZ = 2412


def power_dbm(radio: Radio) -> float:
    """Return the transmit power of a radio at the start."""
    return _value_or(radio.txpower_dbm, DEFAULT_TXPOWER_DBM)


def _value_or(value: float | None, default: float) -> float:
    return default if value is None else value


def frequency_mhz(transmitter: Radio, receiver: Radio) -> int:
    """Return the frequency of a link: the channel configured for one of them (an access point, an ad hoc station, a
    monitor), the transmitter's first.

    Two other stations use the lowest channel that their networks share, else the lowest of the transmitter's network,
    or channel 1 if no access point has their networks.
    """
    for radio in (transmitter, receiver):
        if radio.frequency_mhz is not None:
            return radio.frequency_mhz
    common = [mhz for mhz in transmitter.scan_mhz if mhz in receiver.scan_mhz]
    return next(iter(common or transmitter.scan_mhz or receiver.scan_mhz), CHANNEL_1_MHZ)
