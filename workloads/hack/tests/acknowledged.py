# SPDX-License-Identifier: MIT
"""How many bytes each TCP ACK acknowledges, from a capture at the receiver."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path

from lab.captures import pcap

_ETHERNET = 14
_SYN = 0x02


@dataclass(frozen=True)
class Ack:
    """An ACK that acknowledges something new."""

    t_ns: int  # since the first segment with data
    bytes: int


def acks(capture: Path, port: int) -> tuple[list[Ack], set[int]]:
    """Return the ACKs that the program at ``port`` sent, and the lengths of the segments that came to it."""
    found: list[Ack] = []
    lengths: set[int] = set()
    first_ns = before = None
    for t_ns, frame in pcap.load(capture).frames():
        total, header = struct.unpack_from("!H", frame, _ETHERNET + 2)[0], (frame[_ETHERNET] & 15) * 4
        source, to, _, acknowledged, offset, flags = struct.unpack_from("!HHIIBB", frame, _ETHERNET + header)
        length = total - header - (offset >> 4) * 4
        if to == port and length:
            lengths.add(length)
            first_ns = t_ns if first_ns is None else first_ns
        if source != port or flags & _SYN:
            continue
        new = 0 if before is None else (acknowledged - before) % (1 << 32)
        if first_ns is not None and 0 < new < 1 << 31:
            found.append(Ack(t_ns - first_ns, new))
        before = acknowledged
    return found, lengths
