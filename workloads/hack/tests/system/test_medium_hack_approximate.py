# SPDX-License-Identifier: MIT
"""``approximate`` and ``hack`` on one radio: damaged datagrams come, and restored TCP ACKs are right."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lab.captures import pcap
from tests.system.conftest import Ran
from tests.system.test_approximate import COVERED_BYTES, SEND, SINK, UDPLITE
from workloads.hack.tests.system import hack_record
from workloads.hack.tests.system.hacking import counts, nothing_is_wrong, place, quoted, work
from workloads.hack.tests.system.test_medium_hack_segments import Segment, arrived, sent

pytestmark = pytest.mark.guest

Boot = Callable[..., Ran]

COUNT, SIZE_BYTES, BYTES = 150, 1000, 3_000_000
APPROXIMATE = "approximate: true"
SERVER = "02:00:00:00:cc:00"
RECORD = Path(hack_record.__file__).read_text()
ENDS = {"server": "10.0.0.1", "client": "10.0.0.2"}


def datagrams(to: str) -> tuple[str, str]:
    """Processes: a datagram each 5 ms from 1 s on from one end to the other."""
    source = "client" if to == "server" else "server"
    send = SEND.format(
        protocol=UDPLITE, coverage=COVERED_BYTES, count=COUNT, rest=SIZE_BYTES - 8, gap_s=0.005, to=f"('{ENDS[to]}',9)"
    )
    sink = SINK.format(protocol=UDPLITE)
    return (
        f'{{on: {to}, run: [python3, -c, "{sink}"], as: at-{to}, ready: {{listening: udplite/9}}}}',
        f'{{on: {source}, at: 1 s, run: [python3, -c, "{send}"], as: to-{to}}}',
    )


def damage(frames: str, source: str, to: str, share: str) -> str:
    return (
        f"{{at: 900 ms, fault: damage, frames: {frames}, from: {source}, to: {to}, share: {share}, count: 1000000000}}"
    )


def run(boot: Boot, topology: str, processes: tuple[str, ...], *faults: str, **download: Any) -> Ran:
    text = work(
        **{"size_bytes": BYTES, "duration": "4 s", **download},
        files=(f"recorder: {{on: client, path: /opt/record.py, text: {quoted(RECORD)}}}",),
        processes=("{on: client, run: [python3, /opt/record.py], as: record, ready: {log: ready}}", *processes),
        probes=('{on: server, probe: tcpdump, as: wire, filter: "tcp src port 5201", snaplen: 200 B}',),
        timeline=(f"{{at: 400 ms, exec: client, run: [nft, {quoted(hack_record.RULES)}]}}", *faults),
    )
    return boot(topology, text)


def wrong_datagrams(ran: Ran, at: str) -> int:
    """How many that arrived have wrong bits."""
    lines = [[int(word) for word in line.split()] for line in ran.raw(f"at-{at}.out").splitlines()]
    assert len({number for number, _, _ in lines}) > COUNT / 2
    return sum(bits > 0 for _, bits, _ in lines)


def is_whole(segment: Segment) -> bool:
    """Whether the checksums of IPv4 and TCP are right."""
    packet = segment.packet
    pseudo = packet[12:20] + bytes([0, packet[9]]) + (len(packet) - 20).to_bytes(2, "big")
    return folded(packet[:20]) == folded(pseudo + packet[20:]) == 0xFFFF


def folded(data: bytes) -> int:
    total = sum(int.from_bytes(data[at : at + 2].ljust(2, b"\0"), "big") for at in range(0, len(data), 2))
    while total > 0xFFFF:
        total = (total & 0xFFFF) + (total >> 16)
    return total


@pytest.mark.parametrize("mode", ["a", "n"])
def test_damaged_datagrams_come_and_acks_are_right(boot: Boot, mode: str) -> None:
    """In mode n, too, although there is no BlockAck agreement while such datagrams flow on the TID."""
    ran = run(
        boot,
        place(mode, ap=f"hack: more-data, {APPROXIMATE}", sta=f"hack: more-data, {APPROXIMATE}"),
        (*datagrams("server"), *datagrams("client")),
        damage("data", "sta1", "ap1", "20%"),
        damage("data", "ap1", "sta1", "10%"),
        damage("ack", "sta1", "ap1", "10%"),
        damage("ba", "sta1", "ap1", "10%"),
    )
    assert wrong_datagrams(ran, "server") > 10 and wrong_datagrams(ran, "client") > 5
    compressed, received = counts(ran, "sta1"), counts(ran, "ap1", "received")
    assert compressed["payloads"] > received["payloads"]  # some were damaged
    assert nothing_is_wrong(received) and compressed["resets"] == 0
    assert compressed["acks"] > 0.9 * (compressed["acks"] + compressed["natives"])
    assert ran.raw("flow.out").strip() == str(BYTES)
    before = {one.packet for one in sent(ran)}
    damaged = [one for one in arrived(ran) if one.packet not in before]
    assert not any(is_whole(one) for one in damaged)
    # of uncompressed ACKs that were damaged
    assert len(damaged) <= ran.link("sta1", "ap1")["approximate"]


def test_restored_acks_go_where_their_flow_goes(boot: Boot) -> None:
    """Although uncompressed ACKs, from which the access point learns, come with wrong addresses, too.

    These come again, and then they are right.
    """
    keys = f"hack: opportunistic, {APPROXIMATE}"
    topology = place("a", ap=keys, sta=keys, medium="{retries: 30}").replace("h1: {", f'h1: {{mac: "{SERVER}", ')
    # no ACK is compressed while an uncompressed one of its flow is under way; in the pauses, the last of them arrive
    bursts = {"bursts": 200, "size_bytes": 15_000, "every_s": 0.015, "duration": "6 s"}
    ran = run(boot, topology, (), damage("data", "sta1", "ap1", "60%"), **bursts)
    assert counts(ran, "sta1")["natives"] > 500 and counts(ran, "sta1")["acks"] > 50
    assert ran.link("sta1", "ap1")["dropped"] == 0
    frames = [frame for _, frame in pcap.load(ran.directory / "raw" / "wire.pcap").frames()]
    to: dict[bytes, set[str]] = {}
    for frame, segment in zip(frames, arrived(ran), strict=True):
        if is_whole(segment):
            to.setdefault(segment.packet, set()).add(frame[:6].hex(":"))
    assert any(len(addresses) > 1 for addresses in to.values())  # some addresses were damaged
    assert [addresses for addresses in to.values() if SERVER not in addresses] == []
