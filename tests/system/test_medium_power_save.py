# SPDX-License-Identifier: MIT
"""Power save: a station that dozes, and what its access point keeps for it (IEEE 802.11-2020 11.2.3)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import pairwise

import pytest

from tests import air
from tests.air import ACK, BEACON, DATA, Frame
from tests.system.conftest import Ran
from tests.system.test_medium_faults import AP, STA

pytestmark = pytest.mark.guest

Boot = Callable[..., Ran]
BEACON_MS = 102.4
NULL, PS_POLL, ACTION = 0x48, 0xA4, 0xD0  # type and subtype
PM, MORE_DATA = 0x10, 0x20  # flags of the second octet
EOSP = 0x10  # of the QoS control field

PLACE = """\
name: dozing
nodes:
  h1: {{kind: host, roles: [sender]}}
  ap1: {{kind: ap, ssid: x, mode: {mode}, channel: 36, bssid: "{ap}", rate: {rate}, wmm: {wmm}}}
  sta1: {{kind: sta, privileged: true, mac: "{sta}", roles: [receiver], rate: {rate}, power_save: {power_save}}}
links: [{{between: [h1, ap1]}}]
medium: {{retries: 20}}
"""
ATTEMPTS = 20
WORK = """\
name: dozing
roles: {{sender: 1, receiver: 1}}
duration: {seconds} s
processes:
  - {{on: receiver, run: {{probe: udp-sink}}, as: sink, ready: {{listening: udp/9000}}}}
  - {{on: sender, run: {{probe: udp-sender, to: "{{receiver.ip}}", {sender}}}, as: load}}
"""
MOUNT = "  - {at: 100 ms, exec: sta1, run: [sh, -c, 'mkdir /tmp/d && mount -t debugfs none /tmp/d']}\n"


def place(mode: str = "a", rate: str = "24 Mbit/s", power_save: str = "false", wmm: str = "null") -> str:
    return PLACE.format(mode=mode, rate=rate, power_save=power_save, wmm=wmm, ap=AP, sta=STA)


def sequence(ran: Ran, since_s: float) -> list[Frame]:
    (path,) = (ran.directory / "raw").glob("air-*")
    begin_ns = ran.guest()["epoch_ns"] + since_s * 10**9
    return [frame for frame in air.frames(path) if frame.stamp_ns >= begin_ns]


def is_from(frame: Frame, address: str) -> bool:
    return frame.kind != ACK and frame.transmitter.hex(":") == address


def tim(beacon: Frame) -> bytes:
    """DTIM count, DTIM period, bitmap control, partial virtual bitmap (9.4.2.5)."""
    rest = beacon.body[36:]
    while rest[0] != 5:
        rest = rest[2 + rest[1] :]
    return rest[2 : 2 + rest[1]]


def test_who_dozes_gets_its_frames_after_a_beacon_that_says_so(boot: Boot) -> None:
    """With mac80211's own power save: it wakes by a null frame, and dozes again when nothing came for 100 ms."""
    load = WORK.format(seconds=9, sender="size: 1000 B, every: 330 ms, phase: 5 ms, count: 20")
    ran = boot(place(power_save="true"), load, pcap="air")
    flow = ran.flows()["load"]
    assert (flow["packets"], flow["lost"]) == (20, 0)
    dozes, waited, announced = False, 0, False
    for frame in sequence(ran, 2):
        if is_from(frame, STA):
            if dozes and frame.body[0] == NULL and not frame.body[1] & PM:
                assert announced
                waited += 1
            dozes = bool(frame.body[1] & PM)
        elif frame.kind == DATA and not frame.receiver[0] & 1:
            assert not dozes
        elif frame.kind == BEACON:
            announced = bool(tim(frame)[3] & 1 << 1)  # association ID 1
    assert waited > 12
    # it waits for a beacon: some hardly, some almost a beacon interval
    assert flow["delay_max_ns"] > 0.8 * BEACON_MS * 1e6
    assert flow["delay_max_ns"] < 1.1 * BEACON_MS * 1e6


BUSY = f"""\
name: busy
nodes:
  h1: {{kind: host, roles: [server]}}
  ap1: {{kind: ap, ssid: x, mode: a, channel: 36, bssid: "{AP}", rate: 24 Mbit/s}}
  sta1: {{kind: sta, mac: "{STA}", roles: [client], rate: 24 Mbit/s, power_save: true}}
  sta2: {{kind: sta, roles: [loader], rate: 6 Mbit/s}}
  sta3: {{kind: sta, roles: [loader], rate: 6 Mbit/s}}
links: [{{between: [h1, ap1]}}]
medium: {{}}
"""
RACES = """\
name: races
roles: {server: 1, client: 1, loader: 1..}
duration: 14 s
processes:
  - {on: client, run: {probe: udp-sink}, as: sink, ready: {listening: udp/9000}}
  - {on: server, run: {probe: udp-sink}, as: server, ready: {listening: udp/9000}}
  - {on: client, at: 1 s, run: {probe: udp-sender, to: "{server.ip}", size: 200 B, every: 103 ms, count: COUNT}, as: up}
  - {on: loader, at: 1 s, run: {probe: udp-sender, to: "{server.ip}", size: 1400 B}, as: load}
  - {on: server, at: 2 s, run: {probe: udp-sender, to: "{client.ip}", size: 500 B, every: 290 ms, count: 36}, as: down}
"""


@pytest.mark.parametrize("count", [40, 60])
def test_what_was_on_its_way_into_sleep_wakes_nobody(boot: Boot, count: int) -> None:
    """mac80211 falls asleep 100 ms after the last packet: by then, the next one is on its way."""
    ran = boot(BUSY, RACES.replace("COUNT", str(count)), pcap="air")
    marked = [f for f in sequence(ran, 1) if is_from(f, STA) and f.body[0] != NULL and f.body[1] & PM]
    assert len(marked) > 3
    flow = ran.flows()["down"]
    assert (flow["packets"], flow["lost"]) == (36, 0)


@pytest.mark.parametrize("mode", ["a", "g"])
def test_group_frames_do_not_delay_beacons(boot: Boot, mode: str) -> None:
    """More of them follow a beacon than can be sent before the next: each says so, and all arrive."""
    count = 110
    receiver = (
        "import socket;s=socket.socket(2,2);s.bind(('',9001));s.settimeout(5)\\n"
        f"for n in range({count}): s.recv(2000)\\n"
        "print('all')"
    )
    sender = (
        "import socket;s=socket.socket(2,2);s.setsockopt(1,6,1);s.connect(('10.255.255.255',9001))\\n"
        f"for n in range({count}): s.send(bytes(1000))"
    )
    work = (
        "name: dozing\nroles: {sender: 1, receiver: 1}\nduration: 6 s\nprocesses:\n"
        f'  - {{on: receiver, at: 1 s, run: [python3, -c, "{receiver}"], as: listener}}\n'
        f'  - {{on: sender, at: 2 s, run: [python3, -c, "{sender}"], as: caller}}\n'
    )
    channel = {"a": 36, "g": 1}[mode]
    # a station that has just sent a report of its IPv6 groups would be awake, and nothing would wait for a beacon
    quiet = f'mac: "{STA}", sysctls: {{net.ipv6.conf.all.disable_ipv6: 1}}'
    topology = place(mode, power_save="true").replace(f'mac: "{STA}"', quiet)
    ran = boot(topology.replace("channel: 36", f"channel: {channel}"), work, pcap="air")
    assert ran.raw("listener.out") == "all\n"
    frames = sequence(ran, 1)
    beacons = [frame.stamp_ns for frame in frames if frame.kind == BEACON]
    assert all(abs(after - before - BEACON_MS * 1e6) < 12e6 for before, after in pairwise(beacons))
    follow = False
    for frame in frames:
        if frame.kind == BEACON:
            follow = bool(tim(frame)[2] & 1)
        elif is_group(frame) and frame.stamp_ns > beacons[10]:
            assert follow


def test_who_is_awake_does_not_wait(boot: Boot) -> None:
    load = WORK.format(seconds=9, sender="size: 1000 B, every: 330 ms, phase: 5 ms, count: 20")
    assert boot(place(), load).flows()["load"]["delay_max_ns"] < 5e6


def test_group_frames_follow_a_dtim_beacon(boot: Boot) -> None:
    """As long as one station dozes, and that one hears them."""
    receiver = (
        "import socket;s=socket.socket(2,2);s.bind(('',9001));s.settimeout(20)\\n"
        "for n in range(10): s.recv(99)\\n"
        "print('all')"
    )
    send = "import socket;s=socket.socket(2,2);s.setsockopt(1,6,1);s.sendto(bytes(50),('10.255.255.255',9001))"
    work = (
        "name: dozing\nroles: {sender: 1, receiver: 1}\nduration: 6 s\nprocesses:\n"
        f'  - {{on: receiver, run: [python3, -c, "{receiver}"], as: listener}}\n'
        "timeline:\n"
        + "".join(
            f'  - {{at: {at_ms} ms, exec: h1, run: [python3, -c, "{send}"]}}\n' for at_ms in range(2000, 3300, 130)
        )
    )
    ran = boot(place(power_save="true"), work, pcap="air")
    assert ran.raw("listener.out") == "all\n"
    frames = sequence(ran, 0)
    dozes, found = False, 0
    for number, frame in enumerate(frames):
        if is_from(frame, STA):
            dozes = bool(frame.body[1] & PM)
        if not dozes or not is_group(frame):
            continue
        found += 1
        before = number
        while is_group(frames[before]):
            before -= 1
        assert frames[before].kind == BEACON
        assert tim(frames[before])[0] == 0 and tim(frames[before])[2] & 1
        assert bool(frame.body[1] & MORE_DATA) == is_group(frames[number + 1])
    assert found >= 8


def is_group(frame: Frame) -> bool:
    return frame.kind == DATA and bool(frame.receiver[0] & 1) and is_from(frame, AP)


BURST = "size: 1400 B, every: 50 us, count: 150"
# it begins at 2 s, and the station dozes in the middle of it
DOZES = WORK.format(seconds=5, sender=BURST).replace("as: load", "at: 1 s, as: load") + f"timeline:\n{MOUNT}"
ASLEEP_MS = 2015


def by_itself(at_ms: int, value: int) -> str:
    """An event: the station dozes (1), polls (3), or is awake (0)."""
    return f"  - {{at: {at_ms} ms, exec: sta1, run: [sh, -c, 'echo {value} > /tmp/d/ieee80211/phy1/hwsim/ps']}}\n"


# mac80211's stations with hwsim do not ask for U-APSD, so a monitor on the same radio sends the frames of one that does
INJECT = """\
import socket, sys
what, ap, sta = sys.argv[1], bytes.fromhex(sys.argv[2]), bytes.fromhex(sys.argv[3])
wire = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
wire.bind(("mon0", 3))  # all protocols
wire.settimeout(1)
def service_ends():
    while True:
        heard = wire.recv(4096)
        frame = heard[int.from_bytes(heard[2:4], "little"):]  # behind the radiotap header
        if frame[0] & 0x8C == 0x88 and frame[4:16] == sta + ap and frame[24] & 0x10:  # QoS, EOSP
            return
def send(control, body):
    wire.send(bytes([0, 0, 8, 0, 0, 0, 0, 0]) + control + bytes(2) + ap + sta + ap + body)
if what == "join":
    # reassociation; WMM: all categories are delivery-enabled, at most two frames in a service period
    rates, wmm = bytes([1, 8, 0x8C, 18, 0x98, 36, 0xB0, 72, 96, 108]), bytes([221, 7, 0, 0x50, 0xF2, 2, 0, 1, 0x2F])
    send(bytes([0x20, 0]), bytes(2) + bytes([1, 0, 1, 0]) + ap + bytes([0, 1]) + b"x" + rates + wmm)
elif what == "delba":
    send(bytes([0xD0, 0x10]), bytes([0, 1, 3, 2, 0, 0, 1, 0]))  # as recipient, of TID 0
else:
    for number in range(int(what)):
        send(bytes([0xC8, 0x11]), bytes([0, number, 6, 0]))  # QoS null with PM, voice
        service_ends()
"""
INJECTOR = "files:\n  injector:\n    on: receiver\n    path: /tmp/inject.py\n    text: |\n" + "".join(
    f"      {line}\n" for line in INJECT.splitlines()
)


def inject(at_ms: int, what: str) -> str:
    """Events: frames of the station that mac80211 does not send."""
    run = f"python3 /tmp/inject.py {what} {AP.replace(':', '')} {STA.replace(':', '')}"
    add = "iw phy phy1 interface add mon0 type monitor && ip link set mon0 up"
    return f"  - {{at: {at_ms} ms, exec: sta1, run: [sh, -c, 'test -e /sys/class/net/mon0 || ({add}); {run}']}}\n"


def answers(frames: list[Frame], subtype: int) -> list[list[Frame]]:
    """What the access point sent to the station after each such frame, before the next; not to a group."""
    asked = [number for number, frame in enumerate(frames) if frame.body[0] == subtype and is_from(frame, STA)]
    return [
        [f for f in frames[first:last] if f.kind == DATA and is_from(f, AP) and not f.receiver[0] & 1]
        for first, last in pairwise(asked)
    ]


@pytest.mark.parametrize("mode", ["a", "n"])
def test_who_polls_gets_one_frame(boot: Boot, mode: str) -> None:
    """In mode n, too, where frames of an A-MPDU wait that was not acknowledged."""
    rate = {"a": "24 Mbit/s", "n": "MCS 0"}[mode]
    polls_ms = range(3000, 3600, 20)
    events = by_itself(ASLEEP_MS, 1) + "".join(by_itself(at_ms, 3) for at_ms in polls_ms)
    ran = boot(place(mode, rate), DOZES + events, pcap="air")
    frames = sequence(ran, 2.1)
    beacon = next(frame for frame in frames if frame.kind == BEACON)
    assert tim(beacon)[3] & 1 << 1
    found = answers(frames, PS_POLL)
    assert [len(some) for some in found] == [1] * (len(polls_ms) - 1)
    assert all(some[0].body[1] & MORE_DATA for some in found)
    assert len({some[0].sequence for some in found}) == len(found)
    # nothing comes without being asked for
    first = next(number for number, frame in enumerate(frames) if frame.body[0] == PS_POLL)
    assert not [frame for frame in frames[:first] if frame.kind == DATA and is_from(frame, AP)]


@pytest.mark.parametrize(("losses", "arrive"), [(18, 12), (33, 11)])
def test_what_is_polled_for_is_repeated_however_long_it_waited(boot: Boot, losses: int, arrive: int) -> None:
    """Its lifetime does not end while it is kept. After 20 attempts it is given up: the next poll brings the next."""
    lose = f"  - {{at: 1990 ms, fault: lose, frames: data, from: ap1, to: sta1, count: {losses}}}\n"
    polls = "".join(by_itself(at_ms, 3) for at_ms in range(3000, 3300, 20))
    work = DOZES.replace("count: 150", "count: 12") + lose + by_itself(2002, 1) + polls
    ran = boot(place("n", "MCS 7"), work, pcap="air")
    # of the first A-MPDU, which has those that have come by then, and of the second, which has all
    before = Counter(f.sequence for f in sequence(ran, 1.99) if f.kind == DATA and f.stamp_ns < asleep_ns(ran))
    assert set(before) == set(range(1, 13))
    left, expected = losses - before.total(), []
    for number in range(1, 13):
        times = min(left + 1, ATTEMPTS - before[number])
        left = max(0, left - times)
        expected.append([number] * times)
    assert len(expected[0]) > 1 and (len(expected[0]) + before[1] == ATTEMPTS) == (arrive < 12)
    found = [[frame.sequence for frame in some] for some in answers(sequence(ran, 2.1), PS_POLL)]
    assert found[:12] == expected
    assert ran.flows()["load"]["packets"] == arrive


def asleep_ns(ran: Ran) -> int:
    """When the station said that it dozes."""
    return next(frame.stamp_ns for frame in sequence(ran, 1.99) if is_from(frame, STA) and frame.body[1] & PM)


def test_a_session_that_ends_keeps_its_frames(boot: Boot) -> None:
    """Those that had to be sent again, and those behind them that mac80211 then offers."""
    polls_ms = range(3000, 4500, 20)
    lose = "  - {at: 1990 ms, fault: lose, frames: data, from: ap1, to: sta1, count: 25}\n"
    events = lose + by_itself(ASLEEP_MS, 1) + inject(2500, "delba") + "".join(by_itself(at_ms, 3) for at_ms in polls_ms)
    work = DOZES.replace("count: 150", "count: 60") + events + INJECTOR
    ran = boot(place("n", "MCS 1"), work, pcap="air")
    frames = sequence(ran, 2.1)
    first = next(number for number, frame in enumerate(frames) if frame.body[0] == PS_POLL)
    assert [frame for frame in frames[:first] if frame.body[0] == ACTION and is_from(frame, STA)]
    assert not [frame for frame in frames[:first] if frame.kind == DATA and is_from(frame, AP)]
    found = [{frame.sequence: frame for frame in some} for some in answers(frames, PS_POLL)]
    assert all(len(some) <= 1 for some in found)
    kept = [frame for some in found for frame in some.values() if not frame.body[0] & 0x40]
    assert len(kept) > 25
    # in the order in which they were numbered
    assert [frame.sequence for frame in kept] == sorted({frame.sequence for frame in kept})
    assert [bool(frame.body[1] & MORE_DATA) for frame in kept] == [True] * (len(kept) - 1) + [False]
    assert not tim([frame for frame in frames if frame.kind == BEACON][-1])[3] & 1 << 1


@pytest.mark.parametrize(
    ("mode", "rate", "count", "asleep_ms", "for_ms", "lost"),
    [
        ("a", "24 Mbit/s", 60, ASLEEP_MS, 70, "share: 30 %, count: 100000"),
        ("n", "MCS 1", 60, ASLEEP_MS, 70, "share: 30 %, count: 100000"),
        ("n", "MCS 7", 12, 2002, 70, "count: 100"),  # mac80211 has none left: all are to be sent again
        ("n", "MCS 7", 12, 2002, 900, "count: 100"),  # longer than the lifetime of a frame
    ],
)
def test_who_wakes_gets_the_rest_at_once(
    boot: Boot, mode: str, rate: str, count: int, asleep_ms: int, for_ms: int, lost: str
) -> None:
    """What was to be sent again waits for no new traffic; and of what was on the air nothing is lost.

    In mode n it would be after 100 ms: then the receiver has stopped to wait for it (mac80211's reorder buffer).
    """
    fault = f"  - {{at: 1990 ms, fault: lose, frames: data, from: ap1, to: sta1, {lost}}}\n"
    events = fault + by_itself(asleep_ms, 1) + by_itself(asleep_ms + for_ms, 0)
    work = DOZES.replace("count: 150", f"count: {count}") + events
    ran = boot(place(mode, rate), work, pcap="air")
    flow = ran.flows()["load"]
    assert (flow["packets"], flow["lost"]) == (count, 0)
    assert (for_ms - 10) * 1e6 < flow["delay_max_ns"] < (for_ms + 130) * 1e6
    frames = sequence(ran, 2)
    nulls = [number for number, frame in enumerate(frames) if frame.kind == DATA and frame.body[0] == NULL]
    dozes = max(number for number in nulls if frames[number].body[1] & PM)
    wakes = next(number for number in nulls if number > dozes and not frames[number].body[1] & PM)
    assert not [frame for frame in frames[dozes:wakes] if frame.kind == DATA and is_from(frame, AP)]


def test_a_trigger_frame_brings_what_is_kept(boot: Boot) -> None:
    """U-APSD, two frames a service period: the second one ends it."""
    count = 20
    work = (
        DOZES.replace(BURST, f"{BURST}, tos: 192")
        + inject(400, "join")
        + by_itself(ASLEEP_MS, 1)
        + inject(3000, str(count))
        + INJECTOR
    )
    ran = boot(place(wmm="true"), work, pcap="air")
    found = answers(sequence(ran, 2.9), 0xC8)
    assert len(found) == count - 1
    for first, last in found:
        assert first.body[1] & MORE_DATA and not first.body[24] & EOSP
        assert last.body[24] & EOSP
