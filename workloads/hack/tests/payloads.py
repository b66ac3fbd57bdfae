# SPDX-License-Identifier: MIT
"""Payloads of TCP/HACK, made by the description in hwsim_hack.h, and captures of frames that carry bytes."""

from __future__ import annotations

import random
import struct
from collections.abc import Iterable
from pathlib import Path

from lab.captures import pcap, pcapng

ACK = bytes.fromhex("d4000000 020001000200")
BLOCK_ACK = bytes.fromhex("94000000 020001000200 020001000300 0500 0000 0000000000000000")
_FCS, _BAD_FCS = 0x10, 0x40  # radiotap, flags
_ACK_BYTES, _TIMES_BYTES = (0, 1, 2, 4), (0, 1, 4, 8)  # by aa and tt
_MOST_SACKS = 4


def frame(payload: bytes, own: bytes = ACK, *, flags: int = _FCS) -> bytes:
    """Return a frame with a radiotap header, which says that there is an FCS, and an FCS, which is wrong."""
    return struct.pack("<BBHIB", 0, 0, 9, 2, flags) + own + payload + bytes(4)


def write(path: Path, frames: Iterable[bytes], cut_bytes: int = 0) -> Path:
    """Write a capture that lacks the last bytes of each frame."""
    with path.open("wb") as file:
        writer = pcapng.Writer(file, pcap.RADIOTAP, "channel 36", "")
        for number, one in enumerate(frames):
            writer.write(number, one[: len(one) - cut_bytes], len(one))
    return path


def any_item(chance: random.Random) -> bytes:
    """Return an item of any form; now and then one that is not allowed."""
    cid, crc = chance.randbytes(1), chance.randbytes(1)
    if chance.random() < 0.5:
        return cid + bytes([chance.randrange(0x80)]) + crc
    head = 0x80 | (chance.randrange(0x80) if chance.random() < 0.7 else 0)
    if head == 0x80:
        return cid + bytes([head, chance.randrange(0x100), chance.randrange(0x80)]) + crc
    more = chance.randrange(0x100) if head & 0x10 else 0
    most = _MOST_SACKS if chance.random() < 0.9 else 7  # more than there is room for
    more = more & 0xC7 | min(more >> 3 & 7, most) << 3
    size = 3 * (more >> 7) + 2 * (more >> 6 & 1) + 2 * (head >> 6 & 1) + 2 * (head >> 5 & 1)
    size += _ACK_BYTES[head >> 2 & 3] + _TIMES_BYTES[head & 3]
    blocks = b"".join(_any_groups(chance) for _ in range(2 * (more >> 3 & 7)))
    return cid + bytes([head, *([more] if head & 0x10 else [])]) + chance.randbytes(size) + blocks + crc


def any_bytes(chance: random.Random) -> bytes:
    """Return a payload, or one that is damaged, or anything else; at least one byte."""
    payload = chance.randbytes(1) + b"".join(any_item(chance) for _ in range(chance.randrange(1, 6)))
    kind = chance.randrange(4)
    if kind == 0:
        return payload
    if kind == 1:
        return payload[: chance.randrange(1, len(payload) + 1)]
    if kind == 2:
        changed = bytearray(payload)
        changed[chance.randrange(len(payload))] = chance.randrange(0x100)
        return bytes(changed)
    return chance.randbytes(chance.randrange(1, 40))


def _any_groups(chance: random.Random) -> bytes:
    """Return a number, now and then one of a group too many."""
    return _groups(chance.randrange(1 << chance.randrange(1, 33))) if chance.random() < 0.98 else b"\x80" * 5 + b"\0"


def _groups(number: int) -> bytes:
    """Return a number in groups of 7 bits, the lowest first."""
    groups = []
    while number > 0x7F:
        groups.append(0x80 | number & 0x7F)
        number >>= 7
    return bytes([*groups, number])
