# SPDX-License-Identifier: MIT
"""Power and signal over noise between radios."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from lab.phy.links import Radios, noise_floor_dbm, received_dbm, snr_matrix
from lab.phy.propagation import load
from lab.phy.walls import WallSegment

TWO = Radios(("ap1", "sta1"), [[0, 0, 0], [100, 0, 0]], 20.0, 2412.0)
FREE = load("friis")


def test_the_noise_floor_by_hand() -> None:
    # -174 + 10 log 20e6 + 7 = -174 + 73.0103 + 7
    assert noise_floor_dbm() == pytest.approx(-93.9897, abs=1e-4)
    assert noise_floor_dbm(40) == pytest.approx(-90.9794, abs=1e-4)
    assert noise_floor_dbm(noise_figure_db=[0, 10]) == pytest.approx([-100.9897, -90.9897], abs=1e-4)


def test_a_link_by_hand() -> None:
    # 20 dBm - 80.0953 dB (free space, 100 m) = -60.0953 dBm; over -93.9897 dBm 33.8944 dB
    assert received_dbm(FREE, TWO, seed=1)[0, 1] == pytest.approx(-60.0953, abs=1e-3)
    assert snr_matrix(FREE, TWO, seed=1)[1, 0] == pytest.approx(33.8944, abs=1e-3)
    assert snr_matrix(FREE, TWO, seed=1, bandwidth_mhz=40)[1, 0] == pytest.approx(30.8841, abs=1e-3)


def test_rows_send_and_columns_receive() -> None:
    radios = replace(TWO, txpower_dbm=[20.0, 14.0], antenna_gain_dbi=[5.0, 1.0], noise_figure_db=[4.0, 9.0])
    power = received_dbm(FREE, radios, seed=1)
    assert power[0, 1] == pytest.approx(-60.0953 + 6, abs=1e-3), "both antennas gain, both ways"
    assert power[1, 0] == pytest.approx(-60.0953 + 6 - 6, abs=1e-3)
    snr = snr_matrix(FREE, radios, seed=1)
    assert snr[0, 1] == pytest.approx(33.8944 + 6 - 2, abs=1e-3), "the receiver's noise figure"
    assert snr[1, 0] == pytest.approx(33.8944 + 6 - 6 + 3, abs=1e-3)


def test_walls_are_between() -> None:
    wall = WallSegment((50, -1), (50, 1), 12)
    open_db, closed_db = (snr_matrix(FREE, TWO, seed=1, walls=walls)[0, 1] for walls in ((), [wall]))
    assert open_db - closed_db == pytest.approx(12)


def test_a_radio_does_not_hear_itself_and_all_others_finitely() -> None:
    radios = Radios(tuple("abcde"), np.zeros((5, 3)), 20.0, 5180.0)
    for name in ("friis", "logDistance", "logNormalShadowing", "ITU", "twoRayGround"):
        snr = snr_matrix(load(name), radios, seed=1)
        assert snr.shape == (5, 5)
        assert np.array_equal(np.isnan(snr), np.eye(5, dtype=bool)), name
        assert np.all(np.isfinite(snr[~np.eye(5, dtype=bool)])), name


def test_shadowing_is_of_the_seed() -> None:
    model = load("logNormalShadowing")
    again, other = snr_matrix(model, TWO, seed=1), snr_matrix(model, TWO, seed=2)
    assert np.array_equal(snr_matrix(model, TWO, seed=1), again, equal_nan=True)
    assert again[0, 1] == again[1, 0] != other[0, 1]


def test_shapes_must_fit() -> None:
    with pytest.raises(ValueError, match="2 names, but positions of shape"):
        received_dbm(FREE, replace(TWO, position_m=[[0, 0, 0]]), seed=1)
    with pytest.raises(ValueError, match="broadcast"):
        received_dbm(FREE, replace(TWO, txpower_dbm=[1, 2, 3]), seed=1)
