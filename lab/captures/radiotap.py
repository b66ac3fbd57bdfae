# SPDX-License-Identifier: MIT
"""Reading radiotap, the header before an 802.11 frame in a capture.

Source: radiotap.org, "Radiotap" and "Defined fields". Fields are in the order of their presence bits, each aligned to
its own size relative to the start of the header. Only the first 21 fields (TSFT to A-MPDU status) of the first
namespace are read; the header length skips the rest.
"""

from __future__ import annotations

import struct
from functools import lru_cache

FLAG_SHORT_PREAMBLE = 0x02
FLAG_FCS = 0x10  # the frame ends with its FCS
FLAG_BAD_FCS = 0x40
MCS_40_MHZ, MCS_SHORT_GI = 0x01, 0x04  # in the second byte of ``mcs``

_HEAD = struct.Struct("<BxH")  # version, length
_WORD = struct.Struct("<I")
_MORE = 1 << 31  # another word of presence bits follows
# name, layout and alignment by bit
_FIELDS = (
    ("tsft_us", "Q", 8),
    ("flags", "B", 1),
    ("rate_500kbps", "B", 1),
    ("channel", "HH", 2),  # MHz, flags
    ("fhss", "BB", 2),
    ("signal_dbm", "b", 1),
    ("noise_dbm", "b", 1),
    ("lock_quality", "H", 2),
    ("tx_attenuation", "H", 2),
    ("tx_attenuation_db", "H", 2),
    ("tx_power_dbm", "b", 1),
    ("antenna", "B", 1),
    ("signal_db", "B", 1),
    ("noise_db", "B", 1),
    ("rx_flags", "H", 2),
    ("tx_flags", "H", 2),
    ("rts_retries", "B", 1),
    ("data_retries", "B", 1),
    ("xchannel", "IHBB", 4),
    ("mcs", "BBB", 1),  # what is known, bandwidth and guard interval, index
    ("ampdu", "IHBB", 4),  # reference number, flags, delimiter CRC, reserved
)


class RadiotapError(ValueError):
    """Not a valid radiotap header, or a truncated one."""


def length(frame: bytes) -> int:
    """Return the length in bytes of the header at the start of ``frame``.

    Raises:
        RadiotapError: If it is not a valid header.
    """
    if len(frame) < 8:
        raise RadiotapError(f"{len(frame)} bytes are too few for a radiotap header")
    version, size = _HEAD.unpack_from(frame)
    if version != 0 or not 8 <= size <= len(frame):
        raise RadiotapError(f"invalid radiotap header: version {version}, {size} bytes, frame of {len(frame)} bytes")
    return int(size)


def fields(frame: bytes) -> dict[str, tuple[int, ...]]:
    """Parse the header: field names as above, each with a tuple of its numbers.

    Raises:
        RadiotapError: If the header is invalid or shorter than its fields.
    """
    size = length(frame)
    words_end = 8
    while _WORD.unpack_from(frame, words_end - 4)[0] & _MORE:
        words_end += 4
        if words_end > size:
            raise RadiotapError("the radiotap header ends within its presence bits")
    present = _WORD.unpack_from(frame, 4)[0]
    layout, end = _layout(present, words_end)
    if end > size:
        raise RadiotapError(f"the radiotap header has {size} bytes, but its fields extend to byte {end}")
    return {name: form.unpack_from(frame, offset) for name, offset, form in layout}


@lru_cache(maxsize=256)
def _layout(present: int, start: int) -> tuple[tuple[tuple[str, int, struct.Struct], ...], int]:
    """Return name, offset and layout of the fields whose bits are set, and the end of the last one."""
    found, position = [], start
    for bit, (name, form, alignment) in enumerate(_FIELDS):
        if present >> bit & 1:
            position += -position % alignment
            layout = struct.Struct(f"<{form}")
            found.append((name, position, layout))
            position += layout.size
    return tuple(found), position
