# SPDX-License-Identifier: MIT
"""VLANs of switches and access points, and addresses of their own."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from lab import Lab, event

pytestmark = pytest.mark.guest

CHAIN = """\
name: chain
nodes:
  h1: {kind: host}
  h2: {kind: host}
  ap1: {kind: ap, ssid: staff, vlan: 10, ip: 10.0.10.9}
  ap2: {kind: ap, ssid: staff, channel: 6, vlan: 10}
  sta1: {kind: sta}
links:
  - {between: [h1, ap1], vlan: 10}
  - {between: [h2, ap2], vlan: 20}
  - {between: [ap1, ap2]}
subnets: {vlan10: 10.0.10.0/24}
"""
TWO_NETWORKS = """\
name: two-networks
nodes:
  h1: {kind: host}
  h2: {kind: host}
  s1: {kind: switch}
  ap1: {kind: ap, ssid: staff, vlan: 10, bss: [{ssid: guests, vlan: 20}]%s}
  sta1: {kind: sta, ssid: staff}
  sta2: {kind: sta, ssid: guests}
links:
  - {between: [h1, s1], vlan: 10}
  - {between: [h2, s1], vlan: 20}
  - {between: [s1, ap1], vlans: [10, 20]}
"""
FLAT = """\
name: flat
nodes:
  h1: {kind: host}
  s1: {kind: switch, ip: 10.0.0.200}
  ap1: {kind: ap, ssid: lab, ip: 10.0.0.201}
  sta1: {kind: sta}
links:
  - {between: [h1, s1]}
  - {between: [s1, ap1]}
"""


def received(net: Lab, node: str, *words: str, count: int = 3) -> int:
    """How many pings were answered."""
    text = net[node].run(["ping", "-c", str(count), "-i", "0.2", "-W", "1", *words]).stdout
    return int(re.findall(r"(\d+) received", text)[0])


def seen(net: Lab, node: str, interface: str, sender: str, address: str) -> list[str]:
    """Lines of tcpdump of what arrives while ``sender`` asks for an address that nobody has."""
    argv = ["tcpdump", "-e", "-n", "-l", "-i", interface, "arp and ether src", net[sender].mac or ""]
    listener = net[node].popen(argv)
    net.run_for("100 ms")
    assert received(net, sender, address, count=1) == 0
    net.run_for("1 s")
    return [line for line in listener.stdout.splitlines() if address in line]


def test_a_vlan_separates_and_a_router_connects(tmp_path: Path) -> None:
    with Lab("vlans", duration="60 s", directory=tmp_path / "lab") as net:
        # over the trunk, in the VLAN; over the router on a stick, from one to the other
        assert received(net, "sta1", "h1") == received(net, "sta1", "s1") == 3
        assert received(net, "sta1", "h2") == received(net, "h1", "sta2") == 3
        hops = net["sta1"].run(["traceroute", "-n", "sta2"], check=True).stdout
        assert "10.0.10.1 " in hops, hops
        # broadcasts stay in their VLAN, also where its frames would be untagged, and on the air
        assert seen(net, "sta1", "sta1-wlan0", "h1", "10.0.10.77")
        for node, interface in (("h2", "h2-eth0"), ("sta2", "sta2-wlan0"), ("ap2", "ap2-eth2")):
            assert seen(net, node, interface, "h1", "10.0.10.77") == []
        (tagged, *_) = seen(net, "s2", "s2-eth1", "h1", "10.0.10.77")
        assert "vlan 10" in tagged
        assert "vlan 10" in seen(net, "r1", "r1-eth0", "h1", "10.0.10.77")[0]
        # with an address of the other VLAN, a host still does not reach it
        net["h2"].run(["ip", "addr", "add", "10.0.10.88/24", "dev", "h2-eth0"], check=True)
        assert received(net, "h1", "10.0.10.88") == 0


def test_access_points_pass_vlans_on_and_stations_roam_in_theirs(tmp_path: Path) -> None:
    (tmp_path / "chain.yaml").write_text(CHAIN)
    with Lab(tmp_path / "chain.yaml", duration="60 s", directory=tmp_path / "lab") as net:
        before = net["sta1"].ap
        assert received(net, "sta1", "h1") == received(net, "sta1", "ap1") == 3
        assert seen(net, "h2", "h2-eth0", "h1", "10.0.10.77") == []
        net.do(event("roam", "sta1", to="ap2" if before == "ap1" else "ap1"))
        net.run_for("2 s")
        assert net["sta1"].ap != before
        assert received(net, "sta1", "h1") == received(net, "h1", "ap1") == 3


def test_bridges_answer_by_name(tmp_path: Path) -> None:
    (tmp_path / "flat.yaml").write_text(FLAT)
    with Lab(tmp_path / "flat.yaml", duration="60 s", directory=tmp_path / "lab") as net:
        for sender, bridge in (("h1", "s1"), ("h1", "ap1"), ("sta1", "s1"), ("ap1", "h1"), ("s1", "ap1")):
            assert received(net, sender, bridge) == 3
        net.do(event("power", "ap1", to="off"))
        assert received(net, "h1", "ap1") == 0
        net.do(event("power", "ap1", to="on"))
        net.run_for("2 s")
        assert received(net, "h1", "ap1") == 3


@pytest.mark.parametrize("more", ["", ", stp: true", ', openflow: ["actions=normal"]'])
def test_networks_of_one_radio_are_in_vlans_of_their_own(tmp_path: Path, more: str) -> None:
    """Linux bridges, and Open vSwitch: with a spanning tree, or flow rules."""
    topology = TWO_NETWORKS % more
    (tmp_path / "two.yaml").write_text(topology.replace("switch}", "switch, stp: true}") if "stp" in more else topology)
    with Lab(tmp_path / "two.yaml", duration="60 s", directory=tmp_path / "lab") as net:
        assert received(net, "sta1", "h1") == received(net, "sta2", "h2") == 3
        assert seen(net, "sta1", "sta1-wlan0", "h1", "10.0.0.77")
        assert seen(net, "sta2", "sta2-wlan0", "h1", "10.0.0.77") == []
        net["h2"].run(["ip", "addr", "add", "10.0.0.88/24", "dev", "h2-eth0"], check=True)
        assert received(net, "sta1", "10.0.0.88") == 0
