# SPDX-License-Identifier: MIT
"""Recorded connections of which some bytes are changed, left out, repeated or cut, the same for each seed.

``python -m workloads.a3.tests.observe.fuzz`` tries one seed after the other until something is wrong.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count, repeat
from pathlib import Path
from random import Random

from .sessions import FIXTURES, Connection, Piece, compiled, recorded, split_anyhow, whole


def corpus() -> list[Connection]:
    return [connection for path in sorted(FIXTURES.glob("*.pcap")) for connection in recorded(path)]


def spoiled(seed: int, pieces: list[Piece]) -> list[Piece]:
    """Return pieces with a few mistakes."""
    random, found = Random(seed), [(way, bytearray(piece)) for way, piece in pieces]
    for _ in range(random.choice([1, 1, 2, 5])):
        number = random.randrange(len(found))
        way, piece = found[number]
        at, bits = random.randrange(len(piece) + 1), random.choice([1, 2, 4, 8, 16, 32, 64, 128, 255])
        match random.randrange(6):
            case 0 if at < len(piece):
                piece[at] ^= bits
            case 1:
                del piece[at : at + random.choice([1, 2, 4, 16, 10_000])]
            case 2:
                piece[at:at] = random.choice([b"\r", b"\n", b".", b"\r\n.\r\n", b"\0", b"\xff\xff\xff\xff", b"\xfeSMB"])
            case 3:
                found.insert(random.randrange(len(found) + 1), (way, bytearray(piece)))
            case 4:
                found[number] = ("<" if way == ">" else ">", piece)
            case _:
                piece[at : at + 4] = random.randbytes(4)
    return [(way, bytes(piece)) for way, piece in found]


def tried(program: Path, seed: int, connections: list[Connection]) -> Iterator[str]:
    """Spoil each connection, and yield what is said of it; pieces of other sizes must not change that."""
    for connection in connections:
        pieces = spoiled(seed, connection.pieces)
        sizes = repeat(1) if seed % 2 else _sizes(Random(seed))
        events = split_anyhow(program, connection.protocol, pieces, sizes)
        yield from whole(events)


def _sizes(random: Random) -> Iterator[int]:
    while True:
        yield random.choice([1, 2, 3, 50, 1448])


def main() -> None:
    program, connections = compiled(), corpus()
    for seed in count():
        said = list(tried(program, seed, connections))
        print(f"seed {seed}: nothing wrong with {len(said)} messages", flush=True)


if __name__ == "__main__":
    main()
