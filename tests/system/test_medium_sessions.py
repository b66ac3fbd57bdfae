# SPDX-License-Identifier: MIT
"""BlockAck agreements that end and begin while data flows (IEEE 802.11-2020 10.25)."""

from __future__ import annotations

import pytest

from tests import air
from tests.air import ACK
from tests.system.test_medium_power_save import ACTION, WORK, Boot, place

pytestmark = pytest.mark.guest

# a datagram that need not be right makes the radio end the agreement of its TID, for a second at least
END_MS = range(2000, 20_000, 1100)
BLOCKACK, ADDBA_REQUEST, DELBA = 3, 0, 2
SENT = 20_000
SEND = """\
import socket
wire = socket.socket(socket.AF_INET, socket.SOCK_DGRAM, 136)
wire.setsockopt(136, 10, 8)
wire.sendto(bytes(100), ("{sta1.ip}", 7))
"""


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_no_frame_is_lost_between_agreements(boot: Boot, seed: int) -> None:
    """A frame from before an agreement is not sent after its start, nor one of an agreement after its end."""
    lose = "  - {at: 1 s, fault: lose, frames: data, from: ap1, to: sta1, share: 50 %, count: 1000000}\n"
    end = "".join(f"  - {{at: {at_ms} ms, exec: h1, run: [python3, /tmp/send.py]}}\n" for at_ms in END_MS)
    program = "files:\n  send:\n    on: sender\n    path: /tmp/send.py\n    substitute: true\n    text: |\n" + "".join(
        f"      {line}\n" for line in SEND.splitlines()
    )
    load = WORK.format(seconds=24, sender=f"size: 1400 B, every: 1 ms, count: {SENT}")
    ran = boot(place("n", "MCS 7"), f"{load}timeline:\n{lose}{end}{program}", seed=seed, pcap="air")
    (path,) = (ran.directory / "raw").glob("air-*")
    actions = [frame.body for frame in air.frames(path) if frame.kind != ACK and frame.body[0] == ACTION]
    kinds = [body[25] for body in actions if body[24] == BLOCKACK]
    assert min(kinds.count(ADDBA_REQUEST), kinds.count(DELBA)) >= len(END_MS) - 1
    assert (ran.flows()["load"]["packets"], ran.flows()["load"]["lost"]) == (SENT, 0)


VANISHES = """\
name: vanishes
duration: 5 s
roles: {server: 1, one: 1, other: 1}
processes:
  - {on: one, run: {probe: udp-sink}, as: sink, ready: {listening: udp/9000}}
  - {on: other, run: {probe: udp-sink}, as: rest, ready: {listening: udp/9000}}
  - {on: server, run: {probe: udp-sender, to: "{one.ip}", every: 150 us, phase: 0 ms}, as: lost}
  - {on: server, run: {probe: udp-sender, to: "{other.ip}", every: 150 us, phase: 0 ms}, as: load}
timeline:
  - {at: 2 s, fault: lose, frames: any, to: sta1, count: 1000000}
"""


def test_a_station_that_vanishes_takes_its_share_and_no_more(boot: Boot) -> None:
    """Its access point asks for a BlockAck seven times, not until its frames are too old: the other got an eighth."""
    topology = (
        "name: two\nmedium: {}\nnodes:\n  h1: {kind: host, roles: [server]}\n"
        "  ap1: {kind: ap, ssid: x, mode: n, channel: 36}\n"
        "  sta1: {kind: sta, roles: [one]}\n  sta2: {kind: sta, roles: [other]}\nlinks: [{between: [h1, ap1]}]\n"
    )
    ran = boot(topology, VANISHES)
    series = next(one for one in ran.sink("rest").series if one.name == "goodput/load")
    mbps = {round(t_ns / 1e9): bps / 1e6 for t_ns, bps in zip(series.t_ns, series.values, strict=True)}
    assert mbps[3] > 30
