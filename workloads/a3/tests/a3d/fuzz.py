# SPDX-License-Identifier: MIT
"""Packets of which some are malformed, the same for each seed.

``python -m workloads.a3.tests.a3d.fuzz`` tries one seed after the other until something is wrong.
"""

from __future__ import annotations

import hashlib
import tempfile
import zlib
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from random import Random

from .packets import ACK, FIN, RST, SYN, Segment, chain, compiled, summed, track

_EMPTY = hashlib.sha256(bytes(4)).digest()[:8]  # the mark of a table without words
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


def mails(seed: int, number: int) -> Iterator[str]:
    """Yield lines for drive: mails in the order of a session, with options and compressed segments of all kinds."""
    random, now_us = Random(seed), 0
    while number > 0:
        port, at, way = random.randrange(1, 9), [0, 0], 0
        ends = (("10.0.0.2", port), ("10.0.0.1", 25))
        for flags, data in _session(random):
            way = 0 if flags == SYN or (flags == ACK and data[:3].isalpha()) or len(data) > 99 else 1
            first = (0, 2**31)
            seq, ack = (first[side] + at[side] + (1 if flags == ACK else side) for side in (way, 1 - way))
            options = random.choice([b"", _option(random)])
            made = Segment(ends[way], ends[1 - way], seq, ack, flags, data, None, options, random.randrange(3)).packet()
            packet = bytearray(_compressed(random, made, data) if len(data) > 99 and random.random() < 0.7 else made)
            at[way] += len(data)
            if random.random() < 0.1:
                packet[random.randrange(len(packet))] = random.randrange(256)
            if random.random() < 0.05:
                del packet[random.randrange(len(packet) + 1) :]
            now_us, number = now_us + 1000, number - 1
            yield f"{now_us} {_mostly_summed(random, bytes(packet)).hex() or '-'}"


def _mostly_summed(random: Random, packet: bytes) -> bytes:
    return summed(packet) if random.random() < 0.9 else packet


def _session(random: Random) -> Iterator[tuple[int, bytes]]:
    """Yield flags and bytes of a session; commands begin with a letter, answers with a digit, a text is long."""
    yield SYN, b""
    yield SYN | ACK, b""
    yield ACK, b"220 server\r\n"
    for command in (b"MAIL FROM:<a@b.c>\r\n", b"RCPT TO:<d@e.f>\r\n", b"DATA\r\n"):
        yield ACK, random.choice([command] * 20 + list(SAID[1::3]))
        yield ACK, random.choice([b"354 ok\r\n" if command == b"DATA\r\n" else b"250 ok\r\n"] * 20 + [b"550 no\r\n"])
    for _ in range(random.randrange(6)):
        yield ACK, b"text " * random.randrange(30, 280)
    yield ACK, b"text " * 30 + b"\r\n.\r\n"
    yield ACK, b"250 ok\r\n"


def _option(random: Random) -> bytes:
    """Return an option like those of a3d."""
    kind, value = random.choice([(1, b""), (2, random.randbytes(16)), (2, _EMPTY * 2), (3, random.randbytes(9))])
    made = b"A3d\1" + bytes([kind]) + value
    made = bytes([253, random.choice([len(made) + 2, len(made) + 2, random.randrange(256)])]) + made
    return (made + b"\1" * (-len(made) % 4))[:40]


def _compressed(random: Random, packet: bytes, data: bytes) -> bytes:
    """Return a compressed packet, mostly a right one."""
    made = zlib.compressobj(9, zlib.DEFLATED, -15)
    deflated = bytearray(made.compress(data) + made.flush())
    if random.random() < 0.3:
        deflated[random.randrange(len(deflated))] ^= 1 << random.randrange(8)
    length = random.choice([len(data), len(data), random.randrange(2**16)])
    check = hashlib.sha256(packet[20:]).digest()[:8]
    body = packet[20 : len(packet) - len(data)] + b"\xa3\1" + length.to_bytes(2, "big") + _EMPTY + check + deflated
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


def main() -> None:
    with tempfile.TemporaryDirectory() as directory:
        program = compiled(Path(directory))
        for seed in count():
            chain(program, "server" if seed % 2 else "client", packets(seed, 10_000), alpha=1000)
            chain(program, "server", packets(seed, 10_000), pf="100000")
            chain(program, "client", packets(seed, 10_000), pf="alone")
            track(program, packets(seed, 10_000))
            tables = Path(directory, "tables")
            chain(program, "client" if seed % 2 else "server", mails(seed, 10_000), tables=tables)
            print(f"seed {seed}: nothing wrong", flush=True)


if __name__ == "__main__":
    main()
