# SPDX-License-Identifier: MIT
"""Nodes and links: addresses, names, radios, and what cannot be built."""

import pytest

from lab.errors import InputError
from lab.plan.network.addresses import generated_mac
from lab.shared.types import Netem, Plan
from tests.refused import refused

from .conftest import TOPOLOGY, Plans

IDLE = "name: there\nduration: 30 s\n"
TO = "\N{EN DASH}"


def refusal(plans: Plans, topology: str) -> str:
    return refused(plans, topology, IDLE)


def nodes(*lines: str, rest: str = "") -> str:
    return "name: here\nnodes:\n" + "".join(f"  {line}\n" for line in lines) + rest


def interfaces(plan: Plan, node: str) -> list[str]:
    return [interface.name for interface in plan.node(node).interfaces]


def test_addresses_are_mininets(plans: Plans) -> None:
    plan = plans()
    assert {node.name: node.ip for node in plan.nodes} == {
        "h1": "10.0.0.1/8",
        "s1": None,
        "ap1": None,
        "ap2": None,
        "sta1": "10.0.0.2/8",
        "sta2": "10.0.0.3/8",
    }
    assert plan.node("h1").interfaces[0].ip == "10.0.0.1/8"


def test_interfaces_are_named_as_mininet_wifi_does(plans: Plans) -> None:
    plan = plans(TOPOLOGY + "  - {between: [sta1, s1]}\n")
    assert interfaces(plan, "h1") == ["h1-eth0"]
    assert interfaces(plan, "s1") == ["s1-eth1", "s1-eth2", "s1-eth3", "s1-eth4"]
    assert interfaces(plan, "ap1") == ["ap1-eth2"]
    assert interfaces(plan, "sta1") == ["sta1-eth1"]
    radios = [node.radio.interface for node in plan.nodes if node.radio]
    assert radios == ["ap1-wlan1", "ap2-wlan1", "sta1-wlan0", "sta2-wlan0"]
    assert [(link.name, link.a, link.b) for link in plan.links][:2] == [
        ("h1-s1", "h1-eth0", "s1-eth1"),
        ("s1-ap1", "s1-eth2", "ap1-eth2"),
    ]


def test_mac_addresses_are_local_and_unique(plans: Plans) -> None:
    plan = plans()
    macs = [interface.mac for node in plan.nodes for interface in node.interfaces]
    macs += [node.radio.mac for node in plan.nodes if node.radio]
    assert len(set(macs)) == len(macs)
    assert all(mac.startswith("02:") for mac in macs)
    ap1 = plan.node("ap1").radio
    assert ap1 is not None and ap1.mac == "02:00:01:00:03:00"


def test_no_made_address_is_one_of_mac80211_hwsims() -> None:
    """A radio answers to its permanent address as well: 02:00:00 and its number, and with 42 for 02."""
    own = {f"{first}:00:00:{radio >> 8:02x}:{radio & 0xFF:02x}:00" for first in ("02", "42") for radio in range(1024)}
    made = {generated_mac(node, port) for node in range(1024) for port in (None, *range(251))}
    assert not own & made


def test_given_addresses_are_kept_and_left_out_of_the_pool(plans: Plans) -> None:
    plan = plans(
        nodes(
            "h1: {kind: host}",
            "h2: {kind: host, ip: 10.0.0.1, mac: 0A:00:00:00:00:01}",
            "ap1: {kind: ap, ssid: campus, bssid: 02:aa:00:00:00:01}",
            "sta1: {kind: sta, mac: 02:aa:00:00:00:02}",
            rest="links: [{between: [h2, ap1]}]\n",
        ),
        "name: there\nduration: 1 s\n",
    )
    assert [node.ip for node in plan.nodes] == ["10.0.0.2/8", "10.0.0.1/8", None, "10.0.0.3/8"]
    assert plan.node("h2").interfaces[0].mac == "0a:00:00:00:00:01"
    assert [node.radio.mac for node in plan.nodes if node.radio] == ["02:aa:00:00:00:01", "02:aa:00:00:00:02"]


def test_a_subnet_of_ones_own(plans: Plans) -> None:
    plan = plans(
        "subnet: 192.168.7.0/24\n" + nodes("h1: {kind: host}", "h2: {kind: host, ip: 192.168.7.1}"),
        "name: there\nduration: 1 s\n",
    )
    assert [node.ip for node in plan.nodes] == ["192.168.7.2/24", "192.168.7.1/24"]


def test_stations_take_from_their_network_what_they_do_not_say(plans: Plans) -> None:
    plan = plans(
        nodes(
            "ap1: {kind: ap, ssid: campus, encrypt: wpa2, passwd: correct-horse, channel: 6}",
            "ap2: {kind: ap, ssid: campus, encrypt: wpa2, passwd: correct-horse, mode: a, channel: 36}",
            "ap3: {kind: ap, ssid: other, channel: 11}",
            "sta1: {kind: sta, ssid: campus}",
            "sta2: {kind: sta, ssid: campus, encrypt: wpa3, passwd: battery-staple}",
            "sta3: {kind: sta, ssid: other}",
            "sta4: {kind: sta, ssid: campus, passwd: correct-horse}",
            "sta5: {kind: sta, ssid: campus, passwd: battery-staple}",
        ),
        "name: there\nduration: 1 s\n",
    )
    radios = {node.name: node.radio for node in plan.nodes if node.radio}
    assert radios["sta1"].scan_mhz == [2437, 5180]
    assert (radios["sta1"].encrypt, radios["sta1"].passwd) == ("wpa2", "correct-horse")
    assert (radios["sta2"].encrypt, radios["sta2"].passwd) == ("wpa3", "battery-staple")
    assert (radios["sta4"].encrypt, radios["sta4"].passwd) == ("wpa2", "correct-horse")
    assert (radios["sta5"].encrypt, radios["sta5"].passwd) == ("wpa2", "battery-staple")  # the run shows that it fails
    assert (radios["sta3"].encrypt, radios["sta3"].scan_mhz) == ("open", [2462])
    assert radios["ap2"].frequency_mhz == 5180


def test_a_passphrase_for_an_open_network(plans: Plans) -> None:
    with pytest.raises(InputError) as failure:
        plans(
            nodes("ap1: {kind: ap, ssid: campus}", "sta1: {kind: sta, passwd: correct-horse}"),
            "name: there\nduration: 1 s\n",
        )
    assert str(failure.value) == (
        "t.yaml:4  nodes.sta1.passwd: campus is not encrypted; remove this, or write encrypt: wpa2 at its access points"
    )


def test_sysctls_keep_their_order_and_their_lines(plans: Plans) -> None:
    keys = ("kind: host", "count: 2", "sysctls:", "  net.ipv4.tcp_sack: 0", "  net.a.b: 1 2")
    plan = plans(nodes("h:", *(f"  {key}" for key in keys)), IDLE)
    for node in plan.nodes:
        assert [(one.name, one.value, one.source) for one in node.sysctls] == [
            ("net.ipv4.tcp_sack", "0", "t.yaml:7"),
            ("net.a.b", "1 2", "t.yaml:8"),
        ]
    assert Plan.from_json(plan.to_json()) == plan


def test_a_plan_does_not_mention_sysctls_that_nobody_sets(plans: Plans) -> None:
    assert "sysctl" not in plans().to_json()


def test_links_become_netem(plans: Plans) -> None:
    shape = "delay: 5 ms, jitter: 1 ms, loss: 0.5%, rate: 25 Mbit/s, reorder: 1%, limit: 50 packets"
    plan = plans(
        nodes(
            "h1: {kind: host}",
            "h2: {kind: host}",
            rest=f"links: [{{between: [h1, h2], {shape}}}, {{between: [h1, h2]}}]\n",
        ),
        "name: there\nduration: 1 s\n",
    )
    assert plan.links[0].netem == Netem(5_000_000, 1_000_000, 0.5, 25_000_000, 1.0, 50)
    assert plan.links[1].netem == Netem()
    assert [link.name for link in plan.links] == ["h1-h2", "h1-h2-2"]


def test_hosts_with_several_links_get_addresses_from_them(plans: Plans) -> None:
    plan = plans(
        nodes(
            "h1: {kind: host}",
            "h2: {kind: host}",
            rest="links:\n  - {between: [h1, h2]}\n"
            "  - {between: [h1, h2], ip: {h1: 192.168.1.1/24, h2: 192.168.1.2/24}}\n",
        ),
        "name: there\nduration: 1 s\n",
    )
    assert [interface.ip for interface in plan.node("h1").interfaces] == ["10.0.0.1/8", "192.168.1.1/24"]


@pytest.mark.parametrize(
    ("topology", "message"),
    [
        (
            nodes(
                "ap1: {kind: ap, ssid: campus, bssid: 02:aa:00:00:00:01}",
                "ap2: {kind: ap, ssid: campus, bssid: 02:AA:00:00:00:01}",
            ),
            "t.yaml:4  nodes.ap2.bssid: 02:aa:00:00:00:01 is already ap1's BSSID (t.yaml:3); "
            "write a unique one, or remove it",
        ),
        (
            nodes("ap1: {kind: ap, ssid: campus, bssid: 02:00:01:00:02:00}", "ap2: {kind: ap, ssid: campus}"),
            "t.yaml:3  nodes.ap1.bssid: 02:00:01:00:02:00 is already ap2's BSSID (t.yaml:4); "
            "write a unique one, or remove it",
        ),
        (
            nodes("h1: {kind: host, ip: 10.0.0.1/8}", "h2: {kind: host, ip: 10.0.0.1/8}"),
            "t.yaml:4  nodes.h2.ip: 10.0.0.1 is already h1's address (t.yaml:3); write another one",
        ),
        (
            nodes("h1: {kind: host, ip: 10.0.0.1/8}", "h2: {kind: host, ip: 10.1.0.1/16}"),
            "t.yaml:4  nodes.h2.ip: subnet 10.1.0.0/16 overlaps 10.0.0.0/8 of h1 (t.yaml:3); "
            "write 10.1.0.1/8, or an address outside 10.0.0.0/8",
        ),
        (
            nodes("h1: {kind: host, ip: 10.1.0.1/16}", "h2: {kind: host}"),
            "t.yaml:3  nodes.h1.ip: subnet 10.1.0.0/16 overlaps 10.0.0.0/8, from which h2 gets its address; write "
            "10.1.0.1/8, or another subnet: for the topology",
        ),
        (
            nodes("h1: {kind: host, ip: 192.168.1.1}"),
            't.yaml:3  nodes.h1.ip: "192.168.1.1" is not in 10.0.0.0/8, so it needs a prefix length; write '
            "192.168.1.1/24",
        ),
        (
            "subnet: 10.0.0.0/30\n" + nodes("h1: {kind: host}", "h2: {kind: host}", "h3: {kind: host}"),
            "t.yaml:1  subnet: 10.0.0.0/30 has room for only 2 nodes; write a larger network",
        ),
        (
            nodes("ap2: {kind: ap, ssid: campus, mode: g, channel: 36}"),
            f"t.yaml:3  nodes.ap2.channel: 36 is a 5 GHz channel, but mode g is 2.4 GHz; use 1{TO}13, or mode: a or n",
        ),
        (
            nodes("ap2: {kind: ap, ssid: campus, mode: a, channel: 6}"),
            "t.yaml:3  nodes.ap2.channel: 6 is a 2.4 GHz channel, but mode a is 5 GHz; use 36, 40, 44, 48, "
            "or mode: b or g or n",
        ),
        (
            nodes("ap2: {kind: ap, ssid: campus, mode: n, channel: 52}"),
            f"t.yaml:3  nodes.ap2.channel: 52 needs radar detection, which is not modelled; "
            f"use 1{TO}13, 36, 40, 44, 48",
        ),
        (
            "country: US\n" + nodes("ap2: {kind: ap, ssid: campus, channel: 13}"),
            f"t.yaml:4  nodes.ap2.channel: mode g has no channel 13 in country US; use 1{TO}11",
        ),
        (
            nodes("ap1: {kind: ap, ssid: a}", "ap2: {kind: ap, ssid: b}", "sta1: {kind: sta}"),
            "t.yaml:5  nodes.sta1.ssid: there are several networks (a, b); write ssid: for the network that sta1 joins",
        ),
        (
            nodes("sta1: {kind: sta}"),
            "t.yaml:3  nodes.sta1.ssid: there is no access point; add one, such as ap1: {kind: ap, ssid: home}",
        ),
        (
            nodes("h1: {kind: host}", rest="links: [{between: [h1, switch]}]\n"),
            't.yaml:4  links.0.between.1: unknown node "switch"; known nodes: h1',
        ),
        (
            nodes("h1: {kind: host}", rest="links: [{between: [h1, h1]}]\n"),
            "t.yaml:4  links.0.between: connects a node to itself; name two different nodes",
        ),
        (
            nodes("h1: {kind: host}", "h2: {kind: host}", rest="links: [{between: [h1, h2], ip: {h3: 10.0.0.7}}]\n"),
            "t.yaml:5  links.0.ip.h3: is not an end of this link; write h1 or h2",
        ),
        (
            nodes("h1: {kind: host}", "h2: {kind: host}", rest="links: [{between: [h1, h2], ip: {h1: 10.0.0.7}}]\n"),
            "t.yaml:5  links.0.ip.h1: this is h1's first interface; write ip: in nodes.h1 instead",
        ),
        (
            nodes("h1: {kind: host}", "s1: {kind: switch}", rest="links: [{between: [h1, s1], ip: {s1: 10.0.0.7}}]\n"),
            "t.yaml:5  links.0.ip.s1: s1 is a bridge (kind: switch), whose ports have no address; remove it",
        ),
        (
            nodes("h1: {kind: host}", "h2: {kind: host}", rest="links: [{between: [h1, h2], reorder: 5%}]\n"),
            "t.yaml:5  links.0.reorder: packets can only overtake delayed ones; add a delay, such as delay: 10 ms",
        ),
        (
            nodes("h1: {kind: host}", "h2: {kind: host}", rest="links: [{between: [h1, h2], jitter: 5 ms}]\n"),
            "t.yaml:5  links.0.jitter: is larger than the delay, so delays would be negative; use a longer delay or a "
            "smaller jitter",
        ),
        (
            nodes(
                "s1: {kind: switch}",
                "s2: {kind: switch}",
                "ap1: {kind: ap, ssid: campus}",
                rest="links:\n  - {between: [s1, s2]}\n  - {between: [s2, ap1]}\n  - {between: [ap1, s1]}\n",
            ),
            "t.yaml:9  links.2: closes a loop: ap1 and s1 are already connected, and s1 runs no spanning tree "
            "protocol; remove one link, or write stp: true at all of these",
        ),
        (
            nodes(
                "h1: {kind: host}",
                "h2: {kind: host}",
                rest="links:\n  - {between: [h1, h2], name: x}\n  - {between: [h1, h2], name: x}\n",
            ),
            't.yaml:7  links.1.name: another link is called "x"',
        ),
        (
            nodes(
                "h1: {kind: host}",
                "h2: {kind: host}",
                rest="links:\n  - {between: [h1, h2]}\n  - {between: [h1, h2], ip: {h1: 10.0.0.9/8}}\n",
            ),
            "t.yaml:7  links.1.ip.h1: h1's first interface is already in 10.0.0.0/8; each interface needs its own "
            "subnet",
        ),
    ],
)
def test_what_cannot_be_built(plans: Plans, topology: str, message: str) -> None:
    assert refusal(plans, topology) == message


def test_mistakes_of_both_files_are_reported_together(plans: Plans) -> None:
    reported = refused(plans, nodes("h1: {kind: hist}"), "name: there\nduration: 30\n")
    assert [line.split("  ")[0] for line in reported.splitlines()] == ["t.yaml:3", "w.yaml:2"]


def test_level_of_the_console_is_in_the_plan_only_if_it_is_another_one(plans: Plans) -> None:
    assert "console_level" not in plans().to_json()
    assert "console_level" not in plans(overrides=["console_level=warning"]).data()
    assert plans(overrides=["console_level=info"]).data()["console_level"] == "info"
