# SPDX-License-Identifier: MIT
"""What a sender learns: whether its queue has room, and the state of CCID 2."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.system.conftest import Ran
from workloads.dccp.tests.system.pairs import PLACE, flow, lines, programs

pytestmark = pytest.mark.guest

Boot = Callable[..., Ran]

SERVER = """\
c = accepted(2)
while c.recv(2000):
    pass
"""
# 20 ms of round-trip time: far more packets than the window of the beginning and the queue of five
CLIENT = """\
import json, select
c = connected(2)
c.setblocking(False)
poll = select.poll()
poll.register(c, select.POLLOUT)
before = bool(poll.poll(0))
sent = 0
try:
    while True:
        sent += c.send(bytes(1000)) > 0
except BlockingIOError:
    pass
full = bool(poll.poll(0))
began = time.monotonic()
room = bool(poll.poll(1000))
waited = time.monotonic() - began
c.send(bytes(1000))
info = struct.unpack("5I", c.getsockopt(SOL_DCCP, TX_INFO, 20))
print(json.dumps({"before": before, "sent": sent, "full": full, "room": room, "waited": waited, "info": info}))
"""


def found(ran: Ran) -> dict[str, Any]:
    reported: dict[str, Any] = json.loads(ran.raw("client-program.out").splitlines()[-1])
    return reported


def test_poll_knows_whether_the_queue_has_room(boot: Boot) -> None:
    """The first window goes out at once, five more packets wait; the first answer makes room."""
    reported = found(boot(PLACE, programs(4, SERVER, CLIENT)))
    assert reported["before"] and not reported["full"], "poll() said that a full queue takes a packet"
    assert reported["room"] and 0.01 < reported["waited"] < 0.1
    assert 5 < reported["sent"] < 12


def test_ccid_2_reports_its_state(boot: Boot) -> None:
    cwnd, ssthresh, pipe, srtt_us, rto_us = found(boot(PLACE, programs(4, SERVER, CLIENT)))["info"]
    assert 0 < pipe <= cwnd < ssthresh, "slow start"
    assert 15_000 < srtt_us < 60_000 and rto_us >= 200_000


def test_ss_shows_the_window(boot: Boot) -> None:
    look = "  - {at: 2 s, exec: client, run: [ss, -dinH, state, established]}"
    ran = boot(PLACE, flow(3, ccid=2, rate="1 Mbit/s", timeline=look))
    (shown,) = (event["output"] for event in ran.guest()["events"] if event["kind"] == "exec")
    assert " cwnd:" in shown and " rtt:" in shown


SLOW = """\
name: slow
stack: dccp
roles: {server: 1, client: 1}
duration: 5 s
processes:
  - {on: server, run: {probe: flow-sink, protocol: udp}, as: sink, ready: {log: listening}}
  - on: client
    run:
      {probe: flow-send, protocol: udp, to: "{server.ip}", duration: 2 s, packet: 500 B, per_packet: 150 us,
       per_byte: 100 ns}
    as: flow
"""


def test_a_slow_processor_takes_as_long_as_it_says(boot: Boot) -> None:
    """200 us for each packet: no wait may end late, as waits do in Linux by default."""
    assert lines(boot(PLACE, SLOW), "flow", "end")[-1]["packets"] == 10_000


AIR = """\
name: far-apart
country: US
medium: {propagation: {model: logDistance, exp: 3.5}, bursts: true}
nodes:
  sta1: {kind: sta, adhoc: {ssid: far, channel: 1}, rate: 54 Mbit/s, roles: [client], position: [0 m, 0 m, 1 m]}
  sta2: {kind: sta, adhoc: {ssid: far, channel: 1}, rate: 54 Mbit/s, roles: [server], position: [30 m, 0 m, 1 m],
         approximate: true}
"""


@pytest.mark.parametrize("part", [False, True])
def test_only_partial_coverage_lets_damaged_packets_through(boot: Boot, part: bool) -> None:
    """Damage is in what the checksum leaves out: the header of flow is within the 32 bytes that it covers."""
    ran = boot(AIR, flow(3, sink=f", compare: true, coverage: {int(part)}", coverage=9 if part else 0))
    end = lines(ran, "sink", "end")[-1]
    assert end["packets"] > 1000 and end["foreign"] == 0
    # of 17,400 packets of six seeds, the checksum of all their bytes missed one that was damaged
    assert end["damaged"] > 100 if part else end["damaged"] <= 2
    assert end["wrong_bits"] >= end["damaged"]


# the medium is slow enough that packets wait
SILENT = """\
name: silent
stack: dccp
roles: {server: 1, client: 1}
duration: 5 s
processes:
  - {on: server, run: {probe: flow-sink, protocol: udp}, as: sink, ready: {log: listening}}
  - {on: client, run: {probe: flow-send, protocol: udp, to: "{server.ip}", duration: 3 s}, as: flow}
timeline:
  - {at: 1 s, fault: lose, frames: data, from: sta2, to: sta1, count: 1000000}
  - {at: 1100 ms, exec: client, run: [ip, neigh, flush, dev, sta1-wlan0]}
"""


def test_a_sender_of_udp_waits_for_a_neighbour_that_does_not_answer(boot: Boot) -> None:
    """Its queue is never full: the kernel drops the oldest packet for a new one."""
    end = lines(boot(AIR.replace("30 m", "5 m"), SILENT), "flow", "end")[-1]
    assert end["packets"] > 2000, "it saturated before"
