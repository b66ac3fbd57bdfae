# SPDX-License-Identifier: MIT
"""Whose beacons are on the air, and what an access point still says before it leaves its channel."""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Callable
from itertools import pairwise

import pytest

from tests import air
from tests.air import BEACON, Frame
from tests.system.conftest import Ran

pytestmark = pytest.mark.guest

SECOND_NS = 1_000_000_000
INTERVAL_NS = 102_400_000
PROBE_RESPONSE = 0x50  # the first octet of frame control, 9.2.4.1.3
CELL = bytes.fromhex("02caffeeba01")  # the default BSSID
CHANNEL_SWITCH = 37  # element ID of a Channel Switch Announcement, 9.4.2.1


def beacons(ran: Ran, frequency_mhz: int) -> list[Frame]:
    """The beacons on a channel."""
    return [
        frame for frame in air.frames(ran.directory / "raw" / f"air-{frequency_mhz}.pcapng") if frame.kind == BEACON
    ]


def events(ran: Ran) -> list[tuple[int, str]]:
    """What wpa_supplicant reported: ns since the start of the timeline, and text."""
    lines = (line.split(" ", 1) for line in ran.raw("events.out").splitlines())
    return [(int(stamp_ns), text) for stamp_ns, text in lines]


def first_ns(ran: Ran, what: str, since_ns: int = 0) -> int:
    """When wpa_supplicant first reported something."""
    return next(stamp_ns for stamp_ns, text in events(ran) if what in text and stamp_ns >= since_ns)


MEMBERS = 5
AD_HOC = "name: five\nmedium: {}\nnodes:\n" + "".join(
    f"  sta{number}: {{kind: sta, adhoc: {{ssid: meeting, channel: 5}}}}\n" for number in range(1, MEMBERS + 1)
)
# the last 20 s of 40 are without sta1
LEAVE = "name: leave\nduration: 40 s\ntimeline:\n  - {at: 20 s, exec: sta1, run: [ip, link, set, sta1-wlan0, down]}\n"


def test_one_member_of_an_ad_hoc_network_sends_each_beacon(boot: Callable[..., Ran]) -> None:
    """At each TBTT the member with the shortest random delay sends it, and the others then need not (11.1.3.5).

    Delays are 0 to 30 slots: two of five members draw the same shortest one in 8 % of the cases. It is a little more
    often, since their clocks differ by some microseconds, and a slot notices what begins in its first fourth only.
    """
    ran = boot(AD_HOC, LEAVE, pcap="air")
    began_ns = ran.guest()["epoch_ns"]
    for members, from_s, to_s in ((5, 2, 19), (4, 21, 39)):
        found = [b for b in beacons(ran, 2432) if from_s <= (b.stamp_ns - began_ns) / SECOND_NS < to_s]
        intervals = (to_s - from_s) * SECOND_NS / INTERVAL_NS
        alone = [beacon for beacon in found if not beacon.damaged]
        assert 0.8 * intervals < len(alone) <= intervals + 1
        assert len(found) < 1.25 * intervals
        shares = Counter(beacon.transmitter for beacon in found)
        assert len(shares) == members
        assert all(0.6 < share * members / len(found) < 1.5 for share in shares.values())


def test_members_of_an_ad_hoc_network_keep_the_latest_time(boot: Callable[..., Ran]) -> None:
    """Their clocks start anywhere, and drift: beacons agree all the same, and TBTTs follow them (11.1.3.7)."""
    found = beacons(boot(AD_HOC, "name: idle\nduration: 20 s\n", pcap="air"), 2432)
    joined = [beacon for beacon in found if beacon.stamp_ns > found[0].stamp_ns + SECOND_NS]
    stamps_us = [int(struct.unpack_from("<Q", beacon.body, 24)[0]) for beacon in joined]
    offsets_us = [stamp_us - beacon.stamp_ns // 1000 for stamp_us, beacon in zip(stamps_us, joined, strict=True)]
    assert max(abs(after - before) for before, after in pairwise(offsets_us)) < 100  # the fastest one is not the next
    # preamble and MAC header take 384 us at 1 Mbit/s; DIFS and the longest delay, 30 slots, take 650 us
    assert all(380 <= stamp_us % (INTERVAL_NS // 1000) < 384 + 650 + 100 for stamp_us in stamps_us)


SCANNER = "  ap1: {kind: ap, ssid: campus, channel: 5}\n  sta9: {kind: sta, ssid: campus}\n"
SCANS = 10
ASK = "name: ask\nduration: 12 s\ntimeline:\n" + "".join(
    f"  - {{at: {second} s, exec: sta9, run: [iw, dev, sta9-wlan0, scan, freq, '2432', ssid, meeting]}}\n"
    for second in range(1, SCANS + 1)
)


def test_the_member_that_sent_the_last_beacon_answers(boot: Callable[..., Ran]) -> None:
    """Probe requests for all have one answer, not one of each member (11.1.4.3.4)."""
    ran = boot(AD_HOC + SCANNER, ASK, pcap="air")
    last: set[bytes] = set()  # of beacons that collide, each sender takes its own for the last one
    responders = []
    for frame in air.frames(ran.directory / "raw" / "air-2432.pcapng"):
        if frame.body[16:22] != CELL:
            continue
        if frame.kind == BEACON:
            last = last | {frame.transmitter} if frame.damaged else {frame.transmitter}
        elif frame.body[0] == PROBE_RESPONSE and not frame.damaged:
            responders.append(frame.transmitter)
            assert frame.transmitter in last
    assert SCANS <= len(responders) <= 2 * SCANS  # each scan asks twice
    assert len(set(responders)) > 1


SWITCH = """\
name: switch
country: US
nodes:
  ap1: {kind: ap, ssid: campus, mode: a, channel: 36}
  sta1: {kind: sta, roles: [client]}
medium: {}
timeline:
  - {at: 1 s, exec: ap1, run: [hostapd_cli, -i, ap1-wlan1, chan_switch, "COUNT", "5200"]}
"""
LISTEN = "name: listen\nduration: 4 s\nroles: {client: 1}\nprobes: [{on: client, probe: wpa-events, as: events}]\n"


def countdown(beacon: Frame) -> int | None:
    """The Channel Switch Count of a beacon (9.4.2.18)."""
    rest = beacon.body[36:]
    while rest:
        if rest[0] == CHANNEL_SWITCH:
            return rest[4]
        rest = rest[2 + rest[1] :]
    return None


@pytest.mark.parametrize("count", [2, 5])
def test_all_beacons_announce_a_channel_switch(boot: Callable[..., Ran], count: int) -> None:
    """The last one, which counts 1, goes out one interval before the switch; the station follows without a scan."""
    ran = boot(SWITCH.replace("COUNT", str(count)), LISTEN, pcap="air")
    counts = [countdown(beacon) for beacon in beacons(ran, 5180)]
    assert [number for number in counts if number is not None] == list(range(count - 1, 0, -1))
    assert counts[-1] == 1
    last, first = beacons(ran, 5180)[-1], beacons(ran, 5200)[0]
    assert first.stamp_ns - last.stamp_ns == pytest.approx(2 * INTERVAL_NS, abs=2e6)
    assert not [text for _, text in events(ran) if "DISCONNECTED" in text or "SCAN" in text]
    assert [text for _, text in events(ran) if "CTRL-EVENT-CHANNEL-SWITCH freq=5200" in text]


MISSED = "  - {at: 900 ms, fault: lose, frames: beacon, to: sta1, count: 5}\n"
AWAY = "".join(
    f"  - {{at: {at}, exec: sta1, run: [wpa_cli, -i, sta1-wlan0, {command}]}}\n"
    for at, command in (("500 ms", "disconnect"), ("2 s", "reconnect"))
)


@pytest.mark.parametrize(
    ("then", "medium"),
    [(MISSED, "medium: {}\n"), (AWAY, "medium: {}\n"), (AWAY, "")],
    ids=["missed", "away", "perfect"],
)
def test_a_station_finds_an_access_point_that_has_switched(boot: Callable[..., Ran], then: str, medium: str) -> None:
    """Without having heard the announcement, although it scans only the channels of its network."""
    ran = boot(SWITCH.replace("COUNT", "2").replace("medium: {}\n", medium) + then, LISTEN)
    assert "freq=5200" in [text for _, text in events(ran) if "Trying to associate" in text][-1]
    assert first_ns(ran, "CTRL-EVENT-CONNECTED") < 3 * SECOND_NS


CALLS = """\
name: calls
duration: 4 s
roles: {client: 1, host: 1}
processes:
  - {on: client, run: {probe: udp-sink}, as: sink, ready: {listening: udp/9000}}
  - {on: host, run: {probe: udp-sink}, as: host-sink, ready: {listening: udp/9000}}
  - {on: host, run: {probe: udp-sender, to: "{client.ip}", every: 4 ms, count: 500}, as: down}
  - {on: client, run: {probe: udp-sender, to: "{host.ip}", every: 4 ms, count: 500}, as: up}
"""
ATTEMPTS = 7  # with a fixed rate


def sent(ran: Ran, frequency_mhz: int) -> Counter[tuple[bytes, int]]:
    """How often each data frame was sent on a channel, by sender and sequence number."""
    frames = air.frames(ran.directory / "raw" / f"air-{frequency_mhz}.pcapng")
    return Counter((frame.transmitter, frame.sequence) for frame in frames if frame.wants_ack)


@pytest.mark.parametrize("mode", ["", "blocktx"])
def test_who_leaves_first_at_a_channel_switch_misses_frames(boot: Callable[..., Ran], mode: str) -> None:
    """mac80211's station leaves when it hears the last announcement, its access point one beacon interval later.

    The station counts as in ieee80211_sta_process_chanswitch(), the access point as in 9.4.2.18 and in drivers such as
    ath9k. What one sends to the other in that interval fails. With the mode that forbids to send, it waits instead.
    """
    switch = SWITCH.replace("36}", "36, rate: 24 Mbit/s}").replace("[client]}", "[client], rate: 24 Mbit/s}")
    switch = switch.replace("nodes:\n", "nodes:\n  h1: {kind: host, roles: [host]}\n").replace("COUNT", "3")
    switch = switch.replace('"5200"', f'"5200", {mode}' if mode else '"5200"') + "links: [{between: [h1, ap1]}]\n"
    ran = boot(switch, CALLS, pcap="air")
    flows = ran.flows("sink")["down"], ran.flows("host-sink")["up"]
    old, new = sent(ran, 5180), sent(ran, 5200)
    given_up = [frame for frame, times in (old + new).items() if times == ATTEMPTS]
    assert len(given_up) == sum(flow["lost"] for flow in flows)
    if mode:
        assert not given_up and all(102.4e6 < flow["delay_max_ns"] < 350e6 for flow in flows)
        return
    access_point, station = (bytes.fromhex(f"02000100{number:02x}00") for number in (2, 3))
    senders = {(sender, bool(old[sender, number])) for sender, number in given_up}
    assert senders == {(access_point, True), (station, False)}
    assert all(5 <= flow["lost"] <= 102.4 / 4 for flow in flows)


FAREWELL = """\
name: farewell
nodes:
  ap1: {kind: ap, ssid: campus, channel: 6}
  sta1: {kind: sta, roles: [client]}
medium: {}
timeline:
  - {at: 1 s, exec: ap1, run: [hostapd_cli, -i, ap1-wlan1, disable]}
"""


def test_an_access_point_that_stops_says_so(boot: Callable[..., Ran]) -> None:
    """Its stations hear the Deauthentication; by missing beacons they would notice 0.8 s later."""
    ran = boot(FAREWELL, LISTEN)
    assert 0 < first_ns(ran, "CTRL-EVENT-DISCONNECTED") - SECOND_NS < 10_000_000
    assert "reason=3" in next(text for _, text in events(ran) if "DISCONNECTED" in text)


REJECTION = """\
name: rejection
nodes:
  ap1: {kind: ap, ssid: campus, encrypt: wpa3, passwd: espresso}
  sta1: {kind: sta, roles: [client]}
medium: {}
timeline:
  - {at: 5 s, power: ap1, to: off}
  - {at: 8 s, power: ap1, to: on}
"""


@pytest.mark.parametrize("seed", [1, 2])
def test_a_rejected_station_tries_again_at_once(boot: Callable[..., Ran], seed: int) -> None:
    """It presents a key that the access point has forgotten, and is rejected: after that it authenticates anew.

    The radio leaves the channel with the rejection, and is back before its ACK has ended.
    """
    ran = boot(REJECTION, LISTEN.replace("4 s", "16 s"), seed=seed)
    rejected_ns = first_ns(ran, "CTRL-EVENT-ASSOC-REJECT")
    assert first_ns(ran, "CTRL-EVENT-CONNECTED", rejected_ns) - rejected_ns < 50_000_000
