# SPDX-License-Identifier: MIT
"""Frames that take time to travel (``propagation_delay:``)."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import pytest

from tests import air
from tests.air import ACK, DATA
from tests.system.conftest import Ran
from tests.system.test_medium import A54, IP_BYTES, looks_of, rate_mbps, topology, workload
from tests.validation.rows import Row, point, record, rounded

pytestmark = [pytest.mark.guest, pytest.mark.validation]

Boot = Callable[..., Ran]
NEAR_US = IP_BYTES * 8 / 30.172  # an exchange of one station by Bianchi's model
LIGHT_M_PER_US = 299.792458
SIFS_ACK_US = 16
DATA_US = 248  # of the frames of an exchange in mode a: 1536 bytes at 54 Mbit/s


def far(distance_m: int) -> str:
    """One station at that distance from its access point, with the signal of a near one."""
    place = topology(1, *A54).replace(
        "{retries: 20, latency: 0 us}",
        "{retries: 20, latency: 0 us, propagation_delay: true, snr: [{between: [ap1, sta1], is: 40 dB}]}",
    )
    place = place.replace("kind: ap,", "kind: ap, position: [0 m, 0 m, 0 m],")
    return place.replace("kind: sta,", f"kind: sta, position: [{distance_m} m, 0 m, 0 m],")


@pytest.mark.parametrize("distance_m", [point(300), point(1000), 4000])
def test_each_exchange_takes_the_way_there_and_back(boot: Boot, distance_m: int) -> None:
    ran = boot(far(distance_m), workload(10_000, 5), pcap="air")
    delay_us = distance_m / LIGHT_M_PER_US
    (path,) = (ran.directory / "raw").glob("air-*")
    gaps_us = [
        (after.stamp_ns - before.stamp_ns) / 1e3
        for before, after in pairwise(air.frames(path))
        if before.kind == DATA and after.kind == ACK and len(before.body) > IP_BYTES
    ]
    # the access point answers SIFS after the end has come to it; its answer is on the air then
    wanted_us = pytest.approx(DATA_US + delay_us + SIFS_ACK_US, abs=0.001)
    assert len(gaps_us) > 1000 and all(gap_us == wanted_us for gap_us in gaps_us)
    expected_mbps = IP_BYTES * 8 / (NEAR_US + 2 * delay_us)
    name = f"802.11a 54 Mbit/s, {distance_m} m"
    record(Row("delay", name, rounded(rate_mbps(ran, IP_BYTES)), "Mbit/s", [rounded(expected_mbps)], relative=0.015))


MOVES = """\
name: leaves
nodes:
  h1: {kind: host, roles: [receiver]}
  ap1: {kind: ap, ssid: x, mode: a, channel: 36, position: [0 m, 0 m, 0 m], beacon_interval: 100 TU}
  sta1: {kind: sta, roles: [sender], position: [300 m, 0 m, 0 m], rate: 54 Mbit/s}
links: [{between: [h1, ap1]}]
medium: {retries: 4, propagation_delay: true, snr: [{between: [ap1, sta1], is: 40 dB}]}
timeline:
  - {at: 3 s, move: sta1, to: [5 km, 0 m, 0 m]}
"""
STREAM = """\
name: stream
duration: 5 s
roles: {sender: 1, receiver: 1}
processes:
  - {on: receiver, run: {probe: udp-sink}, as: sink, ready: {listening: udp/9000}}
  - {on: sender, run: {probe: udp-sender, to: "{receiver.ip}", size: 500 B, every: 10 ms}, as: load}
"""


def test_an_ack_from_too_far_comes_too_late(boot: Boot) -> None:
    """It is waited for until SIFS, a slot and a preamble have passed (10.3.2.11): 45 us, less than there and back."""
    ran = boot(MOVES, STREAM)
    near, *_, far_off = (
        link for look in looks_of(ran) if look["t_ns"] > 3 * 10**9 for link in look["links"] if link["from"] == "sta1"
    )
    # each frame arrives, each time that it is sent, and none is acknowledged
    assert far_off["acked"] - near["acked"] <= 1
    assert far_off["delivered"] - near["delivered"] > 4 * 50
    assert far_off["dropped"] - near["dropped"] > 50
