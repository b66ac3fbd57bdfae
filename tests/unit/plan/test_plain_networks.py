# SPDX-License-Identifier: MIT
"""A topology that uses no key for larger networks costs nothing: its plan does not mention any of them."""

from __future__ import annotations

import json

import pytest

from .conftest import Plans

IDLE = "name: idle\nduration: 30 s\n"
NODES = {
    "h1": "kind: host",
    "s1": "kind: switch",
    "ap1": "kind: ap, ssid: home, encrypt: wpa2, passwd: espresso",
    "sta1": "kind: sta",
    "sta2": "kind: sta, adhoc: {ssid: meeting}",
}
LINKS = "links:\n  - {between: [h1, s1]}\n  - {between: [s1, ap1]}\n"
DEFAULTS = [  # what a user may write without a change
    ("s1", "stp: false, openflow: [], vlan: null, ip: null, controller: null"),
    ("h1", "ip6: null, routes: null, dhcp: null, privileged: false, image: null"),
    ("ap1", "stp: false, openflow: [], bss: [], wlans: [], hostapd: {}, hidden: false, isolate: false, pmf: null"),
    ("ap1", "four_address: false, wps: false, btm: false, rrm: false, dtim_period: null, users: {}, radius: null"),
    ("sta1", "wlans: [], wpa_supplicant: {}, network: {}, scan: network, awaited: true, wps: false, eap: null"),
    ("", "subnets: {}"),
]
NODE = {
    "name",
    "kind",
    "roles",
    "ip",
    "memory_bytes",
    "pids_max",
    "position_m",
    "interfaces",
    "radio",
    "index",
    "source",
}
INTERFACE = {"name", "mac", "link", "ip"}

RADIO = {"interface", "mac", "ssid", "mode", "channel", "frequency_mhz", "scan_mhz", "country", "encrypt", "passwd"}
RADIO |= {"txpower_dbm", "antenna_gain_dbi"}


def topology(changed: str = "", keys: str = "") -> str:
    lines = [f"  {name}: {{{own}{f', {keys}' if name == changed else ''}}}" for name, own in NODES.items()]
    return "name: here\nnodes:\n" + "\n".join(lines) + f"\n{LINKS}medium: {{}}\n" + ("" if changed else f"{keys}\n")


def test_the_plan_of_a_plain_network_has_no_key_of_larger_ones(plans: Plans) -> None:
    for node in json.loads(plans(topology(), IDLE).to_json())["nodes"]:
        assert set(node) == NODE
        assert all(set(one) == INTERFACE for one in node["interfaces"])
        assert set(node["radio"] or RADIO) - {"ibss_bssid"} == RADIO


@pytest.mark.parametrize(("node", "keys"), DEFAULTS)
def test_defaults_that_are_written_change_no_byte(plans: Plans, node: str, keys: str) -> None:
    assert plans(topology(node, keys), IDLE).to_json() == plans(topology(), IDLE).to_json()
