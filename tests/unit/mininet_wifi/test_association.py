# SPDX-License-Identifier: MIT
"""Which access point a station has when the network decides."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from lab.mininet_wifi import association


def node(x_m: float) -> Any:
    found = SimpleNamespace(x_m=x_m)
    found.get_distance_to = lambda other: abs(other.x_m - found.x_m)
    return found


class Radio:
    """What the policies look at."""

    def __init__(self, x_m: float, stations: int = 0) -> None:
        self.node, self.txpower, self.antennaGain = node(x_m), 14.0, 5.0
        self.associatedStations = [None] * stations


@pytest.mark.parametrize(("x_m", "chosen"), [(0, 0), (45, 0), (55, 0), (70, 1), (100, 1)])
def test_the_strongest_signal_must_be_clearly_stronger(x_m: float, chosen: int) -> None:
    aps: Any = [Radio(0), Radio(100)]
    assert association.POLICIES["ssf"](Radio(x_m), aps[0], aps) is aps[chosen]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("loads", "now", "chosen"), [((2, 1), 0, 0), ((3, 1), 0, 1), ((1, 1), None, 0), ((2, 1), None, 1)]
)
def test_a_station_moves_only_if_loads_become_more_even(loads: tuple[int, int], now: int | None, chosen: int) -> None:
    aps: Any = [Radio(0, loads[0]), Radio(10, loads[1])]
    found = association.POLICIES["llf"](Radio(5), None if now is None else aps[now], aps)  # type: ignore[arg-type]
    assert found is aps[chosen]
