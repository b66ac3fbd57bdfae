# SPDX-License-Identifier: MIT
"""Packets of which some are malformed, the same for each seed.

``python -m workloads.bittorrent.tests.wp2pd.fuzz`` tries one seed after the other until something is wrong.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from itertools import count
from pathlib import Path
from random import Random

from .packets import ACK, Segment, compiled, drive


def packets(seed: int, number: int) -> Iterator[str]:
    """Yield lines for drive: packets of a few connections, whole, changed or cut, and bytes of any kind."""
    random, now_us = Random(seed), 0
    for _ in range(number):
        now_us += random.choice([0, 1000, 50_000])
        packet = bytearray(random.randbytes(random.randrange(90)) if random.random() < 0.1 else _whole(random))
        for _ in range(random.choice([0, 0, 0, 1, 2, 8]) if packet else 0):
            packet[random.randrange(len(packet))] = random.randrange(256)
        if random.random() < 0.2:
            del packet[random.randrange(len(packet) + 1) :]
        yield f"{random.choice(['in', 'out'])} {now_us} {packet.hex()}"


def _whole(random: Random) -> bytes:
    source, to = ((random.choice(["10.0.0.1", "10.0.0.2"]), random.choice([1, 2])) for _ in "ab")
    if random.random() < 0.3:
        source, to = ("2001:db8::1", source[1]), ("2001:db8::2", to[1])
    return Segment(
        source,
        to,
        seq=random.choice([0, 2**32 - 100]) + random.randrange(5000),
        ack=random.choice([0, 2**32 - 100]) + random.randrange(5000),
        flags=ACK if random.random() < 0.8 else random.randrange(256),
        payload=random.choice([0, 0, 1, 100, 1448]),
        times=(random.randrange(9), 1) if random.random() < 0.7 else None,
        sack=tuple((random.randrange(9000), random.randrange(9000)) for _ in range(random.randrange(3))),
        more_options=random.randbytes(random.choice([0, 0, 0, 4])),
    ).packet()


def main() -> None:
    with tempfile.TemporaryDirectory() as directory:
        program = compiled(Path(directory) / "drive")
        for seed in count():
            drive(program, packets(seed, 10_000), dupacks="thin" if seed % 2 else "all")
            print(f"seed {seed}: nothing wrong", flush=True)


if __name__ == "__main__":
    main()
