# SPDX-License-Identifier: MIT
"""Networks 40 MHz wide, and what is on their secondary channel (IEEE 802.11-2020 11.15.9)."""

from __future__ import annotations

import json
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable
from itertools import combinations
from pathlib import Path

import pytest

from lab.captures import radiotap
from tests import air
from tests.air import DATA
from tests.system.conftest import Ran
from tests.system.test_air import SIFS_5GHZ_NS, ppdus

pytestmark = pytest.mark.guest

PIFS_NS = 25_000
CCA_NS = 4_000  # by then a frame is detected
WIDE = """\
name: wide
nodes:
  h1: {kind: host, roles: [server]}
  ap1: {kind: ap, ssid: wide, mode: n, channel: 36, width: 40 MHz, rate: MCS 4, position: [0 m, 0 m, 2 m]}
  sta1: {kind: sta, ssid: wide, roles: [client], rate: MCS 4, position: [0 m, 3 m, 1 m]}
"""
LINKS = "links: [{between: [h1, ap1]}]\nmedium: {}\n"
ACCESS_POINT = """\
  ap2: {kind: ap, ssid: other, mode: n, channel: 40, position: [3 m, 0 m, 2 m]}
"""
# hostapd, which looks for networks before it starts, does not find one of stations that start later
AD_HOC = """\
  sta2: {kind: sta, adhoc: {ssid: meeting, mode: a, channel: 40}, roles: [left], position: [3 m, 3 m, 1 m]}
  sta3: {kind: sta, adhoc: {ssid: meeting, mode: a, channel: 40}, roles: [right], position: [3 m, 0 m, 1 m]}
"""
TALK = """\
name: talk
roles: {server: 1, client: 1}
duration: 2 s
processes:
  - {on: client, run: {probe: ping, to: "{server.ip}", every: 100 ms, count: 10}, as: call}
timeline:
  - {at: 1500 ms, exec: sta1, run: [iw, dev, sta1-wlan0, link]}
  - {at: 1500 ms, exec: ap1, run: [iw, dev, ap1-wlan1, info]}
"""
BOTH = """\
name: both
roles: {server: 1, client: 1, left: 1, right: 1}
duration: 3 s
processes:
  - {on: client, run: {probe: udp-sink}, as: sink, ready: {listening: udp/9000}}
  - {on: right, run: {probe: udp-sink}, as: other, ready: {listening: udp/9000}}
  - {on: server, run: {probe: udp-sender, to: "{client.ip}", every: 700 us}, as: wide}
  - {on: left, run: {probe: udp-sender, to: "{right.ip}", every: 1500 us}, as: narrow}
"""


def test_a_network_next_to_one_on_its_secondary_channel_comes_up(boot: Callable[..., Ran]) -> None:
    """hostapd swaps the two channels of the wide one, and its station looks for it on both."""
    ran = boot(WIDE + ACCESS_POINT + LINKS, TALK)
    link, info = (event["output"] for event in json.loads((ran.directory / "guest.json").read_text())["events"])
    assert "freq: 5200" in link
    assert "channel 40 (5200 MHz), width: 40 MHz, center1: 5190 MHz" in info


def captured(ran: Ran, mhz: int) -> list[air.Frame]:
    (path,) = (ran.directory / "raw").glob(f"air-{mhz}*")
    return list(air.frames(Path(path)))


def is_wide(frame: air.Frame) -> bool:
    return "mcs" in frame.header and bool(frame.header["mcs"][1] & radiotap.MCS_40_MHZ)


def test_40_mhz_only_where_the_secondary_channel_was_idle(boot: Callable[..., Ran]) -> None:
    ran = boot(WIDE + AD_HOC + LINKS, BOTH, pcap="air")
    spans = [(frame.stamp_ns, air.end_ns([frame])) for frame in captured(ran, 5200)]
    starts, ends = zip(*spans, strict=True)
    widths = {True: 0, False: 0}
    for frame in captured(ran, 5180):
        if frame.kind != DATA or frame.receiver[0] & 1 or "mcs" not in frame.header:
            continue
        before = bisect_left(starts, frame.stamp_ns)
        idle = not any(end > frame.stamp_ns - PIFS_NS for end in ends[max(0, before - 3) : before])
        assert is_wide(frame) == idle, frame.stamp_ns
        widths[is_wide(frame)] += 1
    assert min(widths.values()) > 200


WEAK = "medium:\n  snr:\n" + "".join(
    f"  - {{between: [{one}, {other}], is: 25 dB}}\n" for one, other in combinations(("ap1", "sta1", "sta2", "sta3"), 2)
)


def test_who_has_only_the_secondary_channel_hears_wide_frames_begin(boot: Callable[..., Ran]) -> None:
    """By their preambles, which are in both channels; their energy, -72 dBm, keeps nobody silent.

    A wide frame that begins while it sends or receives, or between a frame and its answer, does not count.
    """
    place = re.sub(r", position: \[.*?\]", "", WIDE + AD_HOC)
    ran = boot(place + LINKS.replace("medium: {}\n", WEAK), BOTH, pcap="air")
    spans = [(frame.stamp_ns, air.end_ns([frame])) for frame in captured(ran, 5200)]
    heard = 0
    for ppdu in ppdus(captured(ran, 5180)):
        begin_ns, end_ns = ppdu[0].stamp_ns, air.end_ns(ppdu)
        before, after = bisect_right(spans, (begin_ns + CCA_NS,)), bisect_left(spans, (end_ns,))
        if is_wide(ppdu[0]) and all(end + SIFS_5GHZ_NS < begin_ns for _, end in spans[max(0, before - 2) : before]):
            assert before == after, begin_ns
            heard += 1
    assert heard > 100
