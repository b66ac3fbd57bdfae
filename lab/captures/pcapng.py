# SPDX-License-Identifier: MIT
"""Writing captures: pcapng with one interface, nanosecond stamps and comments on frames.

Source: draft-ietf-opsawg-pcapng. One section, little-endian. Nothing of the host is written: no time, no name, no
version, so equal frames make equal files. Why the lab writes it itself: docs/decisions/0018-captures-of-the-air.md.
"""

from __future__ import annotations

import struct
from typing import BinaryIO

_SECTION, _INTERFACE, _FRAME = 0x0A0D0D0A, 1, 6  # types of blocks: SHB, IDB, EPB
_BYTE_ORDER = 0x1A2B3C4D
_SECTION_BODY = struct.pack("<IHHq", _BYTE_ORDER, 1, 0, -1)  # version 1.0; -1: the section's length is not told
_FRAME_HEAD = struct.Struct("<5I")
_END, _COMMENT = 0, 1  # options of any block
_APPLICATION = 4  # option of a section
_NAME, _DESCRIPTION, _RESOLUTION = 2, 3, 9  # options of an interface
_NANOSECONDS = b"\x09"  # if_tsresol: ten to the minus nine


class Writer:
    """Writes frames of one interface to a file."""

    def __init__(self, file: BinaryIO, link_type: int, name: str, description: str) -> None:
        """Write what comes before the first frame.

        Args:
            file: where to; it stays open.
            link_type: LINKTYPE_* of all frames.
            name: of the interface.
            description: of the interface.
        """
        self._file = file
        self._block(_SECTION, _SECTION_BODY + _options((_APPLICATION, b"hwsim-lab")))
        told = ((_NAME, name.encode()), (_DESCRIPTION, description.encode()), (_RESOLUTION, _NANOSECONDS))
        # 0: as long as can be, 0: frames are not cut
        self._block(_INTERFACE, struct.pack("<HHI", link_type, 0, 0) + _options(*told))

    def write(self, stamp_ns: int, frame: bytes, length: int | None = None, comment: str = "") -> None:
        """Append a frame.

        Args:
            stamp_ns: its time since the Unix epoch, 0 to 2^64 - 1 ns.
            frame: what is kept of it.
            length: its length in bytes, if that is more.
            comment: what Wireshark shows beside it; empty: nothing.
        """
        stamp_high, stamp_low = divmod(stamp_ns, 1 << 32)
        head = _FRAME_HEAD.pack(0, stamp_high, stamp_low, len(frame), len(frame) if length is None else length)
        self._block(_FRAME, head + _padded(frame) + (_options((_COMMENT, comment.encode())) if comment else b""))

    def _block(self, kind: int, body: bytes) -> None:
        size = struct.pack("<I", len(body) + 12)
        self._file.write(struct.pack("<I", kind) + size + body + size)


def _padded(data: bytes) -> bytes:
    """Blocks consist of words of 32 bits."""
    return data + bytes(-len(data) % 4)


def _options(*options: tuple[int, bytes]) -> bytes:
    """Codes and values, and the end of the list."""
    return b"".join(struct.pack("<HH", code, len(value)) + _padded(value) for code, value in (*options, (_END, b"")))
