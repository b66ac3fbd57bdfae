# SPDX-License-Identifier: MIT
"""Several networks of one radio: what they become, and mistakes."""

from __future__ import annotations

import json

import pytest

from lab.guest.hostap_config import wpa_supplicant_conf
from lab.nodes.ap.guest import hostapd_conf
from lab.shared.types import Plan, Radio
from tests.refused import refused

from .conftest import Plans

WORKLOAD = "name: there\nduration: 30 s\n"


def topology(ap: str, *nodes: str, rest: str = "") -> str:
    lines = [f"ap1: {{kind: ap, ssid: home, mode: n, {ap}}}", *nodes]
    return "name: here\nnodes:\n" + "".join(f"  {line}\n" for line in lines) + rest


def radio(plan: Plan, name: str) -> Radio:
    found = plan.node(name).radio
    assert found is not None
    return found


def test_each_network_is_an_interface_of_one_hostapd(plans: Plans) -> None:
    guests = "{ssid: guests, isolate: true, hostapd: {max_num_sta: 3}}"
    office = "{ssid: office, encrypt: wpa3, passwd: espresso}"
    plan = plans(topology(f"encrypt: wpa2, passwd: cappuccino, bss: [{guests}, {office}]"), WORKLOAD)
    head, *further = hostapd_conf(plan, plan.node("ap1")).split("\nbss=")
    assert "wpa_passphrase=cappuccino" in head and "guests" not in head
    assert further[0].splitlines() == [
        "ap1-wlan1-1",
        "bssid=02:00:02:00:01:01",
        "bridge=br0",
        "ctrl_interface=/run/hostapd",
        "ssid=guests",
        "wmm_enabled=1",
        "ap_isolate=1",
        "max_num_sta=3",
    ]
    assert {"ssid=office", "bssid=02:00:02:00:01:02", "sae_password=espresso"} < set(further[1].splitlines())
    assert Plan.from_json(plan.to_json()) == plan


def test_a_radio_with_one_network_mentions_no_others(plans: Plans) -> None:
    plan = plans(topology("channel: 6"), WORKLOAD)
    assert "bss" not in json.loads(plan.to_json())["nodes"][0]["radio"]
    assert "use_driver_iface_addr" not in hostapd_conf(plan, plan.node("ap1"))


def test_a_station_adopts_what_its_own_network_has(plans: Plans) -> None:
    bss = "{ssid: office, encrypt: wpa2, passwd: espresso, hidden: true, fast_transition: true}"
    plan = plans(topology(f"channel: 6, bss: [{bss}]", "sta1: {kind: sta, ssid: office}"), WORKLOAD)
    found = radio(plan, "sta1")
    assert (found.encrypt, found.mode, found.scan_mhz, found.mobility_domain) == ("wpa2", "n", [2437], "a1b2")
    assert {'\tpsk="espresso"', "\tscan_ssid=1"} < set(wpa_supplicant_conf(found).splitlines())


def test_with_802_1x_each_network_has_its_own_users(plans: Plans) -> None:
    bss = "{ssid: office, encrypt: 8021x, users: {alice: espresso}}"
    plan = plans(topology(f"encrypt: 8021x, users: {{bob: ristretto}}, bss: [{bss}]"), WORKLOAD)
    first, second = (one.eap for one in radio(plan, "ap1").networks())
    assert first and second and (first.users, second.users) == ({"bob": "ristretto"}, {"alice": "espresso"})
    assert first.certificate and second.certificate
    text = hostapd_conf(plan, plan.node("ap1"))
    assert "eap_user_file=/etc/hostapd/users\n" in text and "eap_user_file=/etc/hostapd/ap1-wlan1-1/users\n" in text


@pytest.mark.parametrize(
    ("ap", "message"),
    [
        ("bss: [{isolate: true}]", "nodes.ap1.bss.0.ssid: is missing (name of the network)"),
        ("bss: [guests]", "3  nodes.ap1.bss.0: must be a mapping"),
        (
            "bss: [{ssid: home}]",
            'nodes.ap1.bss.0.ssid: the radio already has the network "home"; write another SSID',
        ),
        (
            "bss: [{ssid: guests, channel: 6}]",
            'nodes.ap1.bss.0.channel: unknown key "channel": all networks of a radio share it; write it next to bss:',
        ),
        (
            "bss: [{ssid: guests, encrypt: wpa2}]",
            "3  nodes.ap1.bss.0.encrypt: wpa2 needs a passphrase; write passwd: with 8 to 63 characters",
        ),
        (
            "bss: [{ssid: guests, client_isolation: true}]",
            '3  nodes.ap1.bss.0.client_isolation: unknown key "client_isolation" (did you mean isolate?)',
        ),
        (
            "bssid: 02:aa:00:00:00:01, bss: [{ssid: guests, bssid: 02:aa:00:00:00:01}]",
            "3  nodes.ap1.bss.0.bssid: 02:aa:00:00:00:01 is already ap1's BSSID (t.yaml:3); write a unique one, or "
            "remove it",
        ),
        ("vssids: [a, b]", '3  nodes.ap1.vssids: unknown key "vssids": write bss: [{ssid: NAME}] for the SSIDs after'),
        ("bss: {ssid: guests}", "3  nodes.ap1.bss: must be a list"),
        (
            f"bss: [{', '.join(f'{{ssid: guests{number}}}' for number in range(8))}]",
            "3  nodes.ap1.bss: has 8 entries; there may be 7 at most",
        ),
        ("hostapd: {bss: x}", "3  nodes.ap1.hostapd.bss: stations adopt its networks from the topology; write bss:"),
    ],
)
def test_mistakes(plans: Plans, ap: str, message: str) -> None:
    assert message in refused(plans, topology(ap), WORKLOAD)


def test_a_long_name_has_no_room_for_a_second_network(plans: Plans) -> None:
    text = topology("bss: [{ssid: guests}]").replace("ap1", "building1")
    assert "the interface would be building1-wlan1-1, and Linux allows 15 characters" in refused(plans, text, WORKLOAD)


def test_a_station_roams_only_to_networks_that_an_access_point_has(plans: Plans) -> None:
    rest = "timeline:\n  - {at: 1 s, roam: sta1, to: ap2}\n"
    nodes = ["ap2: {kind: ap, ssid: campus}", "sta1: {kind: sta, ssid: guests}"]
    assert 'ap2 has the SSID "campus", but sta1 has "guests"' in refused(
        plans, topology("bss: [{ssid: guests}]", *nodes, rest=rest), WORKLOAD
    )


def test_networks_have_vlans_of_their_own(plans: Plans) -> None:
    """Each VLAN is a segment, so a guest gets an address of its subnet."""
    text = topology(
        "channel: 6, bss: [{ssid: guests, vlan: 20}]",
        "r1: {kind: router}",
        "sta1: {kind: sta, ssid: home}",
        "sta2: {kind: sta, ssid: guests}",
        rest="links: [{between: [r1, ap1], vlans: [20]}, {between: [r1, ap1]}]\n"
        "subnets: {ap1: 10.1.0.0/24, vlan20: 10.2.0.0/24}\n",
    )
    plan = plans(text, WORKLOAD)
    assert [(plan.node(name).ip or "")[:5] for name in ("sta1", "sta2")] == ["10.1.", "10.2."]
    conf = hostapd_conf(plan, plan.node("ap1"))
    assert conf.index("bridge=br0\n") < conf.index("bss=") < conf.index("bridge=br20\n")
