# SPDX-License-Identifier: MIT
"""Steered stations, neighbours of access points, stations that search or that nobody waits for."""

from __future__ import annotations

import pytest

from lab.guest.hostap_config import wpa_supplicant_conf
from lab.nodes.ap.guest import hostapd_conf
from lab.runs.dry_run import commands
from lab.shared.types import Plan, Radio
from tests.refused import refused

from .conftest import Plans

WORKLOAD = "name: there\nduration: 30 s\n"
NETWORK = ("ap1: {kind: ap, ssid: campus, btm: true, rrm: true}", "ap2: {kind: ap, ssid: campus, channel: 36, mode: a}")
SUGGESTED = "BSS_TM_REQ 02:00:01:00:03:00 pref=1 abridged=1 valid_int=255"


def topology(*nodes: str, events: str = "") -> str:
    return "name: here\nnodes:\n" + "".join(f"  {node}\n" for node in nodes) + events


def radio(plan: Plan, name: str) -> Radio:
    found = plan.node(name).radio
    assert found is not None
    return found


@pytest.mark.parametrize(("key", "leaving"), [("", ""), (", leaves: true", " disassoc_imminent=1 disassoc_timer=10")])
def test_the_access_point_of_the_station_suggests_another_one(plans: Plans, key: str, leaving: str) -> None:
    event = f"timeline: [{{at: 2 s, steer: sta1, to: ap1{key}}}]\n"
    plan = plans(topology(*NETWORK, "sta1: {kind: sta}", events=event), WORKLOAD)
    candidate = "02:00:01:00:01:00,0x0003,81,1,6,0301ff"
    expected = f"# to hostapd of the access point of sta1, unless it is ap1: {SUGGESTED}{leaving} neighbor={candidate}"
    assert expected in list(commands(plan))


def test_an_access_point_knows_its_neighbours(plans: Plans) -> None:
    """Operating class 115, channel 36, OFDM: IEEE 802.11-2020 9.4.2.36 and Table E-4."""
    plan = plans(topology(*NETWORK, "ap3: {kind: ap, ssid: other}"), WORKLOAD)
    found = [line for line in commands(plan) if "SET_NEIGHBOR" in line]
    element = "020001000200" + "03000000" + "732404"
    assert found == [f"# to hostapd on ap1: SET_NEIGHBOR 02:00:01:00:02:00 ssid={b'campus'.hex()} nr={element}"]
    assert {"rrm_neighbor_report=1", "bss_transition=1"} <= set(hostapd_conf(plan, plan.node("ap1")).splitlines())


def test_a_station_that_searches_scans_all_channels(plans: Plans) -> None:
    event = "timeline: [{at: 2 s, roam: sta1, to: ap1}]\n"
    plan = plans(topology(*NETWORK, "sta1: {kind: sta, scan: all}", "sta2: {kind: sta}", events=event), WORKLOAD)
    assert "scan_freq" not in wpa_supplicant_conf(radio(plan, "sta1"))
    assert "scan_freq=2412 5180" in wpa_supplicant_conf(radio(plan, "sta2"))
    assert "# to wpa_supplicant on sta1: SCAN" in list(commands(plan))


def test_a_network_without_access_points_is_a_warning(plans: Plans, capsys: pytest.CaptureFixture[str]) -> None:
    nodes = [NETWORK[0], "sta1: {kind: sta, ssid: kampus}", "sta2: {kind: sta, ssid: kampus}"]
    plan = plans(topology(*nodes, events="medium: {}\n"), WORKLOAD)
    assert capsys.readouterr().err.splitlines()[0] == (
        'lab: t.yaml:4  nodes.sta1.ssid: no access point has the SSID "kampus" (did you mean campus?); known: campus; '
        "sta1 starts unassociated"
    )
    assert "scan_freq" not in wpa_supplicant_conf(radio(plan, "sta1"))
    assert "# no access point has the SSID 'kampus': sta1 starts unassociated" in list(commands(plan))


def test_nobody_waits_for_a_station_that_is_not_awaited(plans: Plans) -> None:
    plan = plans(topology(NETWORK[0], "sta1: {kind: sta, awaited: false}", "sta2: {kind: sta}"), WORKLOAD)
    waits = [line for line in commands(plan) if "to associate with" in line or "not awaited" in line]
    assert waits == [
        "# sta1 is not awaited",
        "# wait for sta2 to associate with 'campus': wpa_state=COMPLETED in the answer to STATUS, or "
        "CTRL-EVENT-CONNECTED",
    ]


def test_a_background_scan_may_learn(plans: Plans) -> None:
    words = "{module: learn, short_interval: 5 s, signal: -60 dBm, long_interval: 60 s}"
    plan = plans(topology(NETWORK[0], f"sta1: {{kind: sta, bgscan: {words}}}"), WORKLOAD)
    assert radio(plan, "sta1").bgscan == "learn:5:-60:60"


def test_the_push_of_a_button(plans: Plans) -> None:
    nodes = ["ap1: {kind: ap, ssid: home, encrypt: wpa2, passwd: espresso, wps: true}", "sta1: {kind: sta, wps: true}"]
    plan = plans(topology(*nodes, events="timeline: [{at: 2 s, wps: sta1, to: ap1}]\n"), WORKLOAD)
    assert {"wps_state=2", "eap_server=1"} <= set(hostapd_conf(plan, plan.node("ap1")).splitlines())
    text = wpa_supplicant_conf(radio(plan, "sta1"))
    assert "network=" not in text and "espresso" not in text and "config_methods=virtual_push_button" in text
    assert [line for line in commands(plan) if "WPS_PBC" in line or "wps:" in line] == [
        "# sta1 needs an event wps: to join",
        "# to hostapd on ap1: WPS_PBC",
        "# to wpa_supplicant on sta1: WPS_PBC 02:00:01:00:01:00",
    ]


PUSH = "ap1: {kind: ap, ssid: home, encrypt: wpa2, passwd: espresso, wps: true}"


@pytest.mark.parametrize(
    ("nodes", "said"),
    [
        (("ap1: {kind: ap, ssid: home, wps: true}",), "wps: WPS hands out a passphrase of WPA2; write encrypt: wpa2"),
        ((PUSH.replace("wps:", "hidden: true, wps:"),), "wps: a hidden network has no WPS; remove hidden: or this"),
        ((PUSH.replace("wps: true", "wps_state: 2"),), "(did you mean wps?)"),
        (
            (PUSH, "sta1: {kind: sta, wps: true, encrypt: wpa2, passwd: espresso}"),
            "sta1.encrypt: with wps: true, the st",
        ),
        ((PUSH, "sta1: {kind: sta}"), "timeline.0.wps: sta1 has no button; write wps: true in nodes.sta1"),
        (
            (PUSH.replace(", wps: true", ""), "sta1: {kind: sta, wps: true}"),
            "timeline.0.to: ap1 has no button; write wps: true in nodes.ap1",
        ),
    ],
)
def test_mistakes_about_buttons(plans: Plans, nodes: tuple[str, ...], said: str) -> None:
    everything = nodes if len(nodes) > 1 else (*nodes, "sta1: {kind: sta, wps: true}")
    text = topology(*everything, events="timeline: [{at: 2 s, wps: sta1, to: ap1}]\n")
    assert said in refused(plans, text, WORKLOAD)


@pytest.mark.parametrize(
    ("nodes", "event", "said"),
    [
        (NETWORK, "steer: sta1, to: ap2", "timeline.0.to: write btm: true in the access points of campus; without it"),
        (
            NETWORK,
            "steer: ap1, to: ap1",
            "timeline.0.steer: ap1 is not a station (it is an ap); only stations are steered",
        ),
        (NETWORK, "steer: sta1", "is missing (the access point that is suggested"),
        (NETWORK, "steer: sta1, to: sta1", "timeline.0.to: sta1 is not an access point (it is a sta)"),
        (NETWORK, "steer: sta1, to: ap1, leaves: 5 s", 'timeline.0.leaves: must be true or false, not "5 s"'),
        (("ap1: {kind: ap, ssid: campus, bss_transition: 1}",), "", "(did you mean btm?)"),
        (("ap1: {kind: ap, ssid: campus, okc: true}",), "", 'unknown key "okc": write hostapd: {okc: …}'),
        (
            ("ap1: {kind: ap, ssid: campus}", "sta2: {kind: sta, okc: true}"),
            "",
            'unknown key "okc": write network: {proactive_key_caching: 1}',
        ),
        (("ap1: {kind: ap, ssid: campus, ieee80211k: 1}",), "", "(did you mean rrm?)"),
        (("ap1: {kind: ap, ssid: campus, scan: all}",), "", 'unknown key "scan": it is for kind: sta'),
        (("ap1: {kind: ap, ssid: campus}", "sta2: {kind: sta, scan: some}"), "", '"some" is not one of network, all'),
        (
            ("ap1: {kind: ap, ssid: campus}", "sta2: {kind: sta, scan_freq: 2412}"),
            "",
            "write network: {scan_freq: 2412",
        ),
        (("ap1: {kind: ap, ssid: campus}", "sta2: {kind: sta, awaited: 5 s}"), "", "awaited: must be true or false"),
    ],
)
def test_mistakes(plans: Plans, nodes: tuple[str, ...], event: str, said: str) -> None:
    events = f"timeline: [{{at: 2 s, {event}}}]\n" if event else ""
    assert said in refused(plans, topology(*nodes, "sta1: {kind: sta}", events=events), WORKLOAD)
