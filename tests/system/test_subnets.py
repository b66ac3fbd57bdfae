# SPDX-License-Identifier: MIT
"""Several subnets: routers, DHCP, names, advertisements, NAT, and a station that roams between subnets."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from lab import Lab

pytestmark = pytest.mark.guest

THREE_ROUTERS = """\
name: three-routers
nodes:
  h1: {kind: host}
  r1: {kind: router}
  r2: {kind: router}
  r3: {kind: router}
  h2: {kind: host}
  h3: {kind: host, ip6: dhcp, ip: none}
  s3: {kind: switch}
links:
  - {between: [h1, r1]}
  - {between: [r1, r2]}
  - {between: [r2, r3]}
  - {between: [r3, s3]}
  - {between: [s3, h2]}
  - {between: [s3, h3]}
subnets: {s3: {ip: 10.9.0.0/24, ip6: "2001:db8:9::/64"}}
"""
PROTECTED = """\
name: protected
nodes:
  r1: {kind: router, dhcp: server}
  s1: {kind: switch}
  ap1: {kind: ap, ssid: x, channel: 1, encrypt: wpa2, passwd: espresso}
  ap2: {kind: ap, ssid: x, channel: 6, encrypt: wpa2, passwd: espresso}
  sta1: {kind: sta, ip: dhcp}
links:
  - {between: [r1, s1]}
  - {between: [s1, ap1]}
  - {between: [s1, ap2]}
medium: {}
timeline: [{at: 3 s, roam: sta1, to: ap2}]
"""
TWO_RADIOS = """\
name: two-radios
nodes:
  r1: {kind: router, dhcp: server}
  r2: {kind: router, dhcp: server}
  ap1: {kind: ap, ssid: home, channel: 1}
  ap2: {kind: ap, ssid: office, channel: 6}
  sta1: {kind: sta, ssid: home, ip: WAY, wlans: [{ssid: office, ip: dhcp, ip6: slaac}]}
  sta2: {kind: sta, ssid: home, wlans: [{ssid: office, ip: none, ip6: "2001:db8:2::77"}]}
links:
  - {between: [r1, ap1]}
  - {between: [r2, ap2]}
subnets: {ap2: {ip: 10.2.0.0/24, ip6: "2001:db8:2::/64"}}
medium: {}
"""


def addresses(net: Lab, node: str, version: int) -> list[str]:
    """Global addresses of a node."""
    text = net[node].run(["ip", f"-{version}", "-o", "addr", "show", "scope", "global"], check=True).stdout
    return re.findall(r"inet6? (\S+)", text)


def received(net: Lab, node: str, *words: str) -> int:
    """How many of three pings were answered."""
    text = net[node].run(["ping", "-c", "3", "-i", "0.2", "-W", "1", *words]).stdout
    return int(re.findall(r"(\d+) received", text)[0])


def test_a_station_that_roams_gets_addresses_of_the_other_subnet(tmp_path: Path) -> None:
    with Lab("two-subnets", duration="30 s", directory=tmp_path / "lab") as net:
        (before,), (before6,) = addresses(net, "sta1", 4), addresses(net, "sta1", 6)
        assert before.startswith("10.0.1.") and before6.startswith("2001:db8:1:")
        assert received(net, "sta1", "h1") == 3
        net.run_until("8 s")
        assert net["sta1"].ap == "ap2"
        assert [one.rpartition(".")[0] for one in addresses(net, "sta1", 4)] == ["10.0.2"]
        assert any(one.startswith("2001:db8:2:") for one in addresses(net, "sta1", 6))
        assert received(net, "sta1", "h1") == 3
        # the server's name service knows the new address
        name = net["h1"].run(["getent", "ahostsv4", "sta1"], check=True).stdout
        assert name.startswith("10.0.2."), name
        assert received(net, "h1", "sta1") == 3


def test_a_station_has_its_address_at_once_after_a_roam_in_a_protected_network(tmp_path: Path) -> None:
    (tmp_path / "protected.yaml").write_text(PROTECTED)
    with Lab(tmp_path / "protected.yaml", duration="30 s", directory=tmp_path / "lab") as net:
        before = addresses(net, "sta1", 4)
        net.run_until("3500 ms")
        assert net["sta1"].ap == "ap2"
        assert addresses(net, "sta1", 4) == before


def test_stations_behind_nat_have_the_address_of_their_router(tmp_path: Path) -> None:
    with Lab("home-nat", duration="30 s", directory=tmp_path / "lab") as net:
        (home,) = [one.split("/")[0] for one in addresses(net, "home", 4) if one.startswith("198.51.100.")]
        listener = net["web"].popen(["tcpdump", "-i", "web-eth0", "-n", "-l", "-c", "3", "icmp[0] == 8"])
        net.run_for("100 ms")
        assert received(net, "sta1", "web") == 3
        assert received(net, "sta2", "web") == 3
        net.run_for("1 s")
        assert set(re.findall(r"IP (\S+) >", listener.stdout)) == {home}
        hidden = addresses(net, "sta1", 4)[0].split("/")[0]
        assert received(net, "web", hidden) == 0
        assert received(net, "home", "sta1") == 3  # it has its own address by DHCP, but knows the names of its clients


def test_nat_hides_nothing_from_ipv6(tmp_path: Path) -> None:
    with Lab("home-nat", set={"family": "ipv6"}, duration="30 s", directory=tmp_path / "lab") as net:
        net.run_for("2 s")  # duplicate address detection
        assert received(net, "sta1", "-6", "web") == 3
        (own,) = [one.split("/")[0] for one in addresses(net, "sta1", 6)]
        assert received(net, "web", own) == 3


def test_routes_over_three_routers_and_an_address_by_dhcpv6(tmp_path: Path) -> None:
    (tmp_path / "three-routers.yaml").write_text(THREE_ROUTERS)
    with Lab(tmp_path / "three-routers.yaml", duration="30 s", directory=tmp_path / "lab") as net:
        assert received(net, "h1", "h2") == 3
        hops = net["h1"].run(["traceroute", "-n", "h2"], check=True).stdout
        assert len(re.findall(r"^ \d+  \d", hops, re.MULTILINE)) == 4, hops
        assert addresses(net, "h3", 4) == []
        assert any(one.startswith("2001:db8:9::1:") for one in addresses(net, "h3", 6))
        assert received(net, "h3", "2001:db8:9::2") == 3  # h2


@pytest.mark.parametrize("way", ["dhcp", "none"])
def test_further_radios_get_addresses_as_the_first_one_does(tmp_path: Path, way: str) -> None:
    (tmp_path / "two-radios.yaml").write_text(TWO_RADIOS.replace("WAY", way))
    with Lab(tmp_path / "two-radios.yaml", duration="30 s", directory=tmp_path / "lab") as net:

        def of(node: str, number: int, version: int) -> str:
            words = ["ip", f"-{version}", "-o", "addr", "show", "scope", "global", "dev", f"{node}-wlan{number}"]
            return " ".join(re.findall(r"inet6? (\S+)", net[node].run(words, check=True).stdout))

        assert of("sta1", 0, 4).startswith("10.0.0.") if way == "dhcp" else not of("sta1", 0, 4)
        assert of("sta1", 1, 4).startswith("10.2.0.")
        assert of("sta1", 1, 6).startswith("2001:db8:2:")
        assert (of("sta2", 0, 4) != "", of("sta2", 1, 4), of("sta2", 1, 6)) == (True, "", "2001:db8:2::77/64")
        assert received(net, "sta1", "-I", "sta1-wlan1", "10.2.0.1") == 3
        assert received(net, "sta1", "2001:db8:2::77") == received(net, "sta2", "2001:db8:2::1") == 3
