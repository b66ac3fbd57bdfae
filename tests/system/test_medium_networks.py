# SPDX-License-Identifier: MIT
"""Networks of every kind work over the medium: protection, fast transition, WMM, ad hoc; a monitor hears them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from lab.captures import pcap
from lab.metrics._handoffs import Handoff, find
from lab.probes.base import Raw
from lab.probes.wpa_events import WpaEvents
from tests.system.conftest import Ran

pytestmark = pytest.mark.guest

SECOND = 1_000_000_000

# IEEE 802.11-2020 9.2.4.1.3: type and subtype, the first octet of frame control
AUTHENTICATION, BEACON, QOS_DATA = 0xB0, 0x80, 0x88
OPEN_SYSTEM, FAST_TRANSITION, SAE = 0, 2, 3  # authentication algorithms, 9.4.1.1

ONE_CELL = """\
name: one-cell
nodes:
  ap1: {{kind: ap, ssid: campus, {keys}}}
  sta1: {{kind: sta, roles: [client]}}
  sta2: {{kind: sta, roles: [server]}}
  mon1: {{kind: monitor}}
medium: {{}}
"""
TALK = """\
name: talk
roles: {server: 1, client: 1, monitor: 1}
duration: 4 s
processes:
  - {on: client, run: {probe: ping, to: "{server.ip}", every: 50 ms, count: 50}, as: call}
probes:
  - {on: monitor, probe: tcpdump, as: air}
timeline:
  - {at: 3500 ms, exec: sta1, run: [wpa_cli, -i, sta1-wlan0, status]}
  - {at: 3500 ms, exec: ap1, run: [iw, dev, ap1-wlan1, station, dump]}
"""

# at 5 GHz, since at 1 Mbit/s what fast transition adds to four frames takes as long as four more
TWO_CELLS = """\
name: two-cells
country: US
nodes:
  h1: {{kind: host, roles: [server]}}
  s1: {{kind: switch}}
  ap1: {{kind: ap, ssid: campus, mode: a, channel: 36, encrypt: {encrypt}, passwd: espresso, fast_transition: {fast}}}
  ap2: {{kind: ap, ssid: campus, mode: a, channel: 40, encrypt: {encrypt}, passwd: espresso, fast_transition: {fast}}}
  sta1: {{kind: sta, roles: [client]}}
  mon1: {{kind: monitor, channel: 40}}
links:
  - {{between: [h1, s1]}}
  - {{between: [s1, ap1]}}
  - {{between: [s1, ap2]}}
medium: {{}}
timeline:
  - {{at: 2 s, roam: sta1, to: ap2}}
"""
ROAM = """\
name: roam
roles: {server: 1, client: 1, monitor: 1}
duration: 4 s
processes:
  - {on: client, run: {probe: ping, to: "{server.ip}", every: 100 ms, count: 35}, as: call}
probes:
  - {on: client, probe: wpa-events, as: events}
  - {on: monitor, probe: tcpdump, as: air}
timeline:
  - {at: 3500 ms, exec: sta1, run: [wpa_cli, -i, sta1-wlan0, status]}
"""

AD_HOC = """\
name: ad-hoc
nodes:
  sta1: {kind: sta, adhoc: {ssid: meeting, channel: 5}, roles: [left]}
  sta2: {kind: sta, adhoc: {ssid: meeting, channel: 5}, roles: [middle]}
  sta3: {kind: sta, adhoc: {ssid: meeting, channel: 5}, roles: [right]}
  mon1: {kind: monitor, channel: 5}
medium: {snr: [{between: [sta1, sta3], is: -30 dB}, {between: [mon1, sta3], is: -30 dB}]}
"""
MEET = """\
name: meet
roles: {left: 1, middle: 1, right: 1, monitor: 1}
duration: 8 s
processes:
  - {on: left, run: {probe: ping, to: "{middle.ip}", every: 100 ms, count: 20}, as: near}
  - {on: right, at: 2 s, run: {probe: ping, to: "{middle.ip}", every: 100 ms, count: 20}, as: other}
  - {on: left, at: 4 s, run: {probe: ping, to: "{right.ip}", every: 100 ms, count: 20}, as: far, required: false}
probes:
  - {on: monitor, probe: tcpdump, as: air}
timeline:
  - {at: 500 ms, exec: sta1, run: [iw, dev, sta1-wlan0, link]}
  - {at: 500 ms, exec: sta3, run: [iw, dev, sta3-wlan0, link]}
"""


def frames(ran: Ran) -> Iterator[bytes]:
    """What the monitor heard, without radiotap."""
    capture = pcap.load(ran.directory / "raw" / "air.pcap")
    assert capture.link_type == pcap.RADIOTAP
    for _, frame in capture.frames():
        yield frame[int.from_bytes(frame[2:4], "little") :]


def algorithms(ran: Ran) -> set[int]:
    """Of the authentications that the monitor heard."""
    return {int.from_bytes(frame[24:26], "little") for frame in frames(ran) if frame[0] == AUTHENTICATION}


def transmitters(heard: list[bytes], kind: int) -> set[str]:
    """Who sent frames of a kind."""
    return {frame[10:16].hex(":") for frame in heard if frame[0] == kind}


def received(ran: Ran, process: str) -> int:
    """Answers to a ping."""
    found = re.search(r"(\d+) received", ran.raw(f"{process}.out"))
    assert found
    return int(found[1])


@pytest.mark.parametrize(
    ("keys", "key_mgmt", "algorithm"),
    [
        ("encrypt: open", "NONE", OPEN_SYSTEM),
        ("encrypt: wpa2, passwd: espresso", "WPA2-PSK", OPEN_SYSTEM),
        ("encrypt: wpa3, passwd: espresso", "SAE", SAE),
        ("encrypt: wpa2, passwd: espresso, fast_transition: true", "FT-PSK", OPEN_SYSTEM),
        ("encrypt: wpa3, passwd: espresso, fast_transition: true", "FT-SAE", SAE),
    ],
)
def test_stations_join_and_talk(boot: Callable[..., Ran], keys: str, key_mgmt: str, algorithm: int) -> None:
    ran = boot(ONE_CELL.format(keys=keys), TALK)
    status, _ = ran.outputs()
    assert f"\nkey_mgmt={key_mgmt}\n" in status
    assert received(ran, "call") == 50


@pytest.mark.parametrize("wmm", [True, False])
def test_wmm_has_qos_data_and_four_access_categories(boot: Callable[..., Ran], wmm: bool) -> None:
    """sta1 pings ten times as best effort and ten times as voice (DSCP CS7: user priority 7)."""
    event = "  - {at: 2200 ms, exec: sta1, run: [ping, -c, '10', -i, '0.05', -Q, '0xe0', 10.0.0.2]}\n"
    quiet = TALK.replace("count: 50", "count: 10")
    ran = boot(ONE_CELL.format(keys=f"wmm: {str(wmm).lower()}"), quiet + event)
    _, _, stations = ran.outputs()
    assert stations.count("WMM/WME:\tyes") == (2 if wmm else 0)
    senders = {"02:00:01:00:01:00", "02:00:01:00:02:00", "02:00:01:00:03:00"}
    assert transmitters(list(frames(ran)), QOS_DATA) == (senders if wmm else set())
    before, after = (categories(look, "sta1") for look in json.loads(ran.raw("medium.json"))["looks"][2:4])
    grown = {name: after[name] - before[name] for name in before}
    # now and then a host asks for a router, or tells which groups it is in; that is best effort
    assert grown["vo"] == (10 if wmm else 0) and 0 <= grown["be"] - (0 if wmm else 10) < 3, grown
    assert grown["vi"] == grown["bk"] == 0, grown


def categories(look: dict[str, Any], node: str) -> dict[str, int]:
    """Frames that a node's access categories got acknowledged."""
    (found,) = [entry for entry in look["radios"] if entry["node"] == node]
    return {name: found[name]["successes"] for name in ("vo", "vi", "be", "bk")}


def handoff(ran: Ran) -> Handoff:
    """The one handoff of a run that was asked for at 2 s."""
    (found,) = find(WpaEvents().parse(Raw(ran.directory / "raw", "events")).occurrences, [(2 * SECOND, "roam")])
    assert found.cause == "roam" and found.to_bssid == "02:00:01:00:04:00"
    return found


def step_ms(begin_ns: int | None, end_ns: int | None) -> float:
    assert begin_ns is not None and end_ns is not None
    return (end_ns - begin_ns) / 1e6


@pytest.mark.parametrize(
    ("encrypt", "fast", "full", "fast_key_mgmt"),
    [("wpa2", {FAST_TRANSITION}, {OPEN_SYSTEM}, "FT-PSK"), ("wpa3", {FAST_TRANSITION}, {SAE}, "FT-SAE")],
)
def test_a_fast_transition_spares_the_handshake(
    boot: Callable[..., Ran], encrypt: str, fast: set[int], full: set[int], fast_key_mgmt: str
) -> None:
    """Authentications on the channel of the access point that the station goes to are those of the handoff."""
    spans_ms = {}
    for name, wanted in (("true", fast), ("false", full)):
        ran = boot(TWO_CELLS.format(encrypt=encrypt, fast=name), ROAM)
        assert algorithms(ran) == wanted
        assert (f"\nkey_mgmt={fast_key_mgmt}\n" in ran.outputs()[0]) == (wanted is fast)
        assert received(ran, "call") >= 33  # of 35; the scan and the handoff may cost one each
        found = handoff(ran)
        keys_ms = step_ms(found.associated_ns, found.connected_ns)
        spans_ms[name] = step_ms(found.authenticate_ns, found.connected_ns)
        assert keys_ms < 0.1 if wanted is fast else keys_ms > 1
        print(f"{encrypt}, fast transition {name}: {spans_ms[name]:.1f} ms, of which keys {keys_ms:.1f} ms")
    assert spans_ms["true"] < 0.9 * spans_ms["false"]


def test_ad_hoc_stations_reach_whom_they_hear(boot: Callable[..., Ran]) -> None:
    """Three in a row: the ends do not hear each other, and a monitor at one end hears nothing of the other."""
    ran = boot(AD_HOC, MEET)
    assert all("Joined IBSS 02:ca:ff:ee:ba:01" in link and "freq: 2432" in link for link in ran.outputs())
    assert (received(ran, "near"), received(ran, "other"), received(ran, "far")) == (20, 20, 0)
    beacons = transmitters(list(frames(ran)), BEACON)
    assert beacons == {"02:00:01:00:01:00", "02:00:01:00:02:00"}


NEXT_TO_AN_AD_HOC_NETWORK = """\
name: next-to-an-ad-hoc-network
nodes:
  sta1: {kind: sta, adhoc: {ssid: ours, channel: 6}}
  ap1: {kind: ap, ssid: next-door, channel: 6}
  sta2: {kind: sta, ssid: next-door}
medium: {}
"""


def test_a_socket_that_closes_in_one_node_takes_nothing_from_another(boot: Callable[..., Ran]) -> None:
    """Programs of two nodes may have the same process id, of which libnl makes ports: only their namespaces differ."""
    # it binds a generic netlink socket to each port that libnl may have chosen, and closes it
    script = (
        "import socket\\nfor number in range(1024):\\n"
        " try: socket.socket(16, 3, 16).bind(({pid} | number << 22, 0))\\n except OSError: pass"  # in use here
    )
    close = f'[python3, -c, "{script}"]'
    first = "name: first\nduration: 1 s\ntimeline:\n  - {at: 100 ms, exec: ap1, run: [pidof, hostapd]}\n"
    pid = boot(NEXT_TO_AN_AD_HOC_NETWORK, first).outputs()[0].strip()
    leave = "run: [wpa_cli, -i, sta2-wlan0, {command}]"
    again = (
        f"name: again\nduration: 9 s\ntimeline:\n  - {{at: 100 ms, exec: sta1, run: {close.format(pid=pid)}}}\n"
        f"  - {{at: 200 ms, exec: sta2, {leave.format(command='disconnect')}}}\n"
        f"  - {{at: 300 ms, exec: sta2, {leave.format(command='reconnect')}}}\n"
        f"  - {{at: 8 s, exec: sta2, {leave.format(command='status')}}}\n"
    )
    assert "wpa_state=COMPLETED" in boot(NEXT_TO_AN_AD_HOC_NETWORK, again).outputs()[-1]


SLOTS = """\
name: slots
nodes:
  sta1: {{kind: sta, adhoc: {{ssid: meeting, short_slots: {short}}}, rate: 54 Mbit/s, roles: [client]}}
  sta2: {{kind: sta, adhoc: {{ssid: meeting}}, roles: [server]}}
medium: {{}}
"""
SATURATE = """\
name: saturate
roles: {server: 1, client: 1}
duration: 12 s
processes:
  - {on: server, run: {probe: udp-sink}, as: sink, ready: {listening: udp/9000}}
  - {on: client, run: {probe: udp-sender, to: "{server.ip}", size: 1000 B}, as: load}
"""


def test_ad_hoc_stations_may_have_short_slots(boot: Callable[..., Ran]) -> None:
    """A datagram takes DIFS and a backoff of 7.5 slots on average, whose slots last 9 us instead of 20 us.

    Beacons at 1 Mbit/s take one or two percent of the time, and 24000 backoffs leave a scatter of 1 us.
    """
    each_us = {}
    for short in ("false", "true"):
        (flow,) = boot(SLOTS.format(short=short), SATURATE).flows().values()
        each_us[short] = (flow["last_ns"] - flow["first_ns"]) / 1e3 / (flow["packets"] - 1)
    assert each_us["false"] - each_us["true"] == pytest.approx(9.5 * 11, rel=0.04)
