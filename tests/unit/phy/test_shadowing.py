# SPDX-License-Identifier: MIT
"""Shadowing by place: its distribution over maps, its correlation over distance, and that a map stays what it is."""

from __future__ import annotations

import numpy as np
import pytest

from lab.phy.shadowing import Shadowing

MAPS = 600


def losses_db(points_m: list[tuple[float, float]], deviation_db: float = 5.0) -> np.ndarray:
    """Return the losses between points on many maps, shape (maps, n, n)."""
    return np.array([Shadowing(deviation_db, 2.0, number).loss_db(points_m) for number in range(MAPS)])


def test_links_have_the_deviation_and_no_mean() -> None:
    found = losses_db([(0, 0), (100, 0)])[:, 0, 1]
    assert abs(found.mean()) < 3 * 5.0 / np.sqrt(MAPS)
    assert found.std() == pytest.approx(5.0, rel=0.1)
    assert np.mean(np.abs(found) > 9.8) == pytest.approx(0.05, abs=0.02)  # as a normal distribution has it


@pytest.mark.parametrize("apart_m", [0.5, 2.0, 6.0])
def test_correlation_falls_with_the_distance(apart_m: float) -> None:
    found = losses_db([(0, 0), (100, 0), (100, apart_m)])
    near, far = found[:, 0, 1], found[:, 0, 2]
    shared, own = 0.5, 0.5 * np.exp(-apart_m / 2.0)  # the other end, which both links share, and this one
    assert np.corrcoef(near, far)[0, 1] == pytest.approx(shared + own, abs=0.08)


def test_links_without_a_common_place_are_independent() -> None:
    found = losses_db([(0, 0), (100, 0), (0, 300), (400, 0)])
    assert abs(np.corrcoef(found[:, 0, 1], found[:, 2, 3])[0, 1]) < 0.1


def test_a_map_does_not_depend_on_who_is_there() -> None:
    shadowing = Shadowing(4.0, 2.0, 7)
    all_of_them = shadowing.loss_db([(0, 0, 1), (5, 1, 3), (9, 9, 2)])
    assert np.allclose(all_of_them, all_of_them.T)
    assert shadowing.loss_db([(0, 0), (9, 9)])[0, 1] == pytest.approx(all_of_them[0, 2])
    assert Shadowing(4.0, 2.0, 8).loss_db([(0, 0), (9, 9)])[0, 1] != pytest.approx(all_of_them[0, 2])
