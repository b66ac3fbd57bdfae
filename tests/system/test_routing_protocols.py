# SPDX-License-Identifier: MIT
"""Routes that no one wrote: OSPF and BGP (FRR) between routers, Babel in an ad hoc network."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lab import Lab

pytestmark = pytest.mark.guest


BGP = """\
name: two-systems
nodes:
  h1: {kind: host}
  r1: {kind: router, image: frr, routes: [], privileged: true}
  r2: {kind: router, image: frr, routes: [], privileged: true}
  h2: {kind: host}
  h3: {kind: host}
links:
  - {between: [h1, r1]}
  - {between: [r1, r2]}
  - {between: [r2, h2]}
  - {between: [r2, h3]}
subnets: {h1-r1: 10.1.0.0/24, r1-r2: 10.9.0.0/24, r2-h2: 10.2.0.0/24, r2-h3: 10.3.0.0/24}
timeline:
  - {at: 15 s, link: r2-h2, to: down}
"""
SPEAKER = """\
router bgp {number}
 no bgp ebgp-requires-policy
 neighbor {peer} remote-as {other}
 address-family ipv4 unicast
  redistribute connected
"""


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


def test_bgp_withdraws_the_network_of_a_link_that_fails(tmp_path: Path) -> None:
    (tmp_path / "two-systems.yaml").write_text(BGP)
    ends = {"r1": (65001, "10.9.0.2", 65002), "r2": (65002, "10.9.0.1", 65001)}
    texts = {node: SPEAKER.format(number=own, peer=peer, other=other) for node, (own, peer, other) in ends.items()}
    files = {node: {"on": node, "path": "/etc/bgp.conf", "text": text} for node, text in texts.items()}
    process = {"on": "router", "run": ["frr", "/etc/bgp.conf"], "as": "frr", "ready": {"log": "up: "}}
    work = {"name": "bgp", "duration": "30 s", "files": files, "processes": [process]}
    (tmp_path / "bgp.yaml").write_text(json.dumps(work))
    with Lab(tmp_path / "two-systems.yaml", tmp_path / "bgp.yaml", directory=tmp_path / "lab") as net:
        net.run_until("14 s")
        path = net["r1"].run(["vtysh", "-c", "show ip bgp 10.2.0.0/24"], check=True).stdout
        assert "65002" in path
        assert route(net, "r1", "h2") == route(net, "r1", "h3") == "10.9.0.2"
        assert net["h1"].run(["ping", "-c", "3", "-i", "0.2", "-W", "1", "h2"]).status == 0
        net.run_until("20 s")
        assert "10.2.0.0/24" not in net["r1"].run(["ip", "route"], check=True).stdout
        assert route(net, "r1", "h3") == "10.9.0.2"
        assert net["h1"].run(["ping", "-c", "3", "-i", "0.2", "-W", "1", "h3"]).status == 0
