# SPDX-License-Identifier: MIT
"""Reading captures in the classic pcap format, with nanosecond or microsecond timestamps, in either byte order.

Source: draft-ietf-opsawg-pcap. Not supported: pcapng, which ``tcpdump -w`` does not write. Frames are not copied but
accessed by offset, so that 60 000 of them take a fraction of a second; ``stream`` is for captures that do not fit into
memory.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO

from lab import left

ETHERNET = 1  # LINKTYPE_ETHERNET
RADIOTAP = 127  # LINKTYPE_IEEE802_11_RADIOTAP
_MAGIC = {
    b"\x4d\x3c\xb2\xa1": ("<", 1),
    b"\xa1\xb2\x3c\x4d": (">", 1),
    b"\xd4\xc3\xb2\xa1": ("<", 1000),
    b"\xa1\xb2\xc3\xd4": (">", 1000),
}
LONGEST_FRAME_BYTES = 262_144  # MAXIMUM_SNAPLEN of libpcap
_FILE_HEADER_BYTES = 24
_RECORD_HEADER_BYTES = 16


class PcapError(ValueError):
    """Not a valid capture; says at which byte."""


@dataclass(frozen=True)
class PcapFile:
    """A capture in memory. Frame i had ``length[i]`` bytes, of which ``captured[i]`` are at ``data[offset[i]]``."""

    link_type: int
    data: bytes
    stamp_ns: list[int]  # since the Unix epoch
    offset: list[int]
    captured: list[int]
    length: list[int]

    def __len__(self) -> int:
        return len(self.stamp_ns)

    def frame(self, index: int) -> bytes:
        """Return the captured bytes of a frame."""
        return self.data[self.offset[index] : self.offset[index] + self.captured[index]]

    def frames(self) -> Iterator[tuple[int, bytes]]:
        """Yield (timestamp in ns, bytes) of each frame."""
        for stamp, begin, size in zip(self.stamp_ns, self.offset, self.captured, strict=True):
            yield stamp, self.data[begin : begin + size]


def load(path: Path) -> PcapFile:
    """Read a capture file, from the cache if it is unchanged; raise PcapError (see ``read``) or FileNotFoundError."""
    status = path.stat()
    return _load(path, status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=4)
def _load(path: Path, mtime_ns: int, size: int) -> PcapFile:
    """Read a capture file; ``mtime_ns`` and ``size`` are cache keys that detect a changed file."""
    return read(left.content(path))


def read(data: bytes) -> PcapFile:
    """Parse a capture. A truncated last record (the writer was killed) is ignored.

    Raises:
        PcapError: If it is not a pcap file, or has an invalid record.
    """
    order, unit_ns, link_type = _header(data[:_FILE_HEADER_BYTES])
    header = struct.Struct(f"{order}4I")
    stamps, offsets, captured, lengths = list[int](), list[int](), list[int](), list[int]()
    position, end = _FILE_HEADER_BYTES, len(data)
    while position + _RECORD_HEADER_BYTES <= end:
        seconds, fraction, kept, length = header.unpack_from(data, position)
        if kept > length or fraction * unit_ns >= 1_000_000_000:
            raise PcapError(f"byte {position}: invalid record: {kept} bytes of {length}, fraction {fraction}")
        position += _RECORD_HEADER_BYTES
        if position + kept > end:
            break
        stamps.append(seconds * 1_000_000_000 + fraction * unit_ns)
        offsets.append(position)
        captured.append(kept)
        lengths.append(length)
        position += kept
    return PcapFile(link_type, data, stamps, offsets, captured, lengths)


def stream(file: BinaryIO, link_type: int) -> Iterator[tuple[int, bytes]]:
    """Parse a capture of complete frames of any length: (timestamp in ns since the Unix epoch, bytes) of each.

    A truncated last record is ignored.

    Raises:
        PcapError: If it is not a pcap file, has another link type, a truncated frame, or an invalid record.
    """
    order, unit_ns, found = _header(file.read(_FILE_HEADER_BYTES))
    if found != link_type:
        raise PcapError(f"byte 20: link type {found}, expected {link_type}")
    header = struct.Struct(f"{order}4I")
    position = _FILE_HEADER_BYTES
    while len(head := file.read(_RECORD_HEADER_BYTES)) == _RECORD_HEADER_BYTES:
        seconds, fraction, kept, length = header.unpack(head)
        if kept != length or kept > LONGEST_FRAME_BYTES or fraction * unit_ns >= 1_000_000_000:
            raise PcapError(f"byte {position}: invalid record: {kept} bytes of {length}, fraction {fraction}")
        frame = file.read(kept)
        if len(frame) < kept:
            return
        yield seconds * 1_000_000_000 + fraction * unit_ns, frame
        position += _RECORD_HEADER_BYTES + kept


def _header(data: bytes) -> tuple[str, int, int]:
    """Return byte order, unit of fractions in ns and link type from the file header ``data``."""
    if data[:4] not in _MAGIC or len(data) < _FILE_HEADER_BYTES:
        raise PcapError(f"byte 0: not a pcap file: starts with {data[:4].hex() or 'nothing'}")
    order, unit_ns = _MAGIC[data[:4]]
    (link_type,) = struct.unpack_from(f"{order}I", data, 20)
    return order, unit_ns, link_type & 0x0FFFFFFF
