# SPDX-License-Identifier: MIT
"""What waits above the medium, and where: TCP holds back, flows take turns, no aggregate is longer than it may be."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from tests import air
from tests.system.conftest import Ran
from tests.system.test_air import ppdus
from tests.system.test_medium import topology as saturated
from tests.system.test_medium import workload as saturate

pytestmark = pytest.mark.guest

Boot = Callable[..., Ran]

PLACE = """\
name: queues
country: US
medium: {}
nodes:
  h1: {kind: host, roles: [server]}
  ap1: {kind: ap, ssid: x, mode: a, channel: 36, rate: 54 Mbit/s}
  sta1: {kind: sta, roles: [client], rate: 6 Mbit/s}
links: [{between: [h1, ap1], delay: 2 ms}]
"""
LOOKS_MS = range(2500, 6000, 250)
UPLOAD = """\
name: upload
roles: {server: 1, client: 1}
duration: 7 s
processes:
  - {on: server, run: {probe: iperf3-server}, ready: {listening: tcp/5201}}
  - {on: client, at: 1 s, run: {probe: iperf3, server: "{server.ip}", duration: 5 s}, as: flow}
timeline:
""" + "".join(
    f"  - {{at: {at_ms} ms, exec: sta1, run: [ss, -tmiHO, state, established, dst, 10.0.0.1]}}\n" for at_ms in LOOKS_MS
)
PACING_SHIFT = 7  # mac80211's, of what a socket sends in a second: a 128th of that, 8 ms, may wait below it
BURSTS = 3  # tcp_small_queue_check(): a burst may follow as long as no more than two wait
TRUESIZE_BYTES, SEGMENT_BYTES = 4352, 1448  # a segment that waits takes that much memory
MEAN_BYTES = 2304  # for each segment of three bursts, on the average


@dataclass(frozen=True)
class Socket:
    """What ``ss -tmi`` says about a socket: in bytes, except for segments in flight, the window, and bit/s."""

    below: int  # skmem t: memory of what was handed to the network layers, and is not on the air yet
    not_sent: int
    in_flight: int  # tcp_packets_in_flight()
    window: int
    pacing_bps: float
    recovers: bool  # from a loss, so that the window has just shrunk

    @classmethod
    def read(cls, output: str) -> Socket:
        """Of the connection that has something to send; iperf3 has another one."""
        (line,) = [line for line in output.splitlines() if "notsent:" in line]

        def number(pattern: str, default: str | None = None) -> str:
            found = re.search(pattern, line)
            assert found or default, line
            return found[1] if found else str(default)

        gone = int(number(r" sacked:(\d+)", "0")) + int(number(r" lost:(\d+)", "0"))

        return cls(
            int(number(r"skmem:\(.*?,t(\d+),")),
            int(number(r"notsent:(\d+)")),
            int(number(r"unacked:(\d+)")) - gone + int(number(r" retrans:(\d+)/", "0")),
            int(number(r"cwnd:(\d+)")),
            1e6 * float(number(r"pacing_rate ([\d.]+)Mbps")),
            recovers=gone > 0,
        )


def test_tcp_holds_back_what_the_radio_cannot_send_yet(boot: Boot) -> None:
    """TCP small queues: frames belong to the socket until they have been sent, so the socket waits instead of them."""
    looks = [Socket.read(output) for output in boot(PLACE, UPLOAD).outputs()]
    assert len(looks) == len(LOOKS_MS)
    for look in looks:
        # the rate is that of this moment; what waits was sent at that of one before
        segments = BURSTS * look.pacing_bps / 8 / (1 << PACING_SHIFT) / SEGMENT_BYTES
        assert look.below % TRUESIZE_BYTES == 0
        assert 2 * TRUESIZE_BYTES < look.below < segments * TRUESIZE_BYTES
        # it is neither short of data nor of window
        assert look.not_sent > 50_000
        assert look.in_flight < look.window or look.recovers
    assert sum(look.recovers for look in looks) <= 2
    bursts_bytes = sum(BURSTS * look.pacing_bps / 8 / (1 << PACING_SHIFT) for look in looks)
    assert sum(look.below for look in looks) < bursts_bytes * MEAN_BYTES / SEGMENT_BYTES


MS = 1_000_000
WIRE_NS = 2 * MS
# 39 Mbit/s, a third more than the access point can send
BULK = """\
name: bulk-and-sparse
roles: {server: 1, client: 1}
duration: 4 s
processes:
  - {on: client, run: {probe: udp-sink}, as: sink, ready: {listening: udp/9000}}
  - {on: server, run: {probe: udp-sender, to: "{client.ip}", every: 300 us}, as: bulk}
  - {on: server, run: {probe: udp-sender, to: "{client.ip}", size: 100 B, every: 20 ms}, as: sparse}
"""


def test_a_sparse_flow_does_not_wait_behind_a_full_queue(boot: Boot) -> None:
    """fq_codel of mac80211: both flows are best effort, and for one station."""
    flows = boot(PLACE, BULK).flows()
    bulk, sparse = flows["bulk"], flows["sparse"]
    assert bulk["lost"] > 0 and bulk["delay_mean_ns"] > 100 * MS
    assert sparse["lost"] == 0 and sparse["delay_max_ns"] < WIRE_NS + MS


@pytest.mark.parametrize("longest_us", [2000, 4000])
def test_no_transmission_is_longer_than_the_longest(boot: Boot, longest_us: int) -> None:
    place = saturated(1, "n", 36, "MCS 7").replace("medium: {", f"medium: {{longest_ppdu: {longest_us} us, ")
    ran = boot(place, saturate(150_000, 2), pcap="air")
    (path,) = (ran.directory / "raw").glob("air-*")
    lengths_us = [(air.end_ns(ppdu) - ppdu[0].stamp_ns) / 1000 for ppdu in ppdus(air.frames(path))]
    assert max(lengths_us) <= longest_us
    # but one more MPDU of 1538 bytes at 65 Mbit/s would not fit
    assert max(lengths_us) > longest_us - 200


INJECT = (
    "import socket;s=socket.socket(17,3);s.bind(('mon1-wlan0',0));"
    "f=bytes.fromhex('0000080000000000'+'0800'+'0000'+'ffffffffffff'+'020000009999'+'020000009999'+'0000')+bytes(200);"
    "[s.send(f) for _ in range(300)]"
)


def test_frames_that_a_monitor_injects_at_once_wait_for_the_channel(boot: Boot) -> None:
    """They pass by mac80211's queues of stations, so mac80211 keeps what the radio does not take yet."""
    place = "name: inject\nmedium: {}\nnodes:\n  mon1: {kind: monitor, channel: 6}\n"
    place += "  ap1: {kind: ap, ssid: x, channel: 6}\n"
    event = f'timeline: [{{at: 1 s, exec: mon1, run: [python3, -c, "{INJECT}"]}}]\n'
    ran = boot(place, f"name: inject\nduration: 3 s\n{event}", pcap="air")
    (path,) = (ran.directory / "raw").glob("air-*")
    sent = [frame for frame in air.frames(path) if frame.transmitter == bytes.fromhex("020000009999")]
    assert len(sent) == 300


# a probe response for each MCS of 802.11n, also those that no radio has, and for those of 802.11ac
INJECT_RATES = """\
import socket, sys
wire = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
wire.bind(("mon1-wlan0", 3))
frame = bytes.fromhex("50000000" + "ff" * 6 + "020000009999" * 2 + "0000") + bytes(12)
for mcs in range(256):  # radiotap's MCS field
    wire.send(bytes([0, 0, 11, 0, 0, 0, 8, 0, 2, 0, mcs]) + frame)
for mcs in range(16):  # radiotap's VHT field
    for streams in range(9):
        vht = bytes([0, 0, 0, 0, mcs << 4 | streams]) + bytes(7)
        wire.send(bytes([0, 0, 20, 0, 0, 0, 32, 0]) + vht + frame)
"""


@pytest.mark.parametrize("medium", [True, False])
def test_frames_of_any_rate_can_be_injected(boot: Boot, medium: bool) -> None:
    """The timestamp of a probe response takes a bit rate, which the driver once looked up by the MCS."""
    place = "name: inject\nnodes:\n  mon1: {kind: monitor, channel: 6}\n  ap1: {kind: ap, ssid: x, channel: 6}\n"
    work = {
        "name": "inject",
        "duration": "3 s",
        "files": {"script": {"on": "mon1", "path": "/tmp/inject.py", "text": INJECT_RATES}},
        "timeline": [{"at": "1 s", "exec": "mon1", "run": ["python3", "/tmp/inject.py"]}],
    }
    ran = boot(place + "medium: {}\n" * medium, json.dumps(work), pcap="air" if medium else None)
    assert [event["ok"] for event in ran.guest()["events"] if event["kind"] == "exec"] == [True]
    if medium:
        (path,) = (ran.directory / "raw").glob("air-*")
        sent = [frame for frame in air.frames(path) if frame.transmitter == bytes.fromhex("020000009999")]
        assert len(sent) == 256 + 16 * 9


NEIGHBOUR = """\
name: neighbour
duration: 7 s
processes:
  - {on: h1, run: {probe: udp-sink}, as: sink, ready: {listening: udp/9000}}
  - {on: sta1, run: {probe: udp-sender, to: "{h1.ip}"}, as: load}
timeline:
  - {at: 2 s, fault: lose, frames: data, from: ap1, to: sta1, count: 1000000}
  - {at: 2500 ms, exec: sta1, run: [ip, neigh, flush, dev, sta1-wlan0]}
"""


def test_a_saturating_sender_waits_for_a_neighbour_that_does_not_answer(boot: Boot) -> None:
    """The kernel keeps 208 KiB for it and drops the oldest, so the socket neither blocks nor gets empty.

    At first the socket still has datagrams below. Three requests have failed at 5.5 s, and then the queue has all.
    """
    (flow,) = boot(PLACE.replace("rate: 6 Mbit/s", "rate: 54 Mbit/s"), NEIGHBOUR).flows().values()
    assert flow["bytes"] * 8 > 25e6 * 1.4, "it saturated before: from 1 to 2.5 s"
