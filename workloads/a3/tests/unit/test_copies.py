# SPDX-License-Identifier: MIT
"""What two captures say of RAR's copies."""

from __future__ import annotations

import struct
from collections.abc import Iterable
from pathlib import Path

import pytest

from lab.metrics.base import MetricValues, load
from tests.unit.metrics.samples import MS, context, pcap, source, wanted

COPIED, REPEATED, SINGLE, LOST, LATE = b"MAIL", b"RCPT", b"text", b"DATA", b"QUIT"


def frame(number: int, data: bytes, ttl: int = 63, checksum: int = 1) -> bytes:
    """A TCP segment of IPv4. ``number`` identifies the packet."""
    tcp = struct.pack(">HHIIBBHHH", 4001, 25, number, 0, 0x50, 0x18, 500, checksum, 0)
    ip = struct.pack(
        ">BBHHHBBH4s4s", 0x45, 0, 40 + len(data), number, 0, ttl, 6, checksum, b"\x0a\0\0\1", b"\x0a\0\0\2"
    )
    return bytes(12) + b"\x08\x00" + ip + tcp + data


def computed(
    kind: str, folder: Path, left: Iterable[tuple[int, bytes]], came: Iterable[tuple[int, bytes]]
) -> MetricValues:
    sources = []
    for name, frames in (("leaving", left), ("arriving", came)):
        (folder / f"{name}.pcap").write_bytes(pcap((t_ms * MS, one) for t_ms, one in frames))
        sources.append(source("tcpdump", identifier=name, raw=folder))
    unit = {"thin-lost": "%", "copies-span": "ms"}[kind]
    return load(kind).compute(wanted(kind, "leaving", "arriving", unit=unit), context(*sources))


LEFT = [
    *((t_ms, frame(1, COPIED, checksum=1 + (t_ms > 0))) for t_ms in (0, 20, 40)),  # the first one's is not complete yet
    (300, frame(2, REPEATED)),
    (1300, frame(3, REPEATED)),  # by TCP
    (1400, frame(4, SINGLE)),
    *((t_ms, frame(5, LOST)) for t_ms in (2000, 2020, 2044, 2300, 2320, 2340)),
    *((t_ms, frame(6, LATE)) for t_ms in (3000, 3020, 3040, 3300)),
    *((t_ms, frame(7, b"EHLO")) for t_ms in (4000, 4100)),  # acknowledged before the third copy
    (5000, frame(8, b"")),
    (5001, frame(8, b"")),  # without data
]
CAME = [
    (140, frame(1, COPIED, ttl=62, checksum=9)),
    (1500, frame(4, SINGLE, ttl=62)),
    (2430, frame(5, LOST, ttl=62)),
    (3290, frame(6, LATE, ttl=62)),
    (4100, frame(7, b"EHLO", ttl=62)),
]


def test_a_message_is_lost_if_it_first_arrives_after_it_was_sent_again(tmp_path: Path) -> None:
    assert computed("thin-lost", tmp_path, LEFT, CAME).values == [0, 100, 0, 0]


@pytest.mark.parametrize("came", [[], CAME[1:2]])
def test_a_message_of_which_nothing_arrives_is_lost(tmp_path: Path, came: list[tuple[int, bytes]]) -> None:
    assert computed("thin-lost", tmp_path, LEFT, came).values == [100, 100, 100, 100]


def test_how_long_the_first_three_copies_take(tmp_path: Path) -> None:
    assert computed("copies-span", tmp_path, LEFT, CAME).values == [40 * MS, 44 * MS, 40 * MS]
