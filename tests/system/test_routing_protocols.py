# SPDX-License-Identifier: MIT
"""Routes that no one wrote: OSPF (FRR) between routers, Babel in an ad hoc network."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab import Lab

pytestmark = pytest.mark.guest


def route(net: Lab, node: str, to: str) -> str:
    """The first router on the way to a node."""
    ip = net[to].ip
    assert ip is not None
    words = net[node].run(["ip", "-o", "route", "get", ip], check=True).stdout.split()
    return words[words.index("via") + 1]


def test_routes_follow_a_link_that_fails(tmp_path: Path) -> None:
    with Lab("ring-of-routers", "routing/ospf", directory=tmp_path / "lab") as net:
        net.run_until("54 s")
        before = route(net, "r1", "h2")
        net.run_until("58 s")
        assert route(net, "r1", "h2") != before
        record = net.finish()
    assert record.passed
    rtt = record.metrics["rtt"].values
    # over one link between routers at first, then over two
    assert (rtt["min"] or 0) >= 14 and (rtt["max"] or 0) >= 24


def test_babel_relays_by_another_station(tmp_path: Path) -> None:
    with Lab("ad-hoc-relay", "routing/babel", directory=tmp_path / "lab") as net:
        addresses = {str(net[name].ip): name for name in ("sta2", "sta3")}
        net.run_until("19 s")
        relays = {addresses[route(net, "sta1", "sta4")]}
        net.run_until("54 s")
        relays.add(addresses[route(net, "sta1", "sta4")])
        net.run_until("85 s")
        last = addresses[route(net, "sta1", "sta4")]
        assert last == "sta2" and relays | {last} == {"sta2", "sta3"}
        assert net["sta1"].run(["ping", "-c", "3", "-i", "0.2", "-W", "1", "sta4"]).status == 0
