# SPDX-License-Identifier: MIT
"""Radios of every kind: fast transition, background scans, ad hoc networks, monitors; and what cannot be."""

from __future__ import annotations

import json

import pytest

from lab.guest.hostap_config import wpa_supplicant_conf
from lab.nodes.ap.guest import hostapd_conf
from lab.runs.dry_run import commands
from lab.shared.types import Plan, Radio
from tests.refused import refused

from .conftest import Plans

WORKLOAD = "name: there\nduration: 30 s\n"
TO = "\N{EN DASH}"
SCANS = "simple:5:-65:60, or {short_interval: 5 s, signal: -65 dBm, long_interval: 60 s}"


def topology(*nodes: str, rest: str = "") -> str:
    return "name: here\nnodes:\n" + "".join(f"  {node}\n" for node in nodes) + rest


def radio(plan: Plan, name: str) -> Radio:
    found = plan.node(name).radio
    assert found is not None
    return found


def refusal(plans: Plans, *nodes: str, rest: str = "") -> str:
    return refused(plans, topology(*nodes, rest=rest), WORKLOAD)


# Fast transition


def campus(encrypt: str, *keys: str) -> list[str]:
    """Access points that differ in what their keys say."""
    return [
        f"ap{number}: {{kind: ap, ssid: campus, encrypt: {encrypt}, passwd: espresso, {key}}}"
        for number, key in enumerate(keys, 1)
    ]


def test_a_station_transitions_fast_where_an_access_point_does(plans: Plans) -> None:
    plan = plans(topology(*campus("wpa2", "fast_transition: true", "channel: 6"), "sta1: {kind: sta}"), WORKLOAD)
    assert [radio(plan, name).mobility_domain for name in ("ap1", "ap2", "sta1")] == ["a1b2", None, "a1b2"]
    assert "\tkey_mgmt=FT-PSK WPA-PSK\n" in wpa_supplicant_conf(radio(plan, "sta1"))
    assert "wpa_key_mgmt=FT-PSK WPA-PSK\n" in hostapd_conf(plan, plan.node("ap1"))
    assert "wpa_key_mgmt=WPA-PSK\n" in hostapd_conf(plan, plan.node("ap2"))
    assert "mobility_domain" not in json.loads(plan.to_json())["nodes"][1]["radio"]


def test_with_a_passphrase_each_access_point_makes_the_keys_itself(plans: Plans) -> None:
    plan = plans(topology(*campus("wpa2", *["fast_transition: true, mobility_domain: 00FF"] * 2)), WORKLOAD)
    lines = hostapd_conf(plan, plan.node("ap1")).splitlines()
    assert {"mobility_domain=00ff", "ft_psk_generate_local=1", "ft_over_ds=0", "nas_identifier=ap1-wlan1"} < set(lines)
    assert not [line for line in lines if line.startswith(("r0kh", "r1kh"))]


def test_with_sae_the_access_points_of_a_domain_know_each_other(plans: Plans) -> None:
    same, other = "fast_transition: true", "fast_transition: true, mobility_domain: 0001"
    plan = plans(topology(*campus("wpa3", same, same, other), rest="links: [{between: [ap1, ap2]}]\n"), WORKLOAD)
    holders = {
        name: [line for line in hostapd_conf(plan, plan.node(name)).splitlines() if line.startswith(("r0kh", "r1kh"))]
        for name in ("ap1", "ap2", "ap3")
    }
    assert [line.split()[:-1] for line in holders["ap1"]] == [
        ["r0kh=02:00:01:00:02:00", "ap2-wlan1"],
        ["r1kh=02:00:01:00:02:00", "02:00:01:00:02:00"],
    ]
    keys = {line.split()[-1] for line in holders["ap1"] + holders["ap2"]}
    assert len(keys) == 1 and len(keys.pop()) == 64
    assert holders["ap3"] == []


def test_keys_of_sae_need_a_wire(plans: Plans) -> None:
    printed = refusal(plans, *campus("wpa3", "fast_transition: true", "fast_transition: true"))
    assert printed == (
        "t.yaml:4  nodes.ap2.fast_transition: with wpa3, access points exchange keys over the wired network, "
        "but ap1 and ap2 are not connected; link both to a switch, or write another mobility_domain: or encrypt: wpa2"
    )


# Background scans


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ("{short_interval: 5 s, signal: -65 dBm, long_interval: 1 min}", "simple:5:-65:60"),
        ("simple:30:-45:300", "simple:30:-45:300"),
        ("learn:30:-45:300", "learn:30:-45:300"),
    ],
)
def test_background_scans(plans: Plans, written: str, words: str) -> None:
    plan = plans(topology("ap1: {kind: ap, ssid: campus}", f"sta1: {{kind: sta, bgscan: {written}}}"), WORKLOAD)
    assert radio(plan, "sta1").bgscan == words
    assert f'\tbgscan="{words}"\n' in wpa_supplicant_conf(radio(plan, "sta1"))


@pytest.mark.parametrize(
    ("written", "message"),
    [
        (
            "often",
            f'nodes.sta1.bgscan: "often" is not a valid bgscan; write module:seconds:dBm:seconds, such as {SCANS}',
        ),
        ("[5, -65, 60]", f"nodes.sta1.bgscan: must look like {SCANS}"),
        ("simple:0:-65:60", "nodes.sta1.bgscan: the interval must be at least 1 s"),
        ("simple:5:65:60", "nodes.sta1.bgscan: 65 dBm is not a valid signal level; write one from -100 to 0"),
        (
            "simple:60:-65:5",
            "nodes.sta1.bgscan: this scans every 60 s while the signal is weak and every 5 s while it is strong; "
            "write the shorter interval first",
        ),
        (
            "{short_interval: 60 s, signal: -65 dBm, long_interval: 5 s}",
            "nodes.sta1.bgscan.short_interval: this scans every 60 s while the signal is weak and every 5 s while "
            "it is strong; write the shorter interval first",
        ),
        (
            "{short_interval: 5, signal: -65 dBm, long_interval: 60 s}",
            'nodes.sta1.bgscan.short_interval: "5" has no unit; write 5 s',
        ),
        (
            "{short_interval: 1500 ms, signal: -65 dBm, long_interval: 60 s}",
            "nodes.sta1.bgscan.short_interval: 1.5 s is not a whole number of seconds, as wpa_supplicant requires",
        ),
        (
            "{short_interval: 5 s, signal: -65.5 dBm, long_interval: 60 s}",
            "nodes.sta1.bgscan.signal: -65.5 dBm is not a whole number of dBm, as wpa_supplicant requires",
        ),
        (
            "{short_interval: 5 s, signal: 65 dBm, long_interval: 60 s}",
            'nodes.sta1.bgscan.signal: "65 dBm" is too large; the maximum is 0 dBm',
        ),
    ],
)
def test_what_is_no_background_scan(plans: Plans, written: str, message: str) -> None:
    printed = refusal(plans, "ap1: {kind: ap, ssid: campus}", f"sta1: {{kind: sta, bgscan: {written}}}")
    assert printed == f"t.yaml:4  {message}"


# Ad hoc networks


def test_an_ad_hoc_station_needs_no_access_point(plans: Plans) -> None:
    plan = plans(
        topology(
            "sta1: {kind: sta, adhoc: {ssid: meeting, channel: 5}, rate: 54 Mbit/s}",
            "sta2: {kind: sta, adhoc: {ssid: meeting, channel: 36, mode: n, bssid: 02:aa:00:00:00:01}}",
            rest="medium: {}\n",
        ),
        WORKLOAD,
    )
    one, two = radio(plan, "sta1"), radio(plan, "sta2")
    assert (one.ssid, one.mode, one.channel, one.frequency_mhz, one.ibss_bssid) == (
        "meeting",
        "g",
        5,
        2432,
        "02:ca:ff:ee:ba:01",
    )
    assert two.ibss_bssid == "02:aa:00:00:00:01"
    assert [node.ip for node in plan.nodes] == ["10.0.0.1/8", "10.0.0.2/8"]
    assert any(line.startswith("# wait for sta1 to join 'meeting': ") for line in commands(plan))
    text = wpa_supplicant_conf(one)
    assert "\nap_scan=2\n" in text
    for line in ("mode=1", "frequency=2432", "bssid=02:ca:ff:ee:ba:01", "key_mgmt=NONE", "disable_ht=1"):
        assert f"\t{line}\n" in text
    assert "\tdisable_ht=1\n" not in wpa_supplicant_conf(two)
    assert "ap_scan" not in wpa_supplicant_conf(radio(plans(), "sta1"))


def test_ad_hoc_stations_may_search(plans: Plans) -> None:
    alone = topology("sta1: {kind: sta, adhoc: {ssid: meeting, bssid: search}}")
    message = refused(plans, alone, WORKLOAD)
    assert "adhoc.bssid: has no effect on the perfect medium, which merges no networks" in message
    plan = plans(alone + "medium: {}\n", WORKLOAD)
    lines = wpa_supplicant_conf(radio(plan, "sta1")).splitlines()
    assert {"ap_scan=2", "\tmode=1", "\tfrequency=2412", "\tfixed_freq=1"} < set(lines)
    assert not any("bssid" in line for line in lines)


# Monitors


def test_a_monitor_listens_before_anybody_sends(plans: Plans) -> None:
    plan = plans(topology("mon1: {kind: monitor, channel: 36, width: 40 MHz}", "ap1: {kind: ap, ssid: x}"), WORKLOAD)
    assert plan.node("mon1").ip is None and plan.node("mon1").interfaces == []
    lines = commands(plan)
    first = lines.index("iw dev mon1-wlan0 set type monitor")
    assert lines[first : first + 3] == [
        "iw dev mon1-wlan0 set type monitor",
        "ip link set mon1-wlan0 up",
        "iw dev mon1-wlan0 set freq 5180 HT40+",
    ]


@pytest.mark.parametrize(
    ("nodes", "message"),
    [
        (
            ["ap1: {kind: ap, ssid: campus, fast_transition: true}"],
            "t.yaml:3  nodes.ap1.fast_transition: fast transition needs an encrypted network; "
            "write encrypt: wpa2 or wpa3 and passwd:, or remove this",
        ),
        (
            campus("wpa2", "fast_transition: true, mobility_domain: a1b"),
            't.yaml:3  nodes.ap1.mobility_domain: "a1b" is not a valid mobility domain; '
            "write four hexadecimal digits, such as "
            "a1b2",
        ),
        (
            campus("wpa2", "mobility_domain: a1b2"),
            "t.yaml:3  nodes.ap1.mobility_domain: a mobility domain needs fast_transition: true",
        ),
        (
            ["sta1: {kind: sta, ssid: x, adhoc: {ssid: meeting}}"],
            "t.yaml:3  nodes.sta1.ssid: needs a network with access points, but adhoc: is an open network "
            "without them; remove one",
        ),
        (
            ["sta1: {kind: sta, adhoc: {ssid: meeting, bssid: find}}"],
            't.yaml:3  nodes.sta1.adhoc.bssid: "find" is not a valid BSSID; write search, or one such as '
            "02:aa:00:00:00:01",
        ),
        (
            ["sta1: {kind: sta, adhoc: {ssid: meeting, channel: 14}}"],
            f"t.yaml:3  nodes.sta1.adhoc.channel: mode g has no channel 14 in country DE; use 1{TO}13",
        ),
        (
            ["sta1: {kind: sta, adhoc: {ssid: meeting}, rate: MCS 7}"],
            "t.yaml:3  nodes.sta1.rate: meeting uses mode g, which has no MCS 7; write one of 1, 2, 5.5, 6, 9, 11, "
            "12, 18, 24, 36, 48, 54 Mbit/s",
        ),
        (
            ["mon1: {kind: monitor, channel: 52}"],
            "t.yaml:3  nodes.mon1.channel: 52 needs radar detection, which is not modelled; use "
            f"1{TO}13, 36, 40, 44, 48",
        ),
    ],
)
def test_what_cannot_be(plans: Plans, nodes: list[str], message: str) -> None:
    assert refusal(plans, *nodes, rest="medium: {}\n") == message


def test_a_monitor_has_no_wire_and_an_ad_hoc_station_does_not_roam(plans: Plans) -> None:
    printed = refusal(plans, "h1: {kind: host}", "mon1: {kind: monitor}", rest="links:\n  - {between: [h1, mon1]}\n")
    assert printed == (
        "t.yaml:6  links.0.between.1: mon1 has only a radio (kind: monitor), no wired interface; remove this link"
    )
    printed = refusal(
        plans,
        "ap1: {kind: ap, ssid: campus}",
        "sta1: {kind: sta, adhoc: {ssid: campus}}",
        rest="timeline:\n  - {at: 1 s, roam: sta1, to: ap1}\n",
    )
    assert printed == ("t.yaml:6  timeline.0.roam: sta1 is in an ad hoc network, which has no access points")
