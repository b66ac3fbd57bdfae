# SPDX-License-Identifier: MIT
"""What radios say of their channels: hostapd chooses the quiet one, and its beacons say how busy a channel is."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from tests.system.conftest import Ran

pytestmark = [pytest.mark.guest]

Boot = Callable[..., Ran]
# a busy cell on channel 1; two radios that are access points later, and one that looks for them
PLACE = """\
name: survey
country: US
medium: {}
nodes:
  h1: {kind: host, roles: [server]}
  ap1: {kind: ap, ssid: x, mode: g, channel: 1, position: [0 m, 0 m, 1 m], rate: 54 Mbit/s}
  sta1: {kind: sta, position: [5 m, 0 m, 1 m], roles: [client]}
  mon1: {kind: monitor, channel: 1, position: [5 m, 5 m, 1 m], roles: [chooser]}
  mon2: {kind: monitor, channel: 1, position: [5 m, 6 m, 1 m], roles: [loaded]}
  mon3: {kind: monitor, channel: 1, position: [5 m, 7 m, 1 m]}
links: [{between: [h1, ap1]}]
"""
HOSTAPD = (
    'bash, -c, "ip link set {node}-wlan0 down; iw dev {node}-wlan0 set type managed; '
    "printf 'interface={node}-wlan0\\ndriver=nl80211\\nssid={node}\\nhw_mode=g\\n{keys}\\n' > /tmp/own.conf; "
    'timeout 8 hostapd -t /tmp/own.conf; true"'
)
CHOICE = "channel=0\\nchanlist=1 6\\nacs_num_scans=2"
LOAD = "channel=1\\nbss_load_update_period=10"
SCAN = (
    'bash, -c, "ip link set mon3-wlan0 down; iw dev mon3-wlan0 set type managed; ip link set mon3-wlan0 up; '
    'iw dev mon3-wlan0 scan freq 2412 ssid mon2; iw dev mon3-wlan0 survey dump"'
)
WORK = f"""\
name: survey
roles: {{client: 1, server: 1, chooser: 1, loaded: 1}}
duration: 10 s
processes:
  - {{on: client, run: {{probe: udp-sink}}, as: sink, ready: {{listening: udp/9000}}}}
  - {{on: server, run: {{probe: udp-sender, to: "{{client.ip}}", size: 1400 B, every: 1 ms}}, as: flow}}
  - {{on: chooser, at: 1500 ms, run: [{HOSTAPD.format(node="mon1", keys=CHOICE)}], as: choice}}
  - {{on: loaded, at: 1500 ms, run: [{HOSTAPD.format(node="mon2", keys=LOAD)}], as: load}}
timeline:
  - {{at: 6 s, exec: sta1, run: [iw, dev, sta1-wlan0, survey, dump]}}
  - {{at: 8 s, exec: sta1, run: [iw, dev, sta1-wlan0, survey, dump]}}
  - {{at: 8500 ms, exec: mon3, run: [{SCAN}]}}
"""


def survey(text: str) -> dict[str, int]:
    """The numbers of the channel in use."""
    (part,) = [part for part in text.split("Survey data from") if "[in use]" in part]
    return {key: int(number) for key, number in re.findall(r"(\w+)(?: time)?:\s+(-?\d+)", part)}


def test_hostapd_chooses_the_quiet_channel_and_reports_how_busy_the_other_is(boot: Boot) -> None:
    ran = boot(PLACE, WORK)
    assert "ACS-COMPLETED freq=2437 channel=6" in ran.raw("choice.out")
    before, after, scanned = ran.outputs()
    grown = {key: value - survey(before)[key] for key, value in survey(after).items()}
    assert survey(after)["noise"] == -94
    assert grown["active"] in (1999, 2000, 2001)
    # 1,000 frames of 236 us and an ACK of 34 us each second, and beacons
    share = grown["busy"] / grown["active"]
    assert 0.27 < share < 0.30
    assert abs(grown["busy"] - grown["receive"] - grown["transmit"]) <= 20
    assert 2 * 34 <= grown["transmit"] <= 2 * 34 + 5
    (load,) = re.findall(r"SSID: mon2.*?channel utilisation: (\d+)/255", scanned, re.DOTALL)
    assert int(load) / 255 == pytest.approx(share, abs=0.02)
