# SPDX-License-Identifier: MIT
"""Writing captures: pcapng with one interface, nanosecond timestamps and frame comments. Also cuts a span out of one.

Source: draft-ietf-opsawg-pcapng. One section, little-endian. Nothing about the host is written (no time, name or
version), so equal frames give equal files. Why the lab writes it itself: docs/decisions/0018-captures-of-the-air.md.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import BinaryIO

_SECTION, _INTERFACE, _FRAME = 0x0A0D0D0A, 1, 6  # types of blocks: SHB, IDB, EPB
_BYTE_ORDER = 0x1A2B3C4D
_SECTION_BODY = struct.pack("<IHHq", _BYTE_ORDER, 1, 0, -1)  # version 1.0; -1: section length not specified
_LEAST_BLOCK = 12  # bytes: type, length, and length again
_FRAME_HEAD = struct.Struct("<5I")
_END, _COMMENT = 0, 1  # options of any block
_APPLICATION = 4  # option of a section
_NAME, _DESCRIPTION, _RESOLUTION = 2, 3, 9  # options of an interface
_NANOSECONDS = b"\x09"  # if_tsresol: 10^-9


class PcapngError(ValueError):
    """Not a capture that ``Writer`` has written."""


class Writer:
    """Writes frames of one interface to a file."""

    def __init__(self, file: BinaryIO, link_type: int, name: str, description: str) -> None:
        """Write the headers.

        ``link_type``: LINKTYPE_* of all frames; ``name``, ``description``: of the interface.
        """
        self._file = file
        self._block(_SECTION, _SECTION_BODY + _options((_APPLICATION, b"hwsim-lab")))
        options = ((_NAME, name.encode()), (_DESCRIPTION, description.encode()), (_RESOLUTION, _NANOSECONDS))
        # reserved 0, snap length 0: no limit
        self._block(_INTERFACE, struct.pack("<HHI", link_type, 0, 0) + _options(*options))

    def write(self, stamp_ns: int, frame: bytes, length: int | None = None, comment: str = "") -> None:
        """Append a frame.

        ``length``: the original length in bytes, if larger; ``comment``: shown by Wireshark; empty: none.
        """
        stamp_high, stamp_low = divmod(stamp_ns, 1 << 32)
        head = _FRAME_HEAD.pack(0, stamp_high, stamp_low, len(frame), len(frame) if length is None else length)
        self._block(_FRAME, head + _padded(frame) + (_options((_COMMENT, comment.encode())) if comment else b""))

    def _block(self, block_type: int, body: bytes) -> None:
        size = struct.pack("<I", len(body) + 12)
        self._file.write(struct.pack("<I", block_type) + size + body + size)


def between(data: bytes, begin_ns: int, end_ns: int) -> bytes:
    """Return a capture with only the frames from ``begin_ns`` to before ``end_ns``, both since the Unix epoch.

    A truncated last block is left out.

    Raises:
        PcapngError: If ``data`` is not what ``Writer`` writes.
    """
    return b"".join(
        data[position : position + size]
        for block_type, position, size in _blocks(data)
        if block_type != _FRAME or begin_ns <= _stamp_ns(data, position) < end_ns
    )


def _blocks(data: bytes) -> Iterator[tuple[int, int, int]]:
    """Yield type, position and size of each whole block."""
    if data[:4] != struct.pack("<I", _SECTION) or data[8:12] != struct.pack("<I", _BYTE_ORDER):
        raise PcapngError(f"byte 0: not a pcapng file of the lab: starts with {data[:4].hex() or 'nothing'}")
    position = 0
    while position + _LEAST_BLOCK <= len(data):
        block_type, size = struct.unpack_from("<II", data, position)
        if size < _LEAST_BLOCK or size % 4:
            raise PcapngError(f"byte {position}: a block of {size} bytes")
        if position + size > len(data):
            return
        yield block_type, position, size
        position += size


def frames(data: bytes) -> Iterator[tuple[int, bytes, str]]:
    """Yield the frames of a capture: time since the Unix epoch in ns, content, comment.

    A truncated last block is left out.

    Raises:
        PcapngError: If ``data`` is not what ``Writer`` writes.
    """
    for block_type, position, size in _blocks(data):
        if block_type != _FRAME:
            continue
        (length,) = struct.unpack_from("<I", data, position + 20)
        begin = position + 8 + _FRAME_HEAD.size
        options = data[begin + len(_padded(data[begin : begin + length])) : position + size - 4]
        yield _stamp_ns(data, position), data[begin : begin + length], _comment(options)


def _comment(options: bytes) -> str:
    """Return the comment in the options of a block; empty without one."""
    if len(options) < 4:
        return ""
    code, length = struct.unpack_from("<HH", options)
    return options[4 : 4 + length].decode(errors="replace") if code == _COMMENT else ""


def _stamp_ns(data: bytes, block: int) -> int:
    """Return the time of the frame in the block that begins at ``block``."""
    high, low = struct.unpack_from("<II", data, block + 12)
    return int(high << 32 | low)


def _padded(data: bytes) -> bytes:
    """Pad to 32-bit words, as blocks require."""
    return data + bytes(-len(data) % 4)


def _options(*options: tuple[int, bytes]) -> bytes:
    """Encode options and the end-of-options marker."""
    return b"".join(struct.pack("<HH", code, len(value)) + _padded(value) for code, value in (*options, (_END, b"")))
