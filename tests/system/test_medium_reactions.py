# SPDX-License-Identifier: MIT
"""Hosts that react to the same frame: they differ, so they seldom start together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest

from tests import air
from tests.air import DATA
from tests.system.conftest import Ran

pytestmark = pytest.mark.guest

NULL, PM, TO_AP = 0x48, 0x10, 0x01  # 9.2.4.1
PINGS = 30
ECHO = "sysctls: {net.ipv4.icmp_echo_ignore_broadcasts: 0}"
PLACE = (
    "name: room\nmedium: {}\nnodes:\n  h1: {kind: host, roles: [server]}\n"
    "  ap1: {kind: ap, ssid: x, position: [0 m, 0 m, 2 m]}\n"
    f"  sta: {{kind: sta, count: 5, {ECHO}, position: [1 m, 3 m, 1 m]}}\n"
    "links: [{between: [h1, ap1]}]\n"
)
WORK = (
    "name: all\nroles: {server: 1}\nduration: 6 s\nprocesses:\n"
    f"  - {{on: server, run: [ping, -b, -c, '{PINGS}', -i, '0.1', -W, '1', 10.255.255.255], as: call}}\n"
)


def test_answers_to_a_broadcast_seldom_start_together(boot: Callable[..., Ran]) -> None:
    """With 20 us from host to radio, less than DIFS, all five answers to each ping started at one instant."""
    ran = boot(PLACE, WORK, pcap="air")
    (path,) = (ran.directory / "raw").glob("air-*")
    starts = Counter(frame.stamp_ns for frame in air.frames(path) if frame.kind == DATA and not frame.receiver[0] & 1)
    together = Counter(starts.values())
    assert sum(starts.values()) > 4 * PINGS  # they did answer
    assert max(together) < 5 and sum(together[count] for count in together if count > 1) < PINGS


SLEEPERS = (
    "name: sleepers\nmedium: {}\nnodes:\n  h1: {kind: host, roles: [server]}\n"
    "  ap1: {kind: ap, ssid: x, mode: g, channel: 1, position: [0 m, 0 m, 2 m]}\n"
    "  sta: {kind: sta, count: 5, roles: [client], power_save: true, position: [1 m, 3 m, 1 m]}\n"
    "links: [{between: [h1, ap1]}]\n"
)
CALLS = """\
name: calls
roles: {server: 1, client: 5}
duration: 14 s
processes:
  - {on: client, run: {probe: udp-sink}, as: sink, ready: {listening: udp/9000}}
  - {on: server, for_each: client, at: 1 s, as: load,
     run: {probe: udp-sender, to: "{client[{index}].ip}", every: 500 ms, count: 20}}
"""


def test_stations_that_wake_for_one_beacon_seldom_start_together(boot: Callable[..., Ran]) -> None:
    """Five that doze, each with a frame that the beacon announces, say at once that they are awake."""
    frames = air.frames(next((boot(SLEEPERS, CALLS, pcap="air").directory / "raw").glob("air-*")))
    wakes = [frame.stamp_ns for frame in frames if frame.body[0] == NULL and frame.body[1] & (PM | TO_AP) == TO_AP]
    assert len(wakes) > 60
    together = Counter(Counter(wakes).values())
    assert max(together) < 5 and sum(count * together[count] for count in together if count > 1) < len(wakes) / 3
