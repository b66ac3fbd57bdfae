# SPDX-License-Identifier: MIT
"""Options in the words of hostapd and wpa_supplicant: where they end up, and what is refused before a run."""

from __future__ import annotations

import io
import json

import pytest
from rich.console import Console

from lab.guest.hostap_config import wpa_supplicant_conf
from lab.guest.hostap_refusal import refusal
from lab.nodes.ap.guest import hostapd_conf
from lab.shared.types import Plan, Radio
from lab.show.plan import render
from tests.refused import refused

from .conftest import Plans

WORKLOAD = "name: there\nduration: 30 s\n"


def topology(ap: str = "", sta: str = "") -> str:
    return f"name: here\nnodes:\n  ap1: {{kind: ap, ssid: campus{ap}}}\n  sta1: {{kind: sta{sta}}}\n"


def radio(plan: Plan, name: str) -> Radio:
    found = plan.node(name).radio
    assert found is not None
    return found


def test_they_are_the_last_lines(plans: Plans) -> None:
    options = "dtim_period: 2, ap_isolate: true, wmm_ac_be_aifs: 03, vendor_elements: dd050012340100"
    plan = plans(topology(f", hostapd: {{{options}, owe_groups: [19, 20]}}"), WORKLOAD)
    assert hostapd_conf(plan, plan.node("ap1")).splitlines()[-6:] == [
        "dtim_period=2",
        "ap_isolate=1",
        "wmm_ac_be_aifs=03",
        "vendor_elements=dd050012340100",
        "owe_groups=19",
        "owe_groups=20",
    ]


def test_a_station_has_global_ones_and_those_of_its_network(plans: Plans) -> None:
    own = """, wpa_supplicant: {fast_reauth: false}, network: {identity: '"user"', priority: 5}"""
    text = wpa_supplicant_conf(radio(plans(topology(sta=own), WORKLOAD), "sta1"))
    assert "\nfast_reauth=0\nnetwork={\n" in text
    assert text.endswith('\n\tidentity="user"\n\tpriority=5\n}\n')


def test_the_plan_has_them_with_their_lines_only_where_they_are_given(plans: Plans) -> None:
    plan = plans(topology("\n    , hostapd: {dtim_period: 2}"), WORKLOAD)
    ap, sta = (node["radio"] for node in json.loads(plan.to_json())["nodes"])
    assert ap["hostapd"] == [{"name": "dtim_period", "value": "2", "source": "t.yaml:4"}]
    assert not {"hostapd", "wpa_supplicant", "network"} & set(sta)


def test_lab_show_lists_them(plans: Plans) -> None:
    nodes = "  ap: {kind: ap, ssid: campus, count: 2, hostapd: {dtim_period: 2}}\n  sta1: {kind: sta}\n"
    text = io.StringIO()
    Console(width=100, file=text).print(render(plans(f"name: here\nnodes:\n{nodes}", WORKLOAD)))
    assert "ap1, ap2  hostapd  dtim_period=2\n" in "\n".join(map(str.rstrip, text.getvalue().splitlines())) + "\n"


@pytest.mark.parametrize(
    ("ap", "sta", "said"),
    [
        ("hostapd: {interface: wlan0}", "", "hostapd.interface: the lab starts it with its own"),
        ("hostapd: {ctrl_interface: /tmp}", "", "hostapd.ctrl_interface: the lab starts it with its own"),
        ("hostapd: {bridge: br1}", "", "hostapd.bridge: the lab bridges the radio and the wired ports"),
        ("hostapd: {ssid: other}", "", "hostapd.ssid: stations adopt it from the topology; write ssid: of the node"),
        ("hostapd: {channel: 6}", "", "hostapd.channel: stations look for it where the topology says; write channel:"),
        ("hostapd: {wpa_passphrase: espresso}", "", "write encrypt: and passwd: of the node"),
        ("hostapd: {bss: ap1-wlan1_1}", "", "stations adopt its networks from the topology; write bss: of the node"),
        ("hostapd: {dtim_period: }", "", "hostapd.dtim_period: needs a text, a number, true (1) or false (0), or a"),
        ("hostapd: {dtim_period: {of: 2}}", "", "list of these, not a mapping"),
        ("hostapd: {dtim_period: []}", "", "hostapd.dtim_period: needs a value"),
        (r'hostapd: {dtim_period: "2\ndriver=none"}', "", "must be one line of printable text; write a list for"),
        ("hostapd: {'dtim period': 2}", "", '"dtim period" is not a valid name of an option; write dtim_period: VALUE'),
        ("hostapd: [dtim_period=2]", "", "hostapd: must be a mapping: {key: value}, not a list"),
        ("hostapd: dtim_period=2", "", 'hostapd: must be a mapping: {key: value}, not "dtim_period=2"'),
        ("", "hostapd: {dtim_period: 2}", 'unknown key "hostapd": it is for kind: ap'),
        ("wpa_supplicant: {fast_reauth: 0}", "", 'unknown key "wpa_supplicant": it is for kind: mesh and kind: sta'),
        ("", "wpa_supplicant: {network: {priority: 5}}", "options of the network belong in network:, next to wpa_supp"),
        ("", "wpa_supplicant: {country: US}", "write country: of the topology"),
        ("", "network: {ssid: other}", "network.ssid: events know it from the topology; write ssid: of the node"),
    ],
)
def test_mistakes(plans: Plans, ap: str, sta: str, said: str) -> None:
    text = topology(ap and f", {ap}", sta and f", {sta}")
    message = refused(plans, text, WORKLOAD)
    assert said in message and message.startswith(f"t.yaml:{3 if ap else 4} ")


@pytest.mark.parametrize(
    ("program", "log", "said"),
    [
        (
            "hostapd",
            "17.2: Line 2: invalid dtim_period 2000\n17.2: 1 errors found",
            "t.yaml:3: hostapd refuses dtim_period: invalid dtim_period 2000",
        ),
        (
            "hostapd",
            "17.2: Line 2: unknown configuration item 'dtim_period'",
            "t.yaml:3: hostapd refuses dtim_period: unknown configuration item 'dtim_period'; hostapd of this image "
            "has no such option",
        ),
        (
            "wpa_supplicant",
            "17.2: Line 4: unknown network field 'dtim'.\n17.2: Line 5: failed to parse network block.",
            "t.yaml:4: wpa_supplicant refuses dtim: unknown network field 'dtim'; global options belong in the key "
            "wpa_supplicant",
        ),
        (
            "wpa_supplicant",
            "17.2: Line 4: failed to parse dtim 'a'.",
            "t.yaml:4: wpa_supplicant refuses dtim: failed to parse dtim 'a'; wpa_supplicant reads text only in "
            "quotes: dtim: '\"a\"'",
        ),
        ("hostapd", "17.2: Line 1: invalid interface", ""),
        ("hostapd", "17.2: could not set up the interface", ""),
    ],
)
def test_what_a_program_refuses_is_a_line_of_the_topology(plans: Plans, program: str, log: str, said: str) -> None:
    plan = plans(topology(", hostapd: {dtim_period: 2000}", ", network: {dtim: a}"), WORKLOAD)
    name, config = ("ap1", "interface=ap1-wlan1\ndtim_period=2000\n")
    if program == "wpa_supplicant":
        name, config = "sta1", 'ctrl_interface=x\nnetwork={\n\tssid="campus"\n\tdtim=a\n}\n'
    assert refusal(program, plan.node(name), config, log) == said
