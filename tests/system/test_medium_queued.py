# SPDX-License-Identifier: MIT
"""Frames that wait in mac80211's queues while the key changes, or the link of their station ends."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import pytest

from tests import air
from tests.system.conftest import Ran

pytestmark = pytest.mark.guest

Boot = Callable[..., Ran]

PLACE = """\
name: encrypted
nodes:
  h1: {kind: host, roles: [server]}
  ap1: {kind: ap, ssid: x, encrypt: wpa2, passwd: secret-words, position: [0 m, 0 m, 2 m]}
  sta1: {kind: sta, roles: [client], position: [1 m, 3 m, 1 m]}
links: [{between: [h1, ap1]}]
medium: {}
"""
# a second interface, whose wpa_supplicant sends EAPOL as any packet, and does not wait for message 4 of 4 to be sent
OWN = (
    "iw dev sta1-wlan0 interface add w1 type managed; "
    "sed '/ssid=/a wpa_ptk_rekey=1' /etc/wpa_supplicant/wpa_supplicant.conf | grep -v ctrl_interface > /tmp/own.conf; "
    "wpa_supplicant -B -f /tmp/own.log -p control_port=0 -i w1 -D nl80211 -c /tmp/own.conf; "
    "ip link set sta1-wlan0 down; ip addr flush dev sta1-wlan0; ip addr add 10.0.0.9/8 dev w1"
)
REKEY = f"""\
name: rekey
roles: {{server: 1, client: 1}}
duration: 8 s
processes:
  - {{on: server, run: {{probe: udp-sink}}, as: sink, ready: {{listening: udp/9000}}}}
  - {{on: client, at: 2 s, run: {{probe: udp-sender, to: "{{server.ip}}"}}, as: load}}
timeline:
  - {{at: 100 ms, exec: sta1, run: [wpa_cli, -i, sta1-wlan0, disconnect]}}
  - {{at: 500 ms, exec: sta1, run: [sh, -c, "{OWN}"]}}
  - {{at: 7900 ms, exec: sta1, run: [cat, /tmp/own.log]}}
"""
DIRECT = """\
name: direct
nodes:
  ap1: {kind: ap, ssid: x, wmm: true, mode: g, channel: 1}
  sta1: {kind: sta, mac: '02:00:00:00:00:01', rate: 6 Mbit/s, roles: [client]}
  sta2: {kind: sta, mac: '02:00:00:00:00:02', roles: [server]}
medium: {}
"""
TEARDOWN = """\
name: teardown
roles: {server: 1, client: 1}
duration: 4 s
processes:
  - {on: server, run: {probe: udp-sink}, as: sink, ready: {listening: udp/9000}}
  - {on: client, at: 1500 ms, run: {probe: udp-sender, to: "{server.ip}"}, as: load}
timeline:
  - {at: 1 s, exec: sta1, run: [wpa_cli, -i, sta1-wlan0, tdls_setup, '02:00:00:00:00:02']}
  - {at: 2 s, exec: sta2, run: [wpa_cli, -i, sta2-wlan0, tdls_link_status, '02:00:00:00:00:01']}
  - {at: 3 s, exec: sta1, run: [wpa_cli, -i, sta1-wlan0, tdls_teardown, '02:00:00:00:00:02']}
  - {at: 3100 ms, exec: sta2, run: [wpa_cli, -i, sta2-wlan0, tdls_link_status, '02:00:00:00:00:01']}
"""


def test_what_was_queued_before_a_key_change_has_the_old_key(boot: Boot) -> None:
    """Message 4 of 4 had the new key, which the access point does not use yet; it disconnected the station."""
    log = boot(PLACE, REKEY).outputs()[-1]
    assert log.count("WPA: Key negotiation completed") >= 6
    assert log.count("CTRL-EVENT-CONNECTED") == 1 and "CTRL-EVENT-DISCONNECTED" not in log


UPLOAD = """\
name: upload
nodes:
  h1: {kind: host, roles: [server]}
  ap1: {kind: ap, ssid: x, mode: a, channel: 36, encrypt: wpa2, passwd: secret-words, hostapd: {wpa_ptk_rekey: 3}}
  sta1: {kind: sta, roles: [client], rate: 6 Mbit/s}
links: [{between: [h1, ap1]}]
medium: {}
"""
UPLOADS = """\
name: uploads
roles: {server: 1, client: 1}
duration: 5 s
processes:
  - {on: server, run: {probe: udp-sink}, as: sink, ready: {listening: udp/9000}}
  - {on: client, run: {probe: udp-sender, to: "{server.ip}"}, as: load}
"""


def test_a_new_key_loses_nothing_of_an_upload(boot: Boot) -> None:
    """Only message 4 of 4 needs the old key; what waits behind it has the key that the access point has then."""
    ran = boot(UPLOAD, UPLOADS, pcap="air")
    (path,) = (ran.directory / "raw").glob("air-*")
    sent = [
        frame.body
        for frame, after in pairwise(air.frames(path))
        if frame.kind == air.DATA and after.kind == air.ACK and len(frame.body) > 1000
    ]
    numbers = [int.from_bytes(body[24:26] + body[28:32], "little") for body in sent]  # IEEE 802.11-2020 12.5.3.2
    assert [after < before for before, after in pairwise(numbers)].count(True) == 1  # of packets: a new key
    assert len(sent) > 1500 and len(sent) == ran.sink().values["packets"]


DOWNLOAD = """\
name: download
nodes:
  h1: {kind: host, roles: [server]}
  ap1: {kind: ap, ssid: x, mode: a, channel: 36, encrypt: wpa2, passwd: secret-words, rate: 6 Mbit/s}
  sta1: {kind: sta, mac: '02:00:00:00:00:01', roles: [client]}
  sta2: {kind: sta, roles: [other]}
links: [{between: [h1, ap1]}]
medium: {}
timeline:
  - {at: 3 s, exec: ap1, run: [hostapd_cli, raw, "REKEY_PTK 02:00:00:00:00:01"]}
"""
DOWNLOADS = """\
name: downloads
roles: {server: 1, client: 1, other: 1}
duration: 5 s
processes:
  - {on: client, run: {probe: udp-sink}, as: sink, ready: {listening: udp/9000}}
  - {on: server, at: 1 s, run: {probe: udp-sender, to: "{client.ip}", every: 1.8 ms, count: 1500}, as: feed}
  - {on: other, run: {probe: udp-sink}, as: other-sink, ready: {listening: udp/9000}}
  - {on: server, run: {probe: udp-sender, to: "{other.ip}", size: 100 B, every: 10 ms, count: 380}, as: call}
"""


def test_a_new_key_lets_other_stations_wait_no_longer(boot: Boot) -> None:
    """All frames for the station left the queues at once in which stations take turns: 283 ms."""
    ran = boot(DOWNLOAD, DOWNLOADS)
    call = ran.flows("other-sink")["call"]
    assert call["packets"] == 380 and call["delay_max_ns"] < 40_000_000


def test_the_end_of_a_direct_link_reaches_the_peer(boot: Boot) -> None:
    """TDLS Teardown waits in a queue of the peer's, which ended with the link; the peer still believed in it."""
    _, before, _, after = boot(DIRECT, TEARDOWN).outputs()
    assert "connected" in before and "connected" not in after
