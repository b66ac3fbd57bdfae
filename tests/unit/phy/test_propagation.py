# SPDX-License-Identifier: MIT
"""Losses by distance, pair and wall."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.errors import InputError
from lab.phy.propagation import Propagation, known, load
from lab.phy.propagation.base import paths_between
from lab.phy.walls import WallSegment, wall_loss_db

CHANNEL_1 = 2412.0
CHANNEL_36 = 5180.0
ALL = [load(name) for name in known()]
coordinates = st.floats(-1000, 1000) | st.integers(-3, 3).map(float)
places = st.lists(st.tuples(coordinates, coordinates, st.floats(0, 30)), min_size=2, max_size=5)


def loss(model: Propagation, distance_m: float, mhz: float = CHANNEL_1, z: tuple[float, float] = (0.0, 0.0)) -> float:
    flat = math.sqrt(max(distance_m**2 - (z[0] - z[1]) ** 2, 0))
    paths = paths_between([[0, 0, z[0]], [flat, 0, z[1]]], mhz, ("a", "b"), 1)
    return float(model.loss_db(paths)[0, 1])


def test_the_models_of_mininet_wifi_are_known() -> None:
    assert {"friis", "logDistance", "logNormalShadowing", "ITU", "twoRayGround"} <= set(known())


def test_friis_by_hand() -> None:
    # λ = 299.792458/2412 = 0.1242921 m; 20 log(4π/λ) = 40.0953 dB at 1 m, 20 dB more a decade; at 5180 MHz 46.7346 dB
    assert loss(load("friis"), 1) == pytest.approx(40.0953, abs=1e-3)
    assert loss(load("friis"), 100) == pytest.approx(80.0953, abs=1e-3)
    assert loss(load("friis"), 1, CHANNEL_36) == pytest.approx(46.7346, abs=1e-3)
    assert loss(load("friis", sL=2), 1) == pytest.approx(40.0953 + 3.0103, abs=1e-3)


def test_log_distance_by_hand() -> None:
    # 40.0953 + 10·3·log 50 = 40.0953 + 50.9691; with an exponent of 4, 67.9588
    assert loss(load("logDistance"), 50) == pytest.approx(91.0644, abs=1e-3)
    assert loss(load("logDistance", exp=4), 50) == pytest.approx(108.0541, abs=1e-3)
    assert loss(load("logDistance", sL=2), 50) == pytest.approx(94.0747, abs=1e-3)
    assert loss(load("logDistance", exp=6), 0.5) == loss(load("friis"), 0.5), "nearer than the reference, free space"


def test_itu_by_hand() -> None:
    # 20 log 2412 = 67.6475; + 28 log 10 - 28 = 67.6475; at 5180 MHz 74.2866 + 30 - 28; two floors of 15 dB
    assert loss(load("ITU"), 10) == pytest.approx(67.6475, abs=1e-3)
    assert loss(load("ITU"), 10, CHANNEL_36) == pytest.approx(76.2866, abs=1e-3)
    assert loss(load("ITU", pL=38), 100) == pytest.approx(67.6475 + 76 - 28, abs=1e-3)
    assert loss(load("ITU", lF=15, nFloors=2), 10) == pytest.approx(97.6475, abs=1e-3)
    assert loss(load("ITU"), 0.2) == loss(load("ITU"), 1)


def test_two_rays_by_hand() -> None:
    # heights 10 and 2 m: crossover 4π·20/0.1242921 = 2022.1 m; at 4 km 40 log 4000 - 20 log 20 = 144.0824 - 26.0206
    model = load("twoRayGround")
    assert loss(model, 2000, z=(10, 2)) == loss(load("friis"), 2000)
    assert loss(model, 4000, z=(10, 2)) == pytest.approx(118.0618, abs=1e-3)
    assert loss(load("twoRayGround", sL=2), 4000, z=(10, 2)) == pytest.approx(121.0721, abs=1e-3)
    crossover_m = 4 * math.pi * 20 * CHANNEL_1 * 1e6 / 299_792_458
    before, behind = (loss(model, crossover_m * factor, z=(10, 2)) for factor in (1 - 1e-9, 1 + 1e-9))
    assert before == pytest.approx(behind, abs=1e-6)
    # 0.5 % behind it the ground has taken 20 log 1.005 = 0.0433 dB more than free space
    more = loss(model, 1.005 * crossover_m, z=(10, 2)) - loss(load("friis"), 1.005 * crossover_m)
    assert more == pytest.approx(0.0433, abs=1e-4)


def test_antennas_on_the_ground_count_as_1_m_high() -> None:
    # crossover 4π/0.1242921 = 101.10 m
    model = load("twoRayGround")
    assert loss(model, 101) == loss(load("friis"), 101)
    assert loss(model, 1000) == pytest.approx(120.0, abs=1e-6) == loss(model, 1000, z=(1, 1))


def test_shadowing_has_the_deviation_that_was_asked_for() -> None:
    names = tuple(f"sta{number}" for number in range(60))
    position = np.random.default_rng(1).uniform(0, 100, (60, 3))
    paths = paths_between(position, CHANNEL_1, names, 7)
    extra = load("logNormalShadowing", variance=4).loss_db(paths) - load("logDistance").loss_db(paths)
    pairs = extra[np.triu_indices(60, 1)]
    assert pairs.size == 1770
    assert np.mean(pairs) == pytest.approx(0, abs=0.4) and np.std(pairs) == pytest.approx(4, rel=0.06)
    twice = load("logNormalShadowing", variance=8).loss_db(paths) - load("logDistance").loss_db(paths)
    assert twice == pytest.approx(2 * extra)


def test_shadowing_belongs_to_the_pair_and_the_seed() -> None:
    model = load("logNormalShadowing")

    def extra(seed: int, *names: str) -> dict[tuple[str, str], float]:
        paths = paths_between(np.zeros((len(names), 3)), CHANNEL_1, names, seed)
        matrix = model.loss_db(paths) - load("logDistance").loss_db(paths)
        return {(a, b): float(matrix[i, j]) for i, a in enumerate(names) for j, b in enumerate(names)}

    first, other_order = extra(1, "ap1", "sta1", "sta2"), extra(1, "sta2", "ap1")
    assert first["ap1", "sta2"] == first["sta2", "ap1"] == other_order["ap1", "sta2"]
    assert first["ap1", "sta2"] != first["ap1", "sta1"]
    assert first["ap1", "sta2"] != extra(2, "ap1", "sta2")["ap1", "sta2"]
    # for ever: 2 cos(2πu) √(-2 ln(1-v)), u and v the first two numbers of stream(1, "shadowing", "ap1 sta1")
    assert first["ap1", "sta1"] == pytest.approx(-1.388058744, abs=1e-9)


@pytest.mark.parametrize("model", ALL, ids=lambda model: model.name)
@given(places=places)
def test_losses_are_finite_and_the_same_both_ways(model: Propagation, places: list[tuple[float, float, float]]) -> None:
    names = [f"n{number}" for number in range(len(places))]
    matrix = model.loss_db(paths_between(places, CHANNEL_1, names, 3))
    assert matrix.shape == (len(places), len(places))
    assert np.all(np.isfinite(matrix)) and np.array_equal(matrix, matrix.T)


@pytest.mark.parametrize("model", ALL, ids=lambda model: model.name)
@given(near_m=st.floats(0, 5000), more_m=st.floats(0, 5000), mhz=st.sampled_from([CHANNEL_1, CHANNEL_36]))
def test_farther_is_never_louder(model: Propagation, near_m: float, more_m: float, mhz: float) -> None:
    assert loss(model, near_m, mhz) <= loss(model, near_m + more_m, mhz) + 1e-9


@pytest.mark.parametrize("model", ALL, ids=lambda model: model.name)
def test_two_nodes_in_one_place_are_10_cm_apart(model: Propagation) -> None:
    assert loss(model, 0) == loss(model, 0.1) > 0


def test_every_transmitter_has_its_frequency() -> None:
    paths = paths_between(np.eye(2, 3), [CHANNEL_1, CHANNEL_36], ("a", "b"), 1)
    matrix = load("friis").loss_db(paths)
    assert matrix[1, 0] - matrix[0, 1] == pytest.approx(20 * math.log10(CHANNEL_36 / CHANNEL_1))


def test_every_path_may_have_its_frequency() -> None:
    frequencies = [[0, CHANNEL_36], [CHANNEL_1, 0]]
    paths = paths_between(np.eye(2, 3), frequencies, ("a", "b"), 1)
    for model in ALL:
        by_transmitter = model.loss_db(paths_between(np.eye(2, 3), [CHANNEL_36, CHANNEL_1], ("a", "b"), 1))
        with np.errstate(divide="ignore"):
            assert model.loss_db(paths)[[0, 1], [1, 0]] == pytest.approx(by_transmitter[[0, 1], [1, 0]]), model.name


def test_shapes_must_fit() -> None:
    with pytest.raises(ValueError, match="2 names, but positions of shape"):
        paths_between(np.zeros((3, 2)), CHANNEL_1, ("a", "b"), 1)
    with pytest.raises(ValueError, match="2 names, but frequencies of shape"):
        paths_between(np.zeros((2, 3)), np.ones((3, 3)), ("a", "b"), 1)
    with pytest.raises(ValueError, match="two nodes have the same name"):
        paths_between(np.zeros((2, 3)), CHANNEL_1, ("a", "a"), 1)


@pytest.mark.parametrize(
    ("name", "params", "message"),
    [
        (
            "twoRay",
            {},
            r'unknown propagation model "twoRay" \(did you mean twoRayGround\?\); known: ITU, friis, log',
        ),
        ("friis", {"sL": 0.5}, r"sL is 0\.5; write a number from 1 to 1e\+06"),
        ("logDistance", {"exp": -1}, "exp is -1; write a number from 0 to 20"),
        ("logNormalShadowing", {"variance": -2}, "variance is -2; write a number from 0 to 50 dB"),
        ("ITU", {"nFloors": True}, "nFloors is True; write a number from 0 to 100"),
    ],
)
def test_mistakes_are_reported(name: str, params: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        load(name, **params)


def between(one: tuple[float, float], other: tuple[float, float], *walls: WallSegment) -> float:
    there, back = wall_loss_db([one, other], walls)[[0, 1], [1, 0]]
    assert there == back
    return float(there)


HEDGE = WallSegment((5, -1), (5, 1), 7)


def test_a_wall_costs_what_it_says() -> None:
    assert between((0, 0), (10, 0), HEDGE) == 7
    assert between((0, 0), (10, 0), HEDGE, WallSegment((6, -1), (7, 1), 3)) == 10
    assert between((0, 0), (4, 0), HEDGE) == 0, "before it"
    assert between((0, 2), (10, 2), HEDGE) == 0, "past its end"
    assert between((5, -3), (5, 3), HEDGE) == 0, "along it"
    assert between((0, 0), (0, 0), HEDGE) == 0, "no way at all"


def test_height_does_not_count() -> None:
    assert wall_loss_db([[0, 0, 50], [10, 0, 1]], [HEDGE])[0, 1] == 7
    assert not wall_loss_db(np.zeros((3, 3)), []).any()


def test_where_two_walls_meet_one_is_crossed() -> None:
    upper, lower = WallSegment((5, 0), (5, 9), 7), WallSegment((5, 0), (5, -9), 7)
    assert between((0, 0), (10, 0), upper, lower) == 7
    assert between((0, 0), (10, 0), WallSegment((5, 0), (2, 9), 7), WallSegment((5, 0), (8, -9), 7)) == 7
    assert between((0, 0), (10, 0), WallSegment((5, 0), (2, 9), 7), WallSegment((5, 0), (8, 9), 7)) in (0, 14), (
        "a touch"
    )


small = st.integers(-4, 4).map(float)


@given(
    st.lists(st.tuples(small, small), min_size=2, max_size=6),
    st.lists(st.tuples(small, small, small, small), max_size=5),
)
def test_walls_are_the_same_from_both_sides(points: list[tuple[float, float]], ends: list[tuple[float, ...]]) -> None:
    walls = [WallSegment((x1, y1), (x2, y2), 1) for x1, y1, x2, y2 in ends]
    matrix = wall_loss_db(points, walls)
    assert np.array_equal(matrix, matrix.T) and not np.diag(matrix).any()
    assert np.all((matrix >= 0) & (matrix <= len(walls)))


@given(st.tuples(small, small), st.tuples(small, small), st.floats(0.6, 3))
def test_who_is_inside_a_room_is_behind_one_wall(
    inside: tuple[float, float], direction: tuple[float, float], size: float
) -> None:
    corners = [(-size, -size), (size, -size), (size, size), (-size, size)]
    room = [WallSegment(corner, corners[index - 1], 5) for index, corner in enumerate(corners)]
    at = (inside[0] / 8 * size * 0.99, inside[1] / 8 * size * 0.99)
    out = (at[0] + 100 * direction[0], at[1] + 100 * direction[1])
    assert between(at, out, *room) == (5 if any(direction) else 0)
