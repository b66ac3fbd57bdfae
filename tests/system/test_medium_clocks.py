# SPDX-License-Identifier: MIT
"""Each radio has a clock: beacons of access points do not begin together, and drift (IEEE 802.11-2020 11.1.3)."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable
from itertools import pairwise

import pytest

from tests import air
from tests.air import BEACON, Frame
from tests.system.conftest import Ran
from tests.validation.rows import Row, record, rounded

pytestmark = [pytest.mark.guest, pytest.mark.validation]

INTERVAL_US = 102_400
ADDRESSES = {"ap1": "02:00:00:00:aa:01", "ap2": "02:00:00:00:aa:02"}
PLACE = "name: clocks\nmedium: {{{medium}}}\nnodes:\n" + "".join(
    f'  {name}: {{{{kind: ap, ssid: {name}, mode: a, channel: 36, bssid: "{address}"}}}}\n'
    for name, address in ADDRESSES.items()
)
WORK = "name: idle\nduration: 40 s\n"


def beacons(ran: Ran, name: str) -> list[Frame]:
    (path,) = (ran.directory / "raw").glob("air-*")
    found = [frame for frame in air.frames(path) if frame.kind == BEACON]
    return [frame for frame in found if frame.transmitter.hex(":") == ADDRESSES[name]]


def tsf_us(beacon: Frame) -> int:
    """The timestamp, which is that of its own first bit (9.4.1.10)."""
    return int(struct.unpack_from("<Q", beacon.body, 24)[0])


def clocks(ran: Ran) -> dict[str, tuple[int, int]]:
    """What the plan gives each radio: µs that it is ahead, ppb that it is faster."""
    radios = json.loads((ran.directory / "plan.json").read_text())["medium"]["radios"]
    return {radio["node"]: (radio["clock_us"], radio["clock_ppb"]) for radio in radios}


def test_clocks_start_anywhere_and_drift(boot: Callable[..., Ran]) -> None:
    ran = boot(PLACE.format(medium="clock_accuracy: 100 ppm"), WORK, pcap="air")
    for name, (ahead_us, ppb) in clocks(ran).items():
        found = beacons(ran, name)
        assert abs(ppb) <= 100_000
        first, last = found[0], found[-1]
        seconds = (last.stamp_ns - first.stamp_ns) / 1e9
        drift_ppm = ((tsf_us(last) - tsf_us(first)) / seconds - 1e6) if seconds > 35 else 0.0
        record(Row("clocks", f"drift of {name}", rounded(drift_ppm), "ppm", [ppb / 1e3], absolute=0.1))
        # each goes out at a multiple of the interval, by its own clock, and some slots of contention later
        assert all(0 <= tsf_us(beacon) % INTERVAL_US < 2_000 for beacon in found)
        assert all(abs(tsf_us(b) - tsf_us(a) - INTERVAL_US) < 2_000 for a, b in pairwise(found))
        assert 0 <= tsf_us(first) - ahead_us - first.stamp_ns // 1000 < 200
    # of one seed in ten, two phases are nearer to each other than that
    others = [boot(PLACE.format(medium="clock_accuracy: 100 ppm"), WORK, seed=seed) for seed in (101, 102, 103, 104)]
    phases_us = [[ahead_us % INTERVAL_US for ahead_us, _ in clocks(each).values()] for each in (ran, *others)]
    assert any(abs(one_us - other_us) > 5_000 for one_us, other_us in phases_us)


def test_exact_clocks_do_not_drift(boot: Callable[..., Ran]) -> None:
    ran = boot(PLACE.format(medium="clock_accuracy: 0 ppm"), WORK, pcap="air")
    assert {ppb for _, ppb in clocks(ran).values()} == {0}
    for name in ADDRESSES:
        first, *_, last = beacons(ran, name)
        assert abs((last.stamp_ns - first.stamp_ns) / 1000 - (tsf_us(last) - tsf_us(first))) <= 1
