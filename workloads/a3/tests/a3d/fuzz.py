# SPDX-License-Identifier: MIT
"""Packets of which some are malformed, the same for each seed.

``python -m workloads.a3.tests.a3d.fuzz`` tries one seed after the other until something is wrong.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from random import Random

from .packets import ACK, FIN, RST, SYN, Segment, chain, compiled, track

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
        yield f"{now_us} {packet.hex() or '-'}"


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
            track(program, packets(seed, 10_000))
            print(f"seed {seed}: nothing wrong", flush=True)


if __name__ == "__main__":
    main()
