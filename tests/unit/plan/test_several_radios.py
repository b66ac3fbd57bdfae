# SPDX-License-Identifier: MIT
"""Several radios of a node: their names, what they become, and mistakes."""

from __future__ import annotations

import json

import pytest

from lab.guest.hostap_config import wpa_supplicant_conf
from lab.nodes.ap.guest import hostapd_conf
from lab.runs.dry_run import commands
from lab.shared.types import Plan, radio_numbers
from tests.refused import refused

from .conftest import Plans

WORKLOAD = "name: there\nduration: 30 s\n"
AP = "ap1: {kind: ap, ssid: home, wlans: [{ssid: office, mode: a, channel: 36}]}"
STATION = "sta1: {kind: sta, ssid: home, wlans: [{ssid: office, ip: 192.168.9.1/24}], position: [1 m, 0 m, 0 m]}"


def topology(*nodes: str, rest: str = "") -> str:
    return "name: here\nnodes:\n" + "".join(f"  {node}\n" for node in nodes) + rest


def test_each_radio_has_a_name_an_address_and_a_number(plans: Plans) -> None:
    plan = plans(topology(AP, STATION), WORKLOAD)
    found = [(one.name, one.kind, one.home, one.radio.mac if one.radio else None) for one in plan.radios()]
    assert found == [
        ("ap1", "ap", "ap1", "02:00:01:00:01:00"),
        ("ap1-wlan2", "ap", "ap1", "02:00:02:00:01:10"),
        ("sta1", "sta", "sta1", "02:00:01:00:02:00"),
        ("sta1-wlan1", "sta", "sta1", "02:00:02:00:02:10"),
    ]
    assert list(radio_numbers(plan.nodes)) == [name for name, *_ in found]
    assert Plan.from_json(plan.to_json()) == plan
    second = plan.node("sta1-wlan1")
    assert second.radio and second.ip == "192.168.9.1/24" and second.radio.scan_mhz == [5180]
    assert '\tssid="office"' in wpa_supplicant_conf(second.radio)
    assert "channel=36" in hostapd_conf(plan, plan.node("ap1-wlan2"))


def test_a_node_with_one_radio_mentions_no_others(plans: Plans) -> None:
    plan = plans(topology("ap1: {kind: ap, ssid: home}", "sta1: {kind: sta}"), WORKLOAD)
    assert not [key for node in json.loads(plan.to_json())["nodes"] for key in ("wlans", "owner") if key in node]


def test_one_hostapd_has_all_radios_and_each_station_radio_a_wpa_supplicant(plans: Plans) -> None:
    text = "\n".join(commands(plans(topology(AP, STATION, rest="medium: {}\n"), WORKLOAD)))
    assert "hostapd -t /etc/hostapd/hostapd.conf /etc/hostapd/ap1-wlan2.conf" in text
    assert "wpa_supplicant -t -ista1-wlan1 -Dnl80211 -c/etc/wpa_supplicant/sta1-wlan1/wpa_supplicant.conf" in text
    assert "addr add 192.168.9.1/24 brd + dev sta1-wlan1" in text


def test_levels_and_events_name_radios(plans: Plans) -> None:
    rest = """\
medium:
  snr: [{between: [ap1-wlan2, sta1-wlan1], is: 7 dB}]
timeline:
  - {at: 1 s, txpower: ap1-wlan2, to: 3 dBm}
  - {at: 2 s, roam: sta1-wlan1, to: ap1-wlan2}
  - {at: 3 s, move: sta1, to: [2 m, 0 m, 0 m]}
"""
    ap = AP.replace("office,", "office, offset: [0 m, 0 m, 1 m],").replace("home,", "home, position: [0 m, 0 m, 0 m],")
    plan = plans(topology(ap, STATION, rest=rest), WORKLOAD)
    medium = plan.medium
    assert medium is not None
    names = medium.names()
    levels = {(names[link.transmitter], names[link.receiver]): snr_mb for link, snr_mb in medium.levels(medium.links)}
    assert levels["ap1-wlan2", "sta1-wlan1"] == 700
    assert [event.target for event in plan.events] == ["ap1-wlan2", "sta1-wlan1", "sta1"]
    assert plan.node("ap1-wlan2").position_m == [0.0, 0.0, 1.0]
    moved = {names[link.transmitter] for update in medium.updates for link in update.links}
    assert {"sta1", "sta1-wlan1"} <= moved


def test_in_several_subnets_each_radio_gets_an_address(plans: Plans) -> None:
    nodes = ["ap1: {kind: ap, ssid: home}", "ap2: {kind: ap, ssid: office}", "r1: {kind: router}"]
    rest = "links: [{between: [ap1, r1]}, {between: [ap2, r1]}]\n"
    plan = plans(topology(*nodes, "sta1: {kind: sta, ssid: home, wlans: [{ssid: office}]}", rest=rest), WORKLOAD)
    assert (plan.node("sta1").ip, plan.node("sta1-wlan1").ip) == ("10.0.0.2/24", "10.0.1.2/24")


@pytest.mark.parametrize(
    ("nodes", "rest", "message"),
    [
        (
            ["ap1: {kind: ap, ssid: home, wlans: 2}"],
            "",
            "t.yaml:3  nodes.ap1.wlans: must be a list of the radios after the first, such as [{ssid: office}]",
        ),
        (["ap1: {kind: ap, ssid: home, wlans: [{mode: a}]}"], "", "nodes.ap1.wlans.0.ssid: is missing"),
        (
            ["ap1: {kind: ap, ssid: home, wlans: [{ssid: home, mode: a}]}"],
            "",
            "t.yaml:3  nodes.ap1.wlans.0.channel: 1 is a 2.4 GHz channel, but mode a is 5 GHz",
        ),
        (
            ["ap1: {kind: ap, ssid: home}", "sta1: {kind: sta, wlans: [{ssid: home, ip: 10.0.0.7}]}"],
            "",
            "t.yaml:4  nodes.sta1.wlans.0.ip",
        ),
        (
            ["ap1: {kind: ap, ssid: home}", "sta1: {kind: sta, wlans: [{ssid: home, position: [0 m, 0 m, 0 m]}]}"],
            "",
            'nodes.sta1.wlans.0.position: unknown key "position": the radios of a node are where it is; write offset:',
        ),
        (
            ["ap1: {kind: ap, ssid: home}", "sta1: {kind: sta, wlans: [{ssid: home, power_save: true}]}"],
            "",
            "nodes.sta1.wlans.0.power_save: has no effect on the perfect medium",
        ),
        (
            [AP, STATION],
            "timeline: [{at: 1 s, move: sta1-wlan1, to: [0 m, 0 m, 0 m]}]\n",
            "timeline.0.move: sta1-wlan1 is a radio of sta1, and moves with it; write sta1",
        ),
        (
            [AP, STATION],
            "timeline: [{at: 1 s, power: ap1-wlan2, to: off}]\n",
            "timeline.0.power: ap1-wlan2 is a radio of ap1, which loses power as a whole; write ap1",
        ),
        (
            [AP, STATION],
            "timeline: [{at: 1 s, roam: sta1, to: ap1-wlan2}]\n",
            'timeline.0.to: ap1-wlan2 has the SSID "office", but sta1 has "home"',
        ),
        (
            [AP, STATION],
            "medium: {snr: [{between: [ap1-wlan3, sta1], is: 7 dB}]}\n",
            "known: ap1, ap1-wlan2, sta1, sta1-wlan1",
        ),
    ],
)
def test_mistakes(plans: Plans, nodes: list[str], rest: str, message: str) -> None:
    assert message in refused(plans, topology(*nodes, rest=rest), WORKLOAD)


# Repeaters

HOME = "ap1: {kind: ap, ssid: home, four_address: true}"


def test_a_repeater_is_in_the_segment_of_the_access_point_that_it_repeats(plans: Plans) -> None:
    nodes = [HOME, "ap2: {kind: ap, ssid: far, wlans: [{kind: sta, ssid: home}]}", "r1: {kind: router}"]
    rest = "links: [{between: [ap1, r1]}]\nsubnets: {ap1: 10.7.0.0/24}\n"
    plan = plans(topology(*nodes, "sta1: {kind: sta, ssid: far}", rest=rest), WORKLOAD)
    assert plan.node("sta1").ip == "10.7.0.2/24"
    assert "wds_sta=1" in hostapd_conf(plan, plan.node("ap1"))
    text = "\n".join(commands(plan))
    assert text.index("iw dev ap2-wlan2 set 4addr on") < text.index("ip link set ap2-wlan2 master br0")
    assert "-c/etc/wpa_supplicant/ap2-wlan2/wpa_supplicant.conf -bbr0" in text


@pytest.mark.parametrize(
    ("nodes", "message"),
    [
        (
            ["ap1: {kind: ap, ssid: home}", "ap2: {kind: ap, ssid: far, wlans: [{kind: sta, ssid: home}]}"],
            "t.yaml:4  nodes.ap2.wlans.0.ssid: a repeater bridges by 4-address frames; write four_address: true at the "
            "access points of home",
        ),
        (
            [HOME, "ap2: {kind: ap, ssid: home, wlans: [{kind: sta, ssid: home}]}"],
            "nodes.ap2.wlans.0.ssid: it could join ap2 itself; write network: {bssid:",
        ),
        (
            ["ap1: {kind: ap, ssid: home, four_address: true, wlans: [{kind: sta, ssid: home}]}"],
            "nodes.ap1.wlans.0.ssid: only ap1 itself has the network home",
        ),
        (
            [HOME, "ap2: {kind: ap, ssid: far, wlans: [{kind: mesh, ssid: home}]}"],
            '"mesh" is not a radio of an access point; write ap, or sta for a repeater',
        ),
        (
            [HOME, "ap2: {kind: ap, ssid: far, fail_mode: secure, wlans: [{kind: sta, ssid: home}]}"],
            "nodes.ap2.wlans: an access point that OpenFlow programs is not a repeater",
        ),
        ([HOME.replace("ap1", "garden")], "four_address: a repeater's interface would be garden-wlan1.sta1, and Linux"),
        (
            ["ap1: {kind: ap, ssid: home, bss: [{ssid: far, four_address: true}]}"],
            "nodes.ap1.bss.0.four_address: a repeater's interface would be ap1-wlan1-1.sta1, and Linux allows 15",
        ),
        (
            [HOME.replace("ap1", "ap10"), "sta: {kind: sta, ssid: home, count: 10}"],
            "nodes.ap10.four_address: as the last of 10 to join, a repeater's interface would be ap10-wlan1.sta10, and "
            "Linux allows 15 characters; write a name of the node that is 1 shorter",
        ),
        (
            [HOME, "ap2: {kind: ap, ssid: far, vlan: 7, wlans: [{kind: sta, ssid: home}]}"],
            "nodes.ap2.wlans: a repeater carries no VLANs; remove the radio of kind: sta, or vlan: and vlans: at its "
            "networks",
        ),
        (["ap1: {kind: ap, ssid: home, wds_sta: 1}"], 'unknown key "wds_sta" (did you mean four_address?)'),
        (["ap1: {kind: ap, ssid: home, four_address: true, vlan: 7}"], "nodes.ap1.four_address: repeaters bridge to"),
    ],
)
def test_mistakes_with_repeaters(plans: Plans, nodes: list[str], message: str) -> None:
    assert message in refused(plans, topology(*nodes), WORKLOAD)


@pytest.mark.parametrize(("channel", "warned"), [(1, True), (6, False)])
def test_two_radios_on_one_channel_are_a_warning(
    plans: Plans, capsys: pytest.CaptureFixture[str], channel: int, warned: bool
) -> None:
    plans(topology(f"hall: {{kind: ap, ssid: home, wlans: [{{ssid: far, channel: {channel}}}]}}"), WORKLOAD)
    said = "hall-wlan1 and hall-wlan2 share the air time of channel 1; if that is not what you want, write another"
    assert (said in capsys.readouterr().err) == warned


# Monitors


def test_a_monitor_has_a_radio_for_each_channel(plans: Plans) -> None:
    plan = plans(topology("mon1: {kind: monitor, wlans: [{channel: 6}, {channel: 36, width: 40 MHz}]}"), WORKLOAD)
    found = [(one.name, one.radio.channel, one.radio.width_mhz) for one in plan.radios() if one.radio]
    assert found == [("mon1", 1, 20), ("mon1-wlan1", 6, 20), ("mon1-wlan2", 36, 40)]
    text = "\n".join(commands(plan))
    assert "iw dev mon1-wlan2 set freq 5180 HT40+" in text


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ("channels: [1, 6]", "write channel: 1, and wlans: [{channel: 6}, {channel: 11}] for the others"),
        ("wlans: [6]", "nodes.mon1.wlans.0: must be a mapping"),
        ("wlans: [{channel: 52}]", "t.yaml:3  nodes.mon1.wlans.0.channel: 52 needs radar detection"),
        ("wlans: [{ssid: home}]", 'nodes.mon1.wlans.0.ssid: unknown key "ssid"'),
    ],
)
def test_mistakes_with_monitors(plans: Plans, keys: str, message: str) -> None:
    assert message in refused(plans, topology(f"mon1: {{kind: monitor, {keys}}}"), WORKLOAD)
