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
