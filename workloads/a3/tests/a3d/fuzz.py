# SPDX-License-Identifier: MIT
"""Packets of which some are malformed, the same for each seed.

``python -m workloads.a3.tests.a3d.fuzz`` tries one seed after the other until something is wrong.
"""

from __future__ import annotations

import tempfile
import zlib
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from random import Random

from .packets import ACK, FIN, RST, SYN, URG, Segment, chain, compiled, drive, summed, track
from .signed import NO_KEY, check, mark, meeting

_EMPTY = mark(bytes(4), NO_KEY)  # of a table without words
SAID = (
    *(b"220 server\r\n", b"EHLO client\r\n", b"250-server\r\n250 STARTTLS\r\n", b"MAIL FROM:<a@b.c>\r\n"),
    *(b"RCPT TO:<d@e.f>\r\n", b"DATA\r\n", b"354 go on\r\n", b"text\r\n.\r\n", b"QUIT\r\n", b"221 bye\r\n", b"\r\n"),
)


def packets(seed: int, number: int) -> Iterator[str]:
    """Yield lines for drive: packets of a few connections, whole, changed or cut, and bytes of any kind."""
    random, now_us = Random(seed), 0
    for _ in range(number):
        now_us += random.choice([0, 1000, 50_000])
        packet = bytearray(random.randbytes(random.randrange(90)) if random.random() < 0.05 else _whole(random))
        for _ in range(random.choice([0, 0, 0, 0, 0, 1, 4]) if packet else 0):
            packet[random.randrange(len(packet))] = random.randrange(256)
        if random.random() < 0.05:
            del packet[random.randrange(len(packet) + 1) :]
        yield f"{now_us} {_mostly_summed(random, bytes(packet)).hex() or '-'}"


def mails(seed: int, number: int, side: str) -> Iterator[str]:
    """Yield lines for drive: mails in the order of a session, as an a3d on this side sees them.

    What comes from the network has options, and compressed segments, of all kinds, but mostly right ones.
    """
    random, now_us, port = Random(seed), 0, 0
    while number > 0:
        port, at, damaged = port % 3000 + 1, [0, 0], random.random() < 0.5
        ends = (("10.0.0.2", port), ("10.0.0.1", 25))
        for way, flags, data in _session(random):
            first, inward = (0, 2**31), way == (side == "client")
            seq, ack = first[way] + at[way] + (not flags & SYN), first[1 - way] + at[1 - way] + (flags != SYN)
            meets = meeting((ends[way], ends[1 - way]), seq, ack, bool(way), NO_KEY)[7:15]
            options = _option(random, flags, data, meets) if inward else b""
            made = Segment(ends[way], ends[1 - way], seq, ack, flags, data, None, options, random.randrange(3)).packet()
            if inward and len(data) > 99 and random.random() < 0.8:
                made = _compressed(random, made, data)
            packet = bytearray(made)
            at[way] += len(data)
            if damaged and random.random() < 0.1:
                packet[random.randrange(len(packet))] = random.randrange(256)
            if damaged and random.random() < 0.05:
                del packet[random.randrange(len(packet) + 1) :]
            now_us, number = now_us + 1000, number - 1
            summed_again = damaged and packet[9:10] == b"\6"
            yield f"{now_us} {(_mostly_summed(random, bytes(packet)) if summed_again else packet).hex() or '-'}"


def _session(random: Random) -> Iterator[tuple[int, int, bytes]]:
    """Yield the way, flags and bytes of a session, which mostly comes to its end."""
    yield 0, SYN, b""
    yield 1, SYN | ACK, b""
    yield 1, ACK, b"220 server\r\n"
    for command in (b"MAIL FROM:<a@b.c>\r\n", b"RCPT TO:<d@e.f>\r\n", b"DATA\r\n"):
        yield 0, ACK, random.choice([command] * 30 + list(SAID))
        right = b"354 ok\r\n" if command == b"DATA\r\n" else b"250 ok\r\n"
        yield 1, ACK, random.choice([right] * 30 + list(SAID))
    for _ in range(random.randrange(6)):
        yield 0, ACK, b"text " * random.randrange(30, 280)
    yield 0, ACK, b"\r\n.\r\n"
    yield 1, ACK, random.choice([b"250 ok\r\n", b"250 ok\r\n", b"550 no\r\n"])


def _option(random: Random, flags: int, data: bytes, meets: bytes) -> bytes:
    """Return an option like those of a3d, or none: mostly what fits."""
    kinds = [(1, meets), (2, random.randbytes(16)), (2, _EMPTY * 2), (3, random.randbytes(9))]
    kind, value = random.choice(kinds)
    if random.random() < 0.9:
        if not flags & SYN and data[:3] != b"354":
            return b""
        kind, value = kinds[0] if flags & SYN else kinds[2]
    made = b"A3d\1" + bytes([kind]) + value
    length = len(made) + 2 if random.random() < 0.98 else random.randrange(256)
    made = bytes([253, length]) + made
    return made + b"\1" * (-len(made) % 4)


def _mostly_summed(random: Random, packet: bytes) -> bytes:
    return summed(packet) if random.random() < 0.9 else packet


def _compressed(random: Random, packet: bytes, data: bytes) -> bytes:
    """Return a compressed packet, mostly a right one."""
    made = zlib.compressobj(9, zlib.DEFLATED, -15)
    deflated = bytearray(made.compress(data) + made.flush())
    if random.random() < 0.05:
        deflated[random.randrange(len(deflated))] ^= 1 << random.randrange(8)
    length = len(data) if random.random() < 0.95 else random.randrange(2**16)
    body = (
        packet[20 : len(packet) - len(data)]
        + b"\xa3\1"
        + length.to_bytes(2, "big")
        + _EMPTY
        + check(packet[20:], NO_KEY)
        + deflated
    )
    return packet[:2] + (20 + len(body)).to_bytes(2, "big") + packet[4:9] + b"\xfd" + packet[10:20] + body


def _whole(random: Random) -> bytes:
    client, server = random.choice([("10.0.0.2", "10.0.0.1"), ("2001:db8::2", "2001:db8::1")])
    ends = [(client, random.choice([1, 2, 3])), (server, random.choice([25, 25, 587, 80]))]
    way = random.randrange(2)
    flags = random.choices([ACK, SYN | way * ACK, ACK | FIN, RST, random.randrange(256)], [80, 12, 4, 2, 2])[0]
    first = 2**32 - 20
    return Segment(
        ends[way],
        ends[1 - way],
        seq=first if flags & SYN else first + 1 + random.choice([0, 0, 5, random.randrange(300)]),
        ack=first + 1 + random.choice([0, 0, random.randrange(60)]),
        flags=flags,
        data=b"" if flags & SYN else random.choice([b"", *SAID, random.randbytes(random.randrange(200))]),
        stamp=random.choice([None, 1, random.randrange(99)]),
        options=random.randbytes(random.choice([0, 0, 0, 0, 0, 0, 4])),
        id=random.randrange(3),
    ).packet()


def pages(seed: int, number: int) -> Iterator[str]:
    """Yield lines for drive: connections that IB takes over, and packets of them that are mostly possible."""
    random, now_us, port = Random(seed), 0, 1000
    options = bytes([2, 4, 5, 180, 4, 2, 3, 3, 7, 0])
    page = b"GET / HTTP/1.1\r\nHost: h\r\nAccept: text/html\r\n\r\n"
    while number > 0:
        port += 1
        client, server, first = ("10.0.0.2", port), ("10.0.0.1", 80), (random.randrange(2**32), random.randrange(2**32))
        for way, flags, data in ((0, SYN, b""), (1, SYN | ACK, b""), (0, ACK, b""), (0, ACK, page)):
            ends = (client, server) if way == 0 else (server, client)
            ack = 0 if flags == SYN else first[1 - way] + 1
            made = Segment(
                *ends, first[way] + (not flags & SYN), ack, flags, data, now_us // 1000, options * bool(flags & SYN)
            )
            now_us += 1000
            yield f"{now_us} {made.packet().hex()}"
        answer = Segment(
            server, client, first[1] + 1, first[0] + 1 + len(page), ACK, b"HTTP/1.1 200 OK\r\n", now_us // 1000
        )
        yield f"{now_us} {answer.packet().hex()}"
        at = [len(page), 17]
        for _ in range(random.choice([3, 10, 100])):
            number -= 1
            now_us += random.choice([0, 1000, 30_000, 30_000, 700_000])
            way = random.randrange(2)
            ends = (client, server) if way == 0 else (server, client)
            data = random.randbytes(random.choice([0, 0, 1, 500, 1400]))
            made = Segment(
                *ends,
                first[way] + 1 + at[way] + random.choice([0, 0, 0, 0, 500, -500, random.randrange(2**32)]),
                first[1 - way] + 1 + random.choice([at[1 - way], at[1 - way], random.randrange(at[1 - way] + 9)]),
                random.choices([ACK, ACK | FIN, RST, SYN, SYN | ACK, URG | ACK], [90, 3, 1, 1, 1, 1])[0],
                data,
                now_us // 1000 + random.choice([0, 0, 0, 0, 0, -50, random.randrange(2**32)]),
                window=random.choice([500, 500, 0, 1, 60_000]),
            )
            at[way] += random.choice([0, len(data)])
            yield f"{now_us} {made.packet().hex()} changed"


def half(seed: int, number: int) -> Iterator[str]:
    """Yield lines for drive_half: packets of a host that does anything, and what the half's owner does."""
    random, now_us, taken, offered = Random(seed), 0, 60_000, 0
    for _ in range(number):
        now_us += random.choice([0, 1000, 50_000, 5_000_000])
        if random.random() < 0.3:
            taken += random.choice([-3000, 1000, 70_000])
            offered += random.choice([0, 1, 5000])
            does = [f"offer {offered}", f"permit {random.randrange(10**6)}", f"permit-end {random.randrange(10**6)}"]
            yield f"{now_us} {random.choice([*does, f'take {max(taken, 0)}', 'ask', 'nothing'])}"
            continue
        packet = bytearray(
            Segment(
                ("10.0.0.2", 40000),
                ("10.0.0.1", 80),
                seq=2**32 - 20 + random.choice([0, 0, 5, random.randrange(2**32), random.randrange(99_999)]),
                ack=5001 + random.choice([0, 0, random.randrange(2**32), random.randrange(-9, offered + 9)]),
                flags=random.choices([ACK, ACK | FIN, SYN | ACK, random.randrange(256) & ~RST], [90, 1, 2, 7])[0],
                data=random.randbytes(random.choice([0, 0, 5, 1000])),
                stamp=random.choice([None, 7, 7, random.randrange(2**32)]),
                window=random.choice([0, 1, 60_000, random.randrange(2**16)]),
            ).packet()
        )
        for _ in range(random.choice([0, 0, 0, 0, 0, 1, 4])):
            packet[random.randrange(len(packet))] = random.randrange(256)
        yield f"{now_us} {packet[: random.choice([None, None, None, 45])].hex()}"


def half_survives(program: Path, seed: int, number: int) -> None:
    """Nothing may happen but what TCP allows: what a sanitizer reports ends it."""
    words = ["4", "1000", str(seed % 3), str(seed % 2), str(seed // 2 % 2), "9000"]
    drive([str(program), "host", *words], half(seed, number))


def main() -> None:
    with tempfile.TemporaryDirectory() as directory:
        program = compiled()
        half_program = compiled("drive_half")
        for seed in count():
            half_survives(half_program, seed, 10_000)
            chain(program, "server" if seed % 2 else "client", packets(seed, 10_000), alpha=1000)
            chain(program, "server", packets(seed, 10_000), pf="100000")
            chain(program, "client", packets(seed, 10_000), pf="alone")
            track(program, packets(seed, 10_000))
            tables = Path(directory, "tables")
            side = "client" if seed % 2 else "server"
            chain(program, side, mails(seed, 10_000, side), tables=tables)
            with tempfile.TemporaryDirectory() as journals:
                chain(program, side, pages(seed, 10_000), ib=Path(journals))
                chain(program, side, pages(seed, 10_000), ib=Path(journals))  # it begins with those that are left
            print(f"seed {seed}: nothing wrong", flush=True)


if __name__ == "__main__":
    main()
