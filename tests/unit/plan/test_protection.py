# SPDX-License-Identifier: MIT
"""Encryption, protected management frames, and other keys that are options of hostapd: what they become, mistakes."""

from __future__ import annotations

import json

import pytest

from lab.guest.hostap_config import wpa_supplicant_conf
from lab.nodes.ap.guest import hostapd_conf
from lab.shared.types import Plan
from tests.refused import refused

from .conftest import Plans

WORKLOAD = "name: there\nduration: 30 s\n"


def topology(ap: str = "", sta: str = "") -> str:
    return (
        f"name: here\nnodes:\n  ap1: {{kind: ap, ssid: campus{ap and f', {ap}'}}}\n"
        f"  sta1: {{kind: sta{sta and f', {sta}'}}}\n"
    )


def lines(plan: Plan) -> tuple[set[str], set[str]]:
    """The configuration of the access point and of the station."""
    radio = plan.node("sta1").radio
    assert radio is not None
    return set(hostapd_conf(plan, plan.node("ap1")).splitlines()), {
        line.strip() for line in wpa_supplicant_conf(radio).splitlines()
    }


@pytest.mark.parametrize(
    ("ap", "sta", "of_ap", "of_sta"),
    [
        ("hidden: true", "", {"ignore_broadcast_ssid=1"}, {"scan_ssid=1"}),
        ("isolate: true, dtim_period: 4", "", {"ap_isolate=1", "dtim_period=4"}, set()),
        ("multicast_to_unicast: true", "", {"multicast_to_unicast=1"}, set()),
        ("encrypt: owe", "", {"wpa_key_mgmt=OWE", "ieee80211w=2"}, {"key_mgmt=OWE", "ieee80211w=2"}),
        (
            "encrypt: wpa2/wpa3, passwd: espresso",
            "",
            {"wpa_key_mgmt=SAE WPA-PSK", "ieee80211w=1", "wpa_passphrase=espresso", "sae_password=espresso"},
            {"key_mgmt=SAE WPA-PSK", "ieee80211w=1", 'psk="espresso"'},
        ),
        (
            "encrypt: wpa2/wpa3, passwd: espresso, fast_transition: true",
            "encrypt: wpa2, passwd: espresso",
            {"wpa_key_mgmt=FT-SAE FT-PSK SAE WPA-PSK", "ft_psk_generate_local=1", "pmk_r1_push=1"},
            {"key_mgmt=FT-PSK WPA-PSK"},
        ),
        ("encrypt: wpa2, passwd: espresso, pmf: optional", "", {"ieee80211w=1"}, {"ieee80211w=1"}),
        ("encrypt: wpa2, passwd: espresso, pmf: optional", "pmf: required", {"ieee80211w=1"}, {"ieee80211w=2"}),
        ("encrypt: wpa2, passwd: espresso", "pmf: optional", {"wpa=2"}, {"ieee80211w=1"}),
    ],
)
def test_what_they_become(plans: Plans, ap: str, sta: str, of_ap: set[str], of_sta: set[str]) -> None:
    found_ap, found_sta = lines(plans(topology(ap, sta), WORKLOAD))
    assert of_ap <= found_ap and of_sta <= found_sta


def test_options_of_the_program_override_keys_and_defaults_leave_no_trace(plans: Plans) -> None:
    plan = plans(topology("dtim_period: 4, hostapd: {dtim_period: 5}"), WORKLOAD)
    assert hostapd_conf(plan, plan.node("ap1")).splitlines()[-2:] == ["dtim_period=4", "dtim_period=5"]
    plain = plans(topology("hidden: false, isolate: false"), WORKLOAD)
    assert not {"hostapd", "network"} & {key for node in json.loads(plain.to_json())["nodes"] for key in node["radio"]}


MISTAKES = [
    ("ieee80211w: 2", "", "(did you mean pmf?)"),
    ("ignore_broadcast_ssid: 1", "", "(did you mean hidden?)"),
    ("ap_isolate: 1", "", "(did you mean isolate?)"),
    ("isolate_clients: true", "", "(did you mean isolate?)"),
    ("wpa_passphrase: espresso", "", "(did you mean passwd?)"),
    ("hw_mode: g", "", "(did you mean mode?)"),
    ("beacon_int: 100", "", "(did you mean beacon_interval?)"),
    ("wpa_key_mgmt: SAE", "", "(did you mean encrypt?)"),
    ("country_code: US", "", ": write country: next to nodes:"),
    ("max_num_sta: 2", "", ": write hostapd: {max_num_sta: …}"),
    ("vssids: guests", "", ": write bss: [{ssid: NAME}] for the SSIDs after the first"),
    ("", "ap_isolate: 1", ": it is for kind: ap (here: isolate)"),
    ("", "hidden: true", ": it is for kind: ap;"),
    ("", "bgscan_threshold: -60", ": write bgscan: {short_interval: 5 s, signal: -65 dBm, long_interval: 60 s}"),
    ("encrypt: sae, passwd: espresso", "", '"sae" is not one of open, owe, wpa2, wpa3, wpa2/wpa3, 8021x; write wpa3'),
    ("encrypt: wpa, passwd: espresso", "", "; write wpa2; WPA with TKIP is not modelled"),
    ("encrypt: mixed, passwd: espresso", "", "; write wpa2/wpa3"),
    ("encrypt: wpa2/wpa3", "", "wpa2/wpa3 needs a passphrase; write passwd: with 8 to 63 characters"),
    ("encrypt: owe, passwd: espresso", "", "a passphrase needs encrypt: wpa2, wpa3 or wpa2/wpa3"),
    (
        "encrypt: owe",
        "passwd: espresso",
        "campus has no passphrase (encrypt: owe); remove this, or write encrypt: wpa2",
    ),
    (
        "pmf: required",
        "",
        "pmf: an open network has no keys to protect management frames; write encrypt: too, or remove",
    ),
    ("encrypt: wpa3, passwd: espresso, pmf: optional", "", "pmf: wpa3 needs pmf: required; write that, or remove this"),
    ("encrypt: wpa2/wpa3, passwd: espresso, pmf: off", "", "pmf: wpa2/wpa3 needs pmf: optional; write that, or remove"),
    ("", "pmf: required", "pmf: an open network has no keys to protect management frames"),
    ("encrypt: wpa2, passwd: espresso, pmf: 2", "", '"2" is not one of off, optional, required'),
    ("dtim_period: 0", "", "dtim_period: must be at least 1, not 0"),
    ("dtim_period: 200 ms", "", 'dtim_period: must be a whole number, not "200 ms"'),
    ("hidden: 1", "", 'hidden: must be true or false, not "1"'),
    ("encrypt: owe, fast_transition: true", "", "fast transition needs an encrypted network; write encrypt: wpa2 or"),
]


@pytest.mark.parametrize(("ap", "sta", "said"), MISTAKES)
def test_mistakes(plans: Plans, ap: str, sta: str, said: str) -> None:
    message = refused(plans, topology(ap, sta), WORKLOAD)
    assert said in message and message.startswith(f"t.yaml:{3 if ap and not sta else 4} ")
