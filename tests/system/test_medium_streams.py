# SPDX-License-Identifier: MIT
"""Stations that can less than their network: fewer spatial streams, 20 instead of 40 MHz."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from lab.captures import radiotap
from tests import air
from tests.air import DATA
from tests.system.conftest import Ran

pytestmark = pytest.mark.guest

PLACE = """\
name: various
nodes:
  h1: {kind: host, roles: [server]}
  ap1: {kind: ap, ssid: x, mode: n, channel: 36, width: 40 MHz, streams: 3}
  sta1: {kind: sta, mac: '02:00:00:00:00:01', roles: [client], streams: 1}
  sta2: {kind: sta, mac: '02:00:00:00:00:02', roles: [client], width: 20 MHz}
  sta3: {kind: sta, mac: '02:00:00:00:00:03', roles: [client], streams: 3}
links: [{between: [h1, ap1]}]
medium: {}
"""
WORK = """\
name: download
roles: {server: 1, client: 3}
duration: 5 s
processes:
  - {on: client, run: {probe: udp-sink}, as: sink, ready: {listening: udp/9000}}
  - {on: server, for_each: client, run: {probe: udp-sender, to: "{client[{index}].ip}", every: 500 us}, as: load}
"""


def test_rate_control_keeps_to_what_each_station_can(boot: Callable[..., Ran]) -> None:
    ran = boot(PLACE, WORK, pcap="air")
    (path,) = (ran.directory / "raw").glob("air-5180*")
    used: dict[str, set[tuple[int, bool]]] = {}
    for frame in air.frames(path):
        if frame.kind == DATA and "mcs" in frame.header:
            rate = frame.header["mcs"][2] // 8 + 1, bool(frame.header["mcs"][1] & radiotap.MCS_40_MHZ)
            used.setdefault(frame.receiver.hex(":"), set()).add(rate)
    macs = {name: f"02:00:00:00:00:0{number}" for number, name in enumerate(("sta1", "sta2", "sta3"), 1)}
    most = {name: max(used[mac]) for name, mac in macs.items()}
    assert most == {"sta1": (1, True), "sta2": (2, False), "sta3": (3, True)}
    assert not any(wide for _, wide in used[macs["sta2"]])
