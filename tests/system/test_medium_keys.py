# SPDX-License-Identifier: MIT
"""What a topology asks of the medium happens in the guest: fixed rates, wide channels, faults, statistics."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest

from tests import air
from tests.system.conftest import Ran

pytestmark = pytest.mark.guest

SECOND = 1_000_000_000
SIFS_NS = 16_000  # OFDM at 5 GHz
UDP_BYTES = 1472
LOST = 5

TOPOLOGY = """\
name: two-networks
nodes:
  h1: {kind: host, roles: [server]}
  s1: {kind: switch}
  ap1: {kind: ap, ssid: old, rate: 36 Mbit/s, rts_threshold: 800 B, basic_rates: [6 Mbit/s, 24 Mbit/s]}
  ap2: {kind: ap, ssid: new, mode: n, channel: 36, width: 40 MHz, guard_interval: short, rate: MCS 7}
  sta1: {kind: sta, ssid: old, roles: [client], rate: 24 Mbit/s, rts_threshold: 500 B}
  sta2: {kind: sta, ssid: new, roles: [client], rate: MCS 5}
links:
  - {between: [h1, s1]}
  - {between: [s1, ap1]}
  - {between: [s1, ap2]}
medium: {statistics: 500 ms}
"""
WORKLOAD = f"""\
name: look
roles: {{server: 1, client: 2}}
duration: 5 s
processes:
  - {{on: client, run: {{probe: ping, to: "{{server.ip}}", every: 100 ms, count: 35}}, as: call}}
timeline:
  - {{at: 2250 ms, fault: lose, frames: ack, from: ap1, to: sta1, count: {LOST}}}
  - {{at: 4 s, exec: ap1, run: [iw, dev, ap1-wlan1, station, dump]}}
  - {{at: 4 s, exec: ap2, run: [iw, dev, ap2-wlan1, station, dump]}}
  - {{at: 4 s, exec: sta2, run: [iw, dev, sta2-wlan0, station, dump]}}
  - {{at: 4 s, exec: ap1, run: [iw, phy]}}
  - {{at: 4 s, exec: sta1, run: [iw, phy]}}
  - {{at: 4 s, exec: sta2, run: [iw, phy]}}
  - {{at: 4 s, exec: sta1, run: [iw, dev, sta1-wlan0, scan, dump]}}
"""


def link(look: dict[str, Any], sender: str, receiver: str) -> dict[str, int]:
    """The counters of a link, of all access categories together."""
    (found,) = [entry for entry in look["links"] if (entry["from"], entry["to"]) == (sender, receiver)]
    return {key: value for key, value in found.items() if isinstance(value, int)}


def grown_by(before: dict[str, Any], after: dict[str, Any], sender: str, receiver: str) -> dict[str, int]:
    """How much they grew between two looks."""
    earlier = link(before, sender, receiver)
    return {key: value - earlier[key] for key, value in link(after, sender, receiver).items()}


def unexplained_retries(before: dict[str, Any], after: dict[str, Any], sender: str, receiver: str) -> int:
    """Retries of frames that had arrived: their ACK did not."""
    grown = grown_by(before, after, sender, receiver)
    return grown["retries"] - grown["collided"]


def bitrates(dump: str) -> tuple[str, str]:
    """``tx bitrate`` and ``rx bitrate`` of the one peer of a dump."""

    def of(direction: str) -> str:
        (line,) = [line for line in dump.splitlines() if line.strip().startswith(f"{direction} bitrate:")]
        return " ".join(line.split(":", 1)[1].split())

    return of("tx"), of("rx")


def threshold(info: str) -> str | None:
    """``RTS threshold`` of the only radio of ``iw phy``; None if it is off."""
    found = [line.split(":")[1].strip() for line in info.splitlines() if line.strip().startswith("RTS threshold:")]
    return found[0] if found else None


def test_the_keys_of_a_medium(boot: Callable[..., Ran]) -> None:
    ran = boot(TOPOLOGY, WORKLOAD)
    looks = json.loads(ran.raw("medium.json"))["looks"]

    # statistics: a look every 500 ms, from the start to the end
    assert [look["t_ns"] // (SECOND // 10) for look in looks] == list(range(0, 51, 5))
    for before, after in pairwise(looks):
        # a channel is there from its first use on
        earlier = {channel["frequency_mhz"]: channel for channel in before["channels"]}
        later = {channel["frequency_mhz"]: channel for channel in after["channels"]}
        assert set(earlier) <= set(later)
        for frequency_mhz, then in earlier.items():
            now = later[frequency_mhz]
            grown = sum(now["air_ns"].values()) - sum(then["air_ns"].values())
            assert grown == now["t_ns"] - then["t_ns"]

    # rates: what a node sends at, and what arrives from the other one
    at_ap1, at_ap2, at_sta2 = map(bitrates, ran.outputs()[:3])
    assert at_ap1 == ("36.0 MBit/s", "24.0 MBit/s")
    assert at_ap2 == ("150.0 MBit/s MCS 7 40MHz short GI", "120.0 MBit/s MCS 5 40MHz short GI")
    assert at_sta2 == at_ap2[::-1]

    # RTS thresholds, which daemons do not change, and basic rates
    phys = ran.outputs()[3:6]
    assert [threshold(text) for text in phys] == ["800", "500", None]
    listed = {word for line in ran.outputs()[6].splitlines() if "upported rates:" in line for word in line.split()}
    assert {word for word in listed if word.endswith("*")} == {"6.0*", "24.0*"}

    # a fault: each ACK that is lost makes a retry, as each collision does, and no frame is lost by it
    start, before, after = looks[0], looks[4], looks[-1]
    assert unexplained_retries(start, before, "sta1", "ap1") == 0
    assert unexplained_retries(before, after, "sta1", "ap1") == LOST
    assert grown_by(before, after, "sta1", "ap1")["dropped"] == 0
    assert unexplained_retries(before, after, "sta2", "ap2") == 0
    assert "35 received" in ran.raw("call@sta1.out")


BOTH_WAYS = """\
name: both-ways
roles: {server: 1, client: 1}
duration: 1500 ms
processes:
  - {on: server, run: {probe: udp-sink}, as: up-sink, ready: {listening: udp/9000}}
  - {on: client, run: {probe: udp-sink}, as: down-sink, ready: {listening: udp/9000}}
  - {on: client, run: {probe: udp-sender, to: "{server.ip}"}, as: up}
  - {on: server, run: {probe: udp-sender, to: "{client.ip}", every: 200 us}, as: down}
"""


def longest_bursts(ran: Ran) -> dict[str, int]:
    """How many datagrams of full size each radio sent at most in a row, SIFS and an ACK apart."""
    longest: dict[str, int] = {}
    sender, frames, end_ns = b"", 0, 0
    (path,) = (ran.directory / "raw").glob("air-*")
    for frame in air.frames(path):
        if frame.kind == air.DATA:
            # what begins before the end of another frame collides with it
            goes_on = frame.transmitter == sender and 0 <= frame.stamp_ns - end_ns <= SIFS_NS
            frames, sender = frames + 1 if goes_on else 1, frame.transmitter
            if len(frame.body) < UDP_BYTES:  # ARP and the like: more of them fit
                sender = b""
            else:
                longest[sender.hex(":")] = max(frames, longest.get(sender.hex(":"), 0))
        end_ns = air.end_ns([frame])
    return longest


@pytest.mark.parametrize(
    ("edca", "of_station", "of_access_point"),
    [
        ("{}", 1, 1),
        # two frames of 252 us, two ACKs of 28 us and three times SIFS take 608 us, four 1232 us
        ("{best_effort: {txop_limit: 608 us}}", 2, 2),
        ("{best_effort: {txop_limit: 1504 us}}", 4, 4),
        # the access point's own is 608 us: hostapd rounds it
        ("{best_effort: {txop_limit: 576 us}}", 1, 2),
        ("{voice: {txop_limit: 608 us}}", 1, 1),
    ],
)
def test_a_txop_limit_is_that_of_stations_and_access_point(
    boot: Callable[..., Ran], edca: str, of_station: int, of_access_point: int
) -> None:
    place = (
        "name: both-ways\ncountry: US\nmedium: {}\nnodes:\n  h1: {kind: host, roles: [server]}\n"
        f"  ap1: {{kind: ap, ssid: x, mode: a, channel: 36, wmm: true, rate: 54 Mbit/s, edca: {edca}}}\n"
        "  sta1: {kind: sta, roles: [client], rate: 54 Mbit/s}\nlinks: [{between: [h1, ap1]}]\n"
    )
    longest = longest_bursts(boot(place, BOTH_WAYS, pcap="air"))
    access_point, station = "02:00:01:00:02:00", "02:00:01:00:03:00"
    assert longest == {access_point: of_access_point, station: of_station}


def test_stations_learn_the_parameters(boot: Callable[..., Ran]) -> None:
    """As ``iw`` shows the WMM Parameter element of the beacons."""
    edca = "{voice: {aifsn: 3, cw_min: 7, cw_max: 31, txop_limit: 960 us}, background: {aifsn: 9}}"
    place = (
        f"name: heard\nmedium: {{}}\nnodes:\n  ap1: {{kind: ap, ssid: x, wmm: true, edca: {edca}}}\n"
        "  sta1: {kind: sta, roles: [client]}\n"
    )
    look = (
        "name: look\nroles: {client: 1}\nduration: 1 s\n"
        "timeline: [{at: 500 ms, exec: client, run: [iw, dev, sta1-wlan0, scan, dump]}]\n"
    )
    (heard,) = boot(place, look).outputs()
    for words in (
        "BE: CW 15-1023, AIFSN 3",
        "BK: CW 15-1023, AIFSN 9",
        "VI: CW 7-15, AIFSN 2, TXOP 3008 usec",
        "VO: CW 7-31, AIFSN 3, TXOP 960 usec",
    ):
        assert words in heard, heard
