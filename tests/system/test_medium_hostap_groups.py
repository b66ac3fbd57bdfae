# SPDX-License-Identifier: MIT
"""Networks without a fixed access point: Wi-Fi Direct groups and meshes, as wpa_supplicant forms them."""

from __future__ import annotations

import re

import pytest

from tests.system.radios import (
    STATION,
    Boot,
    Played,
    access_point,
    address,
    network,
    play,
    start_access_point,
    start_station,
    until_said,
    wpa,
)

pytestmark = pytest.mark.guest

# addresses of their devices: the permanent ones of the radios
A, B = "02:00:00:00:00:00", "02:00:00:00:01:00"
PEER = "ctrl_interface=/run/own\ncountry=DE\ndevice_name={}\n"
GROUP = "$(ip -br link | grep -o '^p2p[^ ]*')"  # interface of the group


def with_address(node: str, interface: str, ip: str) -> tuple[str, str]:
    """Give an interface an IP address."""
    return node, f"ip addr add {ip}/24 dev {interface}"


def accept(how: str) -> tuple[str, str]:
    """Let the second device wait for the first; requests of both at once may end without a group."""
    return wpa("b", f"p2p_connect {A} {how} auth", "p2p_listen")


def received(printed: str) -> int:
    """Answers to a ping."""
    (count,) = re.findall(r"(\d+) received", printed)
    return int(count)


PING = "ping -c 10 -i 0.1 -W 1 {}"
FOUND = [until_said("a", f"P2P-DEVICE-FOUND {B}"), until_said("b", f"P2P-DEVICE-FOUND {A}")]
FIND = [wpa("a", "p2p_find type=social"), wpa("b", "p2p_find type=social"), *FOUND]
FORMED = [until_said("a", "P2P-GROUP-STARTED"), until_said("b", "AP-STA-CONNECTED\\|P2P-GROUP-STARTED.*client")]
TALK = [with_address("a", GROUP, "10.2.0.1"), with_address("b", GROUP, "10.2.0.2"), ("a", PING.format("10.2.0.2"))]


def group_channel_mhz(played: Played) -> set[str]:
    """Channels of the group, as its two members have said."""
    return {mhz for said in played.said.values() for mhz in re.findall(r"P2P-GROUP-STARTED .*freq=(\d+)", said)}


@pytest.mark.parametrize("method", ["pbc", "12345670"])
def test_two_devices_find_each_other_and_form_a_group(boot: Boot, method: str) -> None:
    """Discovery, negotiation and provisioning are exchanges of frames on channels that both leave and return to."""
    connect = [
        accept(f"{method} {'' if method == 'pbc' else 'display'} go_intent=15"),
        wpa("a", f"p2p_connect {B} {method} {'' if method == 'pbc' else 'keypad'} go_intent=0"),
    ]
    commands = [start_station("a"), start_station("b"), *FIND, *connect, *FORMED, *TALK]
    played = play(boot, {node: PEER.format(node) for node in "ab"}, commands, seconds=30)
    assert "P2P-GO-NEG-SUCCESS role=client" in played.said["a"] and "P2P-GO-NEG-SUCCESS role=GO" in played.said["b"]
    assert "WPS-SUCCESS" in played.said["a"] and "FAILURE" not in played.said["b"].replace("EAP-FAILURE", "")
    assert len(group_channel_mhz(played)) == 1 and received(played.printed[-1]) == 10


def test_a_persistent_group_starts_again_by_invitation(boot: Boot) -> None:
    """The group's owner ends it, and invites its client, which joins with the credentials of the first time."""
    connect = [accept("pbc go_intent=0 persistent"), wpa("a", f"p2p_connect {B} pbc go_intent=15 persistent"), *FORMED]
    commands = [
        *(start_station("a"), start_station("b"), *FIND, *connect),
        *(("a", f"wpa_cli -p /run/own -i {GROUP} p2p_group_remove {GROUP}"), until_said("b", "P2P-GROUP-REMOVED")),
        *(wpa("b", "p2p_listen"), ("a", f"wpa_cli -p /run/own -i p2p-dev-a-wlan0 p2p_invite persistent=0 peer={B}")),
        *(until_said("a", "P2P-GROUP-STARTED", times=2), until_said("b", "P2P-GROUP-STARTED", times=2), *TALK),
    ]
    played = play(boot, {node: PEER.format(node) + "persistent_reconnect=1\n" for node in "ab"}, commands, seconds=40)
    assert "P2P-INVITATION-RESULT status=0" in played.said["a"]
    assert [played.said[node].count("P2P-GO-NEG-SUCCESS") for node in "ab"] == [1, 1]
    assert played.said["a"].count("WPS-SUCCESS") == 1 and received(played.printed[-1]) == 10


@pytest.mark.parametrize("intent", [0, 15])
def test_a_station_of_a_network_is_in_a_group_at_the_same_time(boot: Boot, intent: int) -> None:
    """Its radio has one channel, so the group is on that of the access point; it is the group's client or its owner."""
    files = {
        "a": PEER.format("a") + network('ssid="x"', "key_mgmt=NONE", "scan_freq=2462"),
        "b": PEER.format("b"),
        "ap": access_point("ap", "ssid=x", "channel=11"),
    }
    commands = [
        *(start_access_point("ap"), start_station("a"), start_station("b"), until_said("a", "CTRL-EVENT-CONNECTED")),
        *(*FIND, accept(f"pbc go_intent={15 - intent}")),
        *(wpa("a", f"p2p_connect {B} pbc go_intent={intent}"), *FORMED),
        *(with_address("a", "a-wlan0", "10.1.0.1"), with_address("ap", "ap-wlan0", "10.1.0.2")),
        *(*TALK, ("a", PING.format("10.1.0.2"))),
    ]
    played = play(boot, files, commands, seconds=40)
    assert group_channel_mhz(played) == {"2462"}
    assert [received(printed) for printed in played.printed[-2:]] == [10, 10]
    assert "CTRL-EVENT-DISCONNECTED bssid=" + address(3) not in played.said["a"]


ENDS_APART = {"snr": [{"between": ["m1", "m3"], "is": "-30 dB"}]}


@pytest.mark.parametrize("security", [["key_mgmt=NONE"], ["key_mgmt=SAE", 'sae_password="secret-words"']])
def test_a_mesh_forwards_and_gets_a_lost_peer_back(boot: Boot, security: list[str]) -> None:
    """Three in a row, whose ends do not hear each other; the one in the middle leaves and returns."""
    mesh = network('ssid="mesh"', "mode=5", "frequency=2412", *security)
    nodes = ["m1", "m2", "m3"]
    peered = [until_said(node, f"MESH-PEER-CONNECTED {address(2)}") for node in ("m1", "m3")]
    again = [until_said(node, f"MESH-PEER-CONNECTED {address(2)}", times=2) for node in ("m1", "m3")]
    end = [until_said(node, f"MESH-PEER-DISCONNECTED {address(2)}") for node in ("m1", "m3")]
    addresses = [with_address(node, f"{node}-wlan0", f"10.1.0.{number}") for number, node in enumerate(nodes, 1)]
    commands = [
        *(*map(start_station, nodes), *addresses, *peered),
        *(("m1", PING.format("10.1.0.3")), ("m1", "iw dev m1-wlan0 mpath dump")),
        *(wpa("m2", "terminate"), *end, ("m1", f"{PING.format('10.1.0.3')}; true")),
        *(start_station("m2"), *again, ("m1", PING.format("10.1.0.3"))),
    ]
    played = play(boot, dict.fromkeys(nodes, STATION + mesh), commands, medium=ENDS_APART, seconds=60)
    pings = [received(printed) for printed in played.printed if "received" in printed]
    assert pings == [10, 0, 10]
    (paths,) = [printed for printed in played.printed if "NEXT HOP" in printed]
    assert re.search(f"^{address(3)} {address(2)} ", paths, re.MULTILINE)
    assert address(3) not in played.said["m1"] and address(1) not in played.said["m3"]
