# SPDX-License-Identifier: MIT
"""What keys of access points do on the air: protection, hidden names, isolation, multicast as unicast."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests import air
from tests.system.conftest import Ran

pytestmark = pytest.mark.guest

PROJECT = Path(__file__).parents[2]
FORGED = (PROJECT / "topologies" / "forged-deauthentication.yaml").read_text()
IDLE = "name: idle\nduration: 12 s\n"
AP, STA1, STA2 = "02:aa:00:00:00:01", "02:aa:00:00:00:02", "02:aa:00:00:00:03"
TO_ALL = "timeline: [{at: 1 s, exec: sta1, run: [sh, -c, '! ping -b -c 3 -W 1 10.255.255.255']}]\n"
LLC_IP = bytes.fromhex("aaaa030000000800")
PROTECTED = 0x40  # of the second octet of frame control: IEEE 802.11-2020 9.2.4.1


def place(ap: str, sta: str = "") -> str:
    nodes = [
        f'ap1: {{kind: ap, ssid: campus, bssid: "{AP}"{ap and f", {ap}"}}}',
        f'sta1: {{kind: sta, mac: "{STA1}"{sta and f", {sta}"}}}',
        f'sta2: {{kind: sta, mac: "{STA2}"}}',
    ]
    return "name: place\nmedium: {}\nnodes:\n" + "".join(f"  {node}\n" for node in nodes)


def on_air(ran: Ran, sender: str) -> list[air.Frame]:
    """The frames of a radio."""
    (path,) = (ran.directory / "raw").glob("air-*")
    return [one for one in air.frames(path) if one.transmitter == bytes.fromhex(sender.replace(":", ""))]


def test_a_forged_deauthentication(boot: Callable[..., Ran]) -> None:
    """As the topology is, and with the access points' keys exchanged: it is the key that decides."""
    for text, torn in (
        (FORGED, 1),
        (FORGED.replace(", pmf: required", "").replace("espresso,", "espresso, pmf: required,", 1), 2),
    ):
        ran = boot(text, IDLE)
        logs = {number: ran.raw(f"daemon/sta{number}-wpa_supplicant.log") for number in (1, 2)}
        found = {number: "CTRL-EVENT-DISCONNECTED" in log for number, log in logs.items()}
        assert found == {torn: True, 3 - torn: False}
        assert f"bssid=02:aa:00:00:00:0{torn} reason=7" in logs[torn]


def test_a_hidden_network_has_no_name_in_beacons(boot: Callable[..., Ran]) -> None:
    named = {
        hidden: any(
            b"campus" in frame.body
            for frame in on_air(boot(place(f"hidden: {hidden}"), IDLE, pcap="air"), AP)
            if frame.kind == air.BEACON
        )
        for hidden in ("true", "false")
    }
    assert named == {"true": False, "false": True}


@pytest.mark.parametrize(("encrypt", "protected"), [("open", False), ("owe", True)])
def test_opportunistic_encryption(boot: Callable[..., Ran], encrypt: str, protected: bool) -> None:
    ran = boot(place(f"encrypt: {encrypt}"), f"name: idle\nduration: 5 s\n{TO_ALL}", pcap="air")
    data = [frame for frame in on_air(ran, STA1) if frame.kind == air.DATA]
    assert any(LLC_IP in frame.body for frame in data) != protected
    assert any(frame.body[1] & PROTECTED for frame in data) == protected


def test_multicast_reaches_stations_as_unicast(boot: Callable[..., Ran]) -> None:
    receivers = {
        value: {
            frame.receiver.hex(":")
            for frame in on_air(
                boot(place(f"multicast_to_unicast: {value}"), f"name: idle\nduration: 5 s\n{TO_ALL}", pcap="air"), AP
            )
            if frame.kind == air.DATA and LLC_IP in frame.body and bytes([10, 255, 255, 255]) in frame.body
        }
        for value in ("false", "true")
    }
    assert receivers == {"false": {"ff:ff:ff:ff:ff:ff"}, "true": {STA2}}


def test_a_transition_network_takes_both_kinds_of_stations(boot: Callable[..., Ran]) -> None:
    """With fast transition, too: keys of WPA2 are computed, those of WPA3 exchanged."""
    look = "".join(f"  - {{at: 1 s, exec: sta{number}, run: [wpa_cli, status]}}\n" for number in (1, 2))
    for fast, expected in (("", ["WPA2-PSK", "SAE"]), (", fast_transition: true", ["FT-PSK", "FT-SAE"])):
        ap = f"encrypt: wpa2/wpa3, passwd: espresso{fast}"
        ran = boot(place(ap, "encrypt: wpa2, passwd: espresso"), f"name: look\nduration: 2 s\ntimeline:\n{look}")
        assert [line for said in ran.outputs() for line in said.split() if line.startswith("key_mgmt=")] == [
            f"key_mgmt={one}" for one in expected
        ]
