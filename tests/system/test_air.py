# SPDX-License-Identifier: MIT
"""``lab run --pcap air``: the capture has what 802.11 prescribes, to the nanosecond, and nothing is missing."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import pairwise

import pytest

from lab.captures.split import COLLISION
from tests import air
from tests.air import ACK, BA, BEACON, CTS, DATA, RTS, Frame
from tests.system.conftest import Ran

pytestmark = pytest.mark.guest

SIFS_2GHZ_NS, SIFS_5GHZ_NS = 10_000, 16_000

# three stations that hear each other, so they collide as often as slots are equal
TOPOLOGY = """\
name: busy
country: US
medium: {}
nodes:
  h1: {kind: host, roles: [server]}
  ap1: {kind: ap, ssid: x, MODE}
  sta1: {kind: sta, roles: [client]}
  sta2: {kind: sta, roles: [client]}
  sta3: {kind: sta, roles: [client]}
links: [{between: [h1, ap1]}]
timeline:
  - {at: 100 ms, exec: sta3, run: [iw, phy, phy3, set, rts, "500"]}
"""
# echoes, so that there is data in both directions; it ends before the run does
ECHO = (
    "import socket;s=socket.socket(2,2);s.bind(('',9))\\n"
    "while 1:\\n d,a=s.recvfrom(2000)\\n if a[1]%5:s.sendto(d[:700],a)"
)
COUNT = 200
SENDER = (
    "import socket,time;s=socket.socket(2,2);s.setsockopt(1,7,30000);s.connect(('10.0.0.1',9))\\n"
    "while '0x2' not in open('/proc/net/arp').read():\\n s.send(b'');time.sleep(.1)\\n"
    f"for i in range({COUNT}):s.send(b'x'*1400)"
)
WORKLOAD = f"""\
name: echoes
roles: {{server: 1, client: 1..}}
duration: 4 s
processes:
  - {{on: server, run: [python3, -c, "{ECHO}"], as: echo, ready: {{listening: udp/9}}}}
  - {{on: client, at: 1 s, run: [python3, -c, "{SENDER}"], as: sender}}
"""


def topology(mode: str) -> str:
    return TOPOLOGY.replace("MODE", mode)


def capture(ran: Ran, frequency_mhz: int) -> list[Frame]:
    """The one capture of a run, which must be of that channel, in the order of time."""
    assert not (ran.directory / "raw" / "air.unsplit").exists()
    (path,) = (ran.directory / "raw").glob("air-*")
    assert path.name == f"air-{frequency_mhz}.pcapng"
    frames = air.frames(path)
    assert all(before.stamp_ns <= after.stamp_ns for before, after in pairwise(frames))
    for frame in frames:
        assert frame.header["channel"][0] == frequency_mhz
        assert (frame.comment == COLLISION) == frame.damaged
    return frames


def ppdus(frames: list[Frame]) -> Iterator[list[Frame]]:
    """Frames by the transmission that they were part of."""
    current: list[Frame] = []
    for frame in frames:
        if current and (frame.aggregate is None or frame.aggregate != current[0].aggregate):
            yield current
            current = []
        current.append(frame)
    yield current


def follows(frames: list[Frame], what: list[Frame], sifs_ns: int) -> Frame | None:
    """The frame to the sender of ``what`` that begins SIFS after its end."""
    begin_ns = air.end_ns(what) + sifs_ns
    found = [frame for frame in frames if frame.stamp_ns == begin_ns and frame.receiver == what[0].transmitter]
    return found[0] if found else None


CONTROL = 1  # the type of frames that the medium does not count: ACK, RTS, BlockAckReq


def counted(ran: Ran) -> int:
    """MPDUs from one node to another that the medium counted during the timeline."""
    looks = json.loads(ran.raw("medium.json"))["looks"]
    first, last = (sum(link["sent"] for link in look["links"]) for look in (looks[0], looks[-1]))
    return int(last - first)


def shown(ran: Ran, frames: list[Frame]) -> int:
    """How many of them the capture shows: those that ended between the first look and the last."""
    looks = json.loads(ran.raw("medium.json"))["looks"]
    first_ns, last_ns = (ran.guest()["epoch_ns"] + look["t_ns"] for look in (looks[0], looks[-1]))
    return sum(
        first_ns < air.end_ns(ppdu) <= last_ns and not frame.receiver[0] & 1
        for ppdu in ppdus(frames)
        for frame in ppdu
        if frame.body[0] >> 2 & 3 != CONTROL
    )


@pytest.mark.parametrize(
    ("mode", "frequency_mhz", "sifs_ns"),
    [
        ("mode: b, channel: 1", 2412, SIFS_2GHZ_NS),
        ("mode: g, channel: 6", 2437, SIFS_2GHZ_NS),
        ("mode: a, channel: 36", 5180, SIFS_5GHZ_NS),
    ],
)
def test_each_data_frame_is_answered_after_sifs(
    boot: Callable[..., Ran], mode: str, frequency_mhz: int, sifs_ns: int
) -> None:
    ran = boot(topology(mode), WORKLOAD, pcap="air")
    frames = capture(ran, frequency_mhz)

    answered = 0
    for position, frame in enumerate(frames):
        if frame.damaged:
            continue
        near = frames[position + 1 : position + 6]  # what follows may be damaged
        if frame.wants_ack:
            answer = follows(near, [frame], sifs_ns)
            assert answer is not None and answer.kind == ACK, frame
            answered += 1
        if frame.kind == CTS:
            sent = [other for other in near if other.stamp_ns == air.end_ns([frame]) + sifs_ns]
            assert [other.transmitter for other in sent] == [frame.receiver]
    assert answered > 3 * COUNT

    kinds = Counter(frame.kind for frame in frames)
    assert kinds[BEACON] >= 39 and kinds[RTS] > COUNT // 2 and kinds[CTS] > COUNT // 2
    assert any(frame.damaged and frame.kind in (DATA, RTS) for frame in frames)
    assert shown(ran, frames) == counted(ran)


# short MPDUs are spaced by empty delimiters (10.12.3), which a capture does not show: 16 us at 300 Mbit/s
LONG_BYTES = 600


def test_an_aggregate_is_answered_by_a_block_ack(boot: Callable[..., Ran]) -> None:
    ran = boot(topology("mode: n, channel: 36, width: 40 MHz, guard_interval: short"), WORKLOAD, pcap="air")
    frames = capture(ran, 5180)

    whole = 0
    for ppdu in ppdus(frames):
        if len(ppdu) < 2 or any(frame.damaged for frame in ppdu):
            continue
        if min(len(frame.body) for frame in ppdu[:-1]) < LONG_BYTES:
            continue
        assert len({frame.stamp_ns for frame in ppdu}) == 1
        after = [frame for frame in frames if frame.kind == BA and frame.stamp_ns > ppdu[0].stamp_ns][:1]
        answer = follows(after, ppdu, SIFS_5GHZ_NS)
        assert answer is not None, ppdu[0]
        whole += {frame.sequence for frame in ppdu} <= answer.blocks_acknowledged()
    assert whole > 20
    assert {frame.header["mcs"][1] & 1 for frame in frames if "mcs" in frame.header} >= {1}
    assert shown(ran, frames) == counted(ran)


HIDDEN = """\
name: hidden
country: US
nodes:
  h1: {kind: host, roles: [server]}
  ap1: {kind: ap, ssid: x, mode: n, channel: 36}
  sta1: {kind: sta, roles: [client], rate: MCS 4}
  sta2: {kind: sta, roles: [client], rate: MCS 4}
links: [{between: [h1, ap1]}]
medium: {snr: [{between: [sta1, sta2], is: -20 dB}]}
"""
LOADED = """name: loaded
roles: {server: 1, client: 1..}
duration: 2 s
processes:
  - {on: server, run: {probe: udp-sink}, as: sink, ready: {listening: udp/9000}}
  - {on: client, run: {probe: udp-sender, to: "{server.ip}", every: 1 ms}, as: load}
"""


def test_of_an_aggregate_those_frames_are_wrong_that_were_not_acknowledged(boot: Callable[..., Ran]) -> None:
    """Another station, which does not hear it, starts in its midst: what was over by then has arrived."""
    frames = capture(boot(HIDDEN, LOADED, pcap="air"), 5180)
    partly, end_ns = 0, frames[-1].stamp_ns - 6_000_000  # the run may end before the last answer
    for ppdu in ppdus(frames):
        if len(ppdu) < 2 or ppdu[0].stamp_ns > end_ns or len({frame.damaged for frame in ppdu}) == 1:
            continue
        wrong = {frame.sequence for frame in ppdu if frame.damaged}
        after = [frame for frame in frames if frame.kind == BA and frame.stamp_ns > ppdu[0].stamp_ns][:4]
        answer = follows(after, ppdu, SIFS_5GHZ_NS)
        assert answer is not None, ppdu[0]
        assert answer.blocks_acknowledged() & {frame.sequence for frame in ppdu} == {f.sequence for f in ppdu} - wrong
        partly += 1
    assert partly > 10


MESH = """name: mesh
nodes:
  m1: {kind: mesh, mesh_id: village}
  m2: {kind: mesh, mesh_id: village, roles: [server]}
medium: {}
"""
PINGS = """name: pings
duration: 2 s
processes:
  - {on: m1, run: {probe: ping, to: "{server.ip}", every: 100 ms, count: 10}, as: call}
roles: {server: 1}
"""


def test_frames_of_a_mesh_have_their_rates(boot: Callable[..., Ran]) -> None:
    (path,) = (boot(MESH, PINGS, pcap="air").directory / "raw").glob("air-*")
    data = [frame for frame in air.frames(path) if frame.kind == DATA and not frame.receiver[0] & 1]
    assert len(data) >= 20
    assert all(frame.header.keys() & {"mcs", "rate_500kbps"} for frame in data)
    # so their ends are known: each ACK begins SIFS after them
    mhz = data[0].header["channel"][0]
    acks = {frame.stamp_ns for frame in air.frames(path) if frame.kind == ACK}
    sifs_ns = SIFS_2GHZ_NS if mhz < 3000 else SIFS_5GHZ_NS
    assert all(air.end_ns([frame]) + sifs_ns in acks for frame in data if not frame.damaged)


TWO_CHANNELS = """\
name: two-channels
country: US
medium: {}
nodes:
  ap1: {kind: ap, ssid: x, channel: 1}
  ap2: {kind: ap, ssid: y, mode: a, channel: 36}
  sta1: {kind: sta, ssid: x}
  sta2: {kind: sta, ssid: y}
"""
IDLE = "name: idle\nduration: 1 s\n"


def captures(ran: Ran) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted((ran.directory / "raw").glob("air-*"))}


def test_a_file_a_channel_and_the_same_bytes_for_the_same_seed(boot: Callable[..., Ran]) -> None:
    first, again, other = (captures(boot(TWO_CHANNELS, IDLE, seed, pcap="air")) for seed in (1, 1, 2))
    assert list(first) == ["air-2412.pcapng", "air-5180.pcapng"]
    assert first == again
    assert all(first[name] != other[name] for name in first)


ROAM = """\
name: leaving
country: US
medium: {}
nodes:
  h1: {kind: host, roles: [server]}
  s1: {kind: switch}
  ap1: {kind: ap, ssid: x, mode: g, channel: 1}
  ap2: {kind: ap, ssid: x, mode: g, channel: 6}
  sta1: {kind: sta, roles: [client]}
links: [{between: [h1, s1]}, {between: [s1, ap1]}, {between: [s1, ap2]}]
timeline:
  - {at: 2 s, roam: sta1, to: ap2}
"""
STREAM = """\
name: stream
roles: {server: 1, client: 1}
duration: 3 s
processes:
  - {on: client, run: {probe: udp-sink}, as: sink, ready: {listening: udp/9000}}
  - {on: server, run: {probe: udp-sender, to: "{client.ip}", every: 1 ms}, as: stream}
probes:
  - {on: client, probe: tcpdump, as: air}
"""


def test_frames_to_a_station_that_has_left_count(boot: Callable[..., Ran]) -> None:
    """While the station is on the other channel, the old access point continues: every frame on the air is counted."""
    ran = boot(ROAM, STREAM, pcap="air")
    assert (ran.directory / "raw" / "air.pcap").stat().st_size > 24  # a user's capture may have that name
    paths = sorted((ran.directory / "raw").glob("air-*"))
    assert [path.name for path in paths] == ["air-2412.pcapng", "air-2437.pcapng"]
    assert sum(shown(ran, air.frames(path)) for path in paths) == counted(ran)
    left = ran.link("ap1", "sta1")
    assert left["away"] > 0 and left["dropped"] > 0
    assert left["sent"] == sum(left[key] for key in ("delivered", "damaged", "collided", "lost", "header", "away"))


VIDEO_TOS, VIDEO_TXOP_NS = 160, 94 * 32_000  # as hostapd gives it, in units of 32 us


def test_a_txop_bounds_the_aggregate_that_begins_it(boot: Callable[..., Ran]) -> None:
    """At MCS 3 best effort sends 5 ms at once; video has 3.008 ms, its BlockAck included (10.23.2.9)."""
    place = (
        "name: video\ncountry: US\nmedium: {}\nnodes:\n  h1: {kind: host, roles: [server]}\n"
        "  ap1: {kind: ap, ssid: x, mode: n, channel: 36}\n  sta1: {kind: sta, rate: MCS 3, roles: [client]}\n"
        "links: [{between: [h1, ap1]}]\n"
    )
    work = (
        "name: video\nduration: 2 s\nroles: {server: 1, client: 1}\nprocesses:\n"
        "  - {on: server, run: {probe: udp-sink}, as: sink, ready: {listening: udp/9000}}\n"
        '  - {on: client, run: {probe: udp-sender, to: "{server.ip}", tos: TOS}, as: load}\n'
    )

    def longest_ns(tos: int) -> int:
        frames = capture(boot(place, work.replace("TOS", str(tos)), pcap="air"), 5180)
        answered = [
            (air.end_ns([frame]), before)
            for before, frame in pairwise(frames)
            if frame.kind == BA and before.aggregate is not None
        ]
        return max(end_ns - before.stamp_ns for end_ns, before in answered)

    assert longest_ns(0) > 5_000_000
    assert VIDEO_TXOP_NS - 300_000 < longest_ns(VIDEO_TOS) <= VIDEO_TXOP_NS  # one MPDU more takes 480 us


def test_tcps_frames_are_stamped_when_they_begin(boot: Callable[..., Ran]) -> None:
    """TCP stamps its packets itself, with another clock's time, and copies of them would have that time."""
    place = (
        "name: tcp\ncountry: US\nmedium: {}\nnodes:\n  h1: {kind: host, roles: [server]}\n"
        "  ap1: {kind: ap, ssid: x, mode: a, channel: 36}\n  sta1: {kind: sta, roles: [client]}\n"
        "links: [{between: [h1, ap1]}]\n"
    )
    work = (
        "name: tcp\nduration: 2 s\nroles: {server: 1, client: 1}\nprocesses:\n"
        "  - {on: client, run: {probe: iperf3-server}, ready: {listening: tcp/5201}}\n"
        '  - {on: server, run: {probe: iperf3, server: "{client.ip}", duration: 1 s}}\n'
    )
    ran = boot(place, work, pcap="air")
    frames = capture(ran, 5180)
    began_us = frames[0].stamp_ns // 1000 - frames[0].header["tsft_us"][0]
    assert sum(frame.kind == DATA for frame in frames) > 500
    assert {frame.stamp_ns // 1000 - frame.header["tsft_us"][0] for frame in frames} == {began_us}
