# SPDX-License-Identifier: MIT
"""802.11n by TCP: both directions get their share of the channel, and rate control finds the rate that carries most."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from tests.system.conftest import Ran

pytestmark = pytest.mark.guest

Boot = Callable[..., Ran]


def place(keys: str, station_keys: str = "") -> str:
    """A server behind an access point, and two stations at 40 dB."""
    return (
        "name: sharing\ncountry: US\nmedium: {}\nnodes:\n  h1: {kind: host, roles: [server]}\n"
        f"  ap1: {{kind: ap, ssid: x, mode: n, channel: 36, {keys}}}\n"
        f"  sta1: {{kind: sta, roles: [one]{station_keys}}}\n  sta2: {{kind: sta, roles: [other]{station_keys}}}\n"
        "links: [{between: [h1, ap1]}]\n"
    )


def flow(role: str, port: int, direction: str) -> str:
    """One iperf3 from or to the server."""
    reverse = ", reverse: true" if direction == "down" else ""
    server = f"run: {{probe: iperf3-server, port: {port}}}, ready: {{listening: tcp/{port}}}"
    client = f'run: {{probe: iperf3, server: "{{server.ip}}", port: {port}, duration: 6 s{reverse}}}'
    return f"  - {{on: server, as: sink-{role}, {server}}}\n  - {{on: {role}, at: 1 s, as: {role}, {client}}}\n"


def mbps(ran: Ran, name: str) -> float:
    """What arrived, by iperf3."""
    return float(json.loads(ran.raw(f"{name}.out"))["end"]["sum_received"]["bits_per_second"]) / 1e6


@pytest.mark.parametrize("directions", [("up", "down"), ("down", "down"), ("up", "up")])
def test_nobody_starves(boot: Boot, directions: tuple[str, str]) -> None:
    keys = "width: 40 MHz, guard_interval: short, rate: MCS 7"
    work = "name: share\nduration: 9 s\nroles: {server: 1, one: 1, other: 1}\nprocesses:\n"
    work += flow("one", 5201, directions[0]) + flow("other", 5202, directions[1])
    ran = boot(place(keys, ", rate: MCS 7"), work)
    first, second = mbps(ran, "one"), mbps(ran, "other")
    assert first + second > 100
    assert min(first, second) > 0.35 * (first + second)


@pytest.mark.parametrize("direction", ["up", "down"])
def test_rate_control_finds_a_good_rate(boot: Boot, direction: str) -> None:
    """Two streams at 40 MHz carry up to 300 Mbit/s; rate control first has to learn that more than MCS 0 works."""
    work = "name: learn\nduration: 9 s\nroles: {server: 1, one: 1}\nprocesses:\n" + flow("one", 5201, direction)
    assert mbps(boot(place("width: 40 MHz, guard_interval: short"), work), "one") > 180
