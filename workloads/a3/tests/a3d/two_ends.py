# SPDX-License-Identifier: MIT
"""A client and a server with an a3d each, and a network between that may do anything to a packet.

The hosts speak TCP as far as a mail needs it: segments of a fixed size, acknowledgements, a timer. They are made
without a3d's code. Every packet that reaches a host must be one that the other host has sent, to the bit.
"""

from __future__ import annotations

import heapq
import json
import os
import subprocess
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

from .packets import ACK, SYN, Segment, checksum

US = 1_000_000
DELAY_US, TIMER_US, WAKE_US = 50_000, 400_000, 2_000
WINDOW = 10  # segments
EXPERIMENT = 253
OPTIONS = b"\2\4\5\xb4\4\2\1\3\3\7"


class A3d:
    """drive, asked packet by packet."""

    def __init__(
        self,
        program: Path,
        side: str,
        tables: Path | None,
        plain: bool = False,
        copies: int = 0,
        full_disk: bool = False,
        pf: str = "",
        ib: Path | None = None,
    ) -> None:
        more = [*([str(tables)] if tables else []), *["plain"] * plain, *([f"pf={pf}"] if pf else [])]
        command = [str(program), side, str(copies), "10", str(60 * US), *more, *([f"ib={ib}"] if ib else [])]
        limits = (
            ["prlimit", "--fsize=1000"] if full_disk else []
        )  # Python ignores the signal, and so does what it starts
        self.process = subprocess.Popen(
            [*limits, *command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            restore_signals=False,
            env=os.environ | {"ASAN_OPTIONS": "detect_leaks=0"},  # a third of its time; the fuzzer looks for them
        )
        self.packets: list[bytes] = []
        self.left: list[tuple[int, bytes]] = []  # what has left, with its time in ns

    def pass_(self, now_us: int, packet: bytes) -> tuple[list[bytes], list[bytes]]:
        """Return what leaves meanwhile, and what leaves instead of a packet (b"": none comes)."""
        assert self.process.stdin and self.process.stdout
        self.process.stdin.write(f"{now_us} {packet.hex() or '-'}\n")
        self.process.stdin.flush()
        self.packets.append(packet)
        before = len(self.left)
        for line in self.process.stdout:
            word, *rest = line.split()
            if word == "send":
                self.left.append((int(rest[0]), bytes.fromhex(rest[1])))
            elif word == "go":
                self.left.append((int(rest[0]), self.packets[int(rest[1])]))
            elif word not in ("gone", "changed"):
                made = [bytes.fromhex(one) for one in rest] if word != "pass" else [packet] * bool(packet)
                meanwhile = [one for _, one in self.left[before:]]
                self.left += [(now_us * 1000, one) for one in made]
                return meanwhile, made
        raise AssertionError("it has ended")

    def end(self) -> dict[str, Any]:
        """Let it end, and return its counts. What a sanitizer reports is the failure."""
        said, _ = self.process.communicate(timeout=60)
        assert self.process.returncode == 0
        counts: dict[str, Any] = json.loads(said.splitlines()[-1])
        return counts

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate()


@dataclass
class Host:
    """One end of TCP. ``way`` 0 is the client."""

    way: int
    own: tuple[str, int]
    peer: tuple[str, int]
    size: int
    first: int
    syns: int = 0
    open: bool = False
    out: bytes = b""
    acked: int = 0  # of out
    sent: int = 0
    recover: int = 0
    got: bytearray = field(default_factory=bytearray)
    ahead: dict[int, bytes] = field(default_factory=dict)
    peer_first: int | None = None
    duplicates: int = 0
    stamp: int = 0
    progress_us: int = 0

    def segment(self, seq: int, flags: int, data: bytes = b"", options: bytes = b"") -> bytes:
        """Make a packet; seq counts from the byte after the SYN."""
        self.stamp += 1
        ack = 0 if self.peer_first is None else self.peer_first + 1 + len(self.got)
        return Segment(
            self.own, self.peer, self.first + 1 + seq, ack, flags, data, self.stamp, options, self.stamp % 65536
        ).packet()

    def due(self, now_us: int) -> list[bytes]:
        """Return segments that may leave now."""
        if not self.open:
            return []
        leave = []
        if self.acked < self.recover and self.sent == self.acked:
            leave.append(self.cut(self.acked))
        while self.sent < len(self.out) and self.sent - self.acked < WINDOW * self.size:
            leave.append(self.cut(self.sent))
        return leave

    def cut(self, at: int) -> bytes:
        data = self.out[at : at + self.size]
        self.sent = max(self.sent, at + len(data))
        return self.segment(at, ACK, data)

    def timer(self) -> list[bytes]:
        """Return the first segment that is not acknowledged, again."""
        if not self.open:
            return self.opening()
        if self.acked == len(self.out) or not self.sent:
            return []
        self.recover = self.sent
        return [self.segment(self.acked, ACK, self.out[self.acked : self.acked + self.size])]

    def opening(self) -> list[bytes]:
        """Return a SYN, or a SYN-ACK if there was a SYN."""
        if self.way and self.peer_first is None:
            return []
        self.syns += 1
        return [self.segment(-1, SYN | (ACK if self.way else 0), options=OPTIONS)]

    def take(self, packet: bytes) -> list[bytes]:
        """Take a packet; return what is answered at once."""
        tcp, address = (packet[20:], packet[12:20]) if packet[0] >> 4 == 4 else (packet[40:], packet[8:40])
        if checksum(address + len(tcp).to_bytes(4, "big") + b"\0\0\0\6" + tcp):
            return []
        seq, ack, flags = int.from_bytes(tcp[4:8], "big"), int.from_bytes(tcp[8:12], "big"), tcp[13]
        data = tcp[(tcp[12] >> 4) * 4 :]
        if flags & SYN:
            self.peer_first = seq
            if not self.way:
                self.open = True
                return [self.segment(0, ACK)]
            return self.opening()
        if self.peer_first is None:
            return []
        self.open = True
        acked = (ack - self.first - 1) % 2**32
        answers = []
        if self.acked < acked <= len(self.out):
            self.acked, self.sent, self.duplicates = acked, max(self.sent, acked), 0
            if acked < self.recover:  # the next one that is missing
                answers.append(self.segment(acked, ACK, self.out[acked : acked + self.size]))
        elif acked == self.acked < self.sent and not data:
            self.duplicates += 1
            if self.duplicates == 3 and self.acked >= self.recover:
                self.recover = self.sent
                answers.append(self.segment(acked, ACK, self.out[acked : acked + self.size]))
        if data:
            self.ahead.setdefault((seq - self.peer_first - 1) % 2**32, data)
            for at in sorted(self.ahead):
                if at <= len(self.got):
                    self.got += self.ahead.pop(at)[len(self.got) - at :]
            answers.append(self.segment(self.sent, ACK))
        return answers


Network = Callable[[Random, int, bytes], Iterable[tuple[int, bytes]]]


def ideal(random: Random, way: int, packet: bytes) -> list[tuple[int, bytes]]:
    """Deliver each packet once, after a delay."""
    return [(DELAY_US, packet)]


def bad(random: Random, way: int, packet: bytes) -> list[tuple[int, bytes]]:
    """Lose, repeat and delay packets."""
    if random.random() < 0.08:
        return []
    return [
        (DELAY_US + (random.random() < 0.2) * random.randrange(30_000), packet)
        for _ in range(1 + (random.random() < 0.05))
    ]


def goes_to(packet: bytes) -> int:
    """Return the port that a packet is for."""
    at = 22 if packet[0] >> 4 == 4 else 42
    return int.from_bytes(packet[at : at + 2], "big")


def protocol(packet: bytes) -> int:
    return packet[9] if packet[0] >> 4 == 4 else packet[6]


@dataclass
class Crossing:
    """What has happened."""

    client: Host
    server: Host
    line: list[tuple[int, bytes]]  # what has crossed the network, by its way
    now_us: int = 0

    def bytes_to_server(self) -> int:
        return sum(len(packet) for way, packet in self.line if way == 0)


def mail(sender: str, recipient: str, text: bytes, answer: bytes = b"250 ok\r\n") -> list[tuple[int, bytes]]:
    """Return what is said in a session with one mail: who, and what."""
    said: list[tuple[int, bytes]] = [(1, b"220 server.lab ESMTP\r\n")]
    for command in (
        b"EHLO client.lab\r\n",
        b"MAIL FROM:<%s>\r\n" % sender.encode(),
        b"RCPT TO:<%s>\r\n" % recipient.encode(),
    ):
        said += [(0, command), (1, b"250 ok\r\n")]
    said += [(0, b"DATA\r\n"), (1, b"354 go on\r\n"), (0, text.replace(b"\n", b"\r\n") + b".\r\n"), (1, answer)]
    return [*said, (0, b"QUIT\r\n"), (1, b"221 bye\r\n")]


def cross(
    said: list[tuple[int, bytes]],
    near: A3d | None,
    far: A3d | None,
    network: Network = ideal,
    seed: int = 0,
    size: int = 1000,
    version: int = 4,
    port: int = 40000,
    at: dict[int, Callable[[list[A3d | None]], None]] | None = None,
    most_s: int = 120,
    most_syns: int = 10,
    client: str = "",
    acts: bool = False,
    service: int = 25,
) -> Crossing:
    """Let two hosts say this, each when it has heard what came before.

    ``at``: what happens when so many packets have crossed. A host drops protocol 253 and what has a wrong checksum.
    Where an a3d is None, packets pass. ``acts``: an a3d sends packets of its own, at any time, also to its own host.
    """
    random, numbers = Random(seed), count()
    addresses = ("10.0.0.2", "10.0.0.1") if version == 4 else ("2001:db8::2", "2001:db8::1")
    ends = ((client or addresses[0], port), (addresses[1], service))
    hosts = [Host(0, ends[0], ends[1], size, 2**32 - 900), Host(1, ends[1], ends[0], size, 77)]
    a3ds: list[A3d | None] = [near, far]
    done = Crossing(hosts[0], hosts[1], [])
    made: list[set[bytes]] = [set(), set()]
    events: list[tuple[int, int, Callable[[], None]]] = []
    spoken = [0, 0]  # of what is said, the bytes of each
    turn = 0

    def later(after_us: int, do: Callable[[], None]) -> None:
        heapq.heappush(events, (done.now_us + after_us, next(numbers), do))

    def send(way: int, packet: bytes) -> None:
        """Let a packet cross the network."""
        done.line.append((way, packet))
        if at and (happens := at.get(len(done.line))):
            happens(a3ds)
        for after_us, arriving in network(random, way, packet):
            later(after_us, partial(arrive, way, arriving))

    def through(way: int, packet: bytes) -> list[bytes]:
        """Pass the a3d of a host, 0 or 1, and return what leaves it instead."""
        a3d = a3ds[way]
        copies, left = a3d.pass_(done.now_us, packet) if a3d else ([], [packet])
        for copy in copies:
            if acts and goes_to(copy) == hosts[way].own[1]:
                leave(way, hosts[way].take(copy))
            else:
                send(way, copy)
        return left

    def leave(way: int, packets: list[bytes]) -> None:
        for packet in packets:
            made[way].add(packet)
            for crossing in through(way, packet):
                send(way, crossing)

    def arrive(way: int, packet: bytes) -> None:
        seen = a3ds[1 - way] is not None
        for arriving in through(1 - way, packet):
            if protocol(arriving) != 6:
                continue
            if near is not None and far is not None and seen and not acts:
                damaged = arriving == packet and not whole(packet)  # by the network
                assert arriving in made[way] or damaged, "not what the other host has sent"
            leave(1 - way, hosts[1 - way].take(arriving))
        talk()

    def talk() -> None:
        nonlocal turn
        while turn < len(said):
            way, text = said[turn]
            if len(hosts[way].got) < spoken[1 - way] or not hosts[way].open:
                break
            hosts[way].out += text
            spoken[way] += len(text)
            turn += 1
        for way in (0, 1):
            leave(way, hosts[way].due(done.now_us))

    def tick(way: int, acked: int) -> None:
        host = hosts[way]
        if host.acked == acked and (host.acked < len(host.out) or not host.open) and host.syns < most_syns:
            leave(way, host.timer())
        reached = host.acked
        later(TIMER_US, lambda: tick(way, reached))

    def wake(way: int) -> None:
        """What an a3d does without a packet."""
        through(way, b"")
        talk()
        later(WAKE_US, partial(wake, way))

    leave(0, hosts[0].opening())
    for way in (0, 1) if acts else ():
        wake(way)
    for way in (0, 1):
        later(TIMER_US, partial(tick, way, 0))
    total = [sum(len(text) for who, text in said if who == way) for way in (0, 1)]
    while events and (len(hosts[1].got) < total[0] or len(hosts[0].got) < total[1]):
        done.now_us, _, do = heapq.heappop(events)
        if done.now_us > most_s * US:
            break
        do()
    for way in (0, 1):
        expected = b"".join(text for who, text in said if who == way)
        assert bytes(hosts[1 - way].got) == expected[: len(hosts[1 - way].got)], "a broken byte"
    done.client, done.server = hosts[0], hosts[1]
    assert len(hosts[1].got) == total[0] and len(hosts[0].got) == total[1], "it has stopped"
    return done


def whole(packet: bytes) -> bool:
    """Whether TCP takes a packet."""
    tcp, address = (packet[20:], packet[12:20]) if packet[0] >> 4 == 4 else (packet[40:], packet[8:40])
    return not checksum(address + len(tcp).to_bytes(4, "big") + b"\0\0\0\6" + tcp)
