# SPDX-License-Identifier: MIT
"""Read the files of ``--pcap air`` according to the specifications, without code of the lab's writer."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from pathlib import Path

from lab.captures import radiotap

DATA, ACK, BA, RTS, CTS, BEACON = "data", "ack", "ba", "rts", "cts", "beacon"
_CONTROL = {13: ACK, 9: BA, 11: RTS, 12: CTS}
_QOS = 8
FCS_BYTES = 4
SIGNAL_EXTENSION_NS = 6_000
CCK = 0x20  # flag of the channel field
_BITS_PER_SUBCARRIER = [Fraction(bits, 2) for bits in (1, 2, 3, 4, 6, 8, 9, 10)]  # data bits, by MCS of one stream
_LONG_TRAININGS = {1: 1, 2: 2, 3: 4, 4: 4}  # by streams


@dataclass(frozen=True)
class Interface:
    """An interface block: link type, and options by code."""

    link_type: int
    options: dict[int, bytes]


@dataclass(frozen=True)
class Frame:
    """A frame of a capture."""

    stamp_ns: int
    comment: str
    header: dict[str, tuple[int, ...]]  # radiotap
    body: bytes  # the MPDU without its FCS

    @property
    def kind(self) -> str:
        """Kind of frame: one of the names above, or "other"."""
        group, subtype = self.body[0] >> 2 & 3, self.body[0] >> 4
        if group == 2:
            return DATA
        if group == 1:
            return _CONTROL.get(subtype, "other")
        return BEACON if (group, subtype) == (0, 8) else "other"

    @property
    def receiver(self) -> bytes:
        """Address 1."""
        return self.body[4:10]

    @property
    def transmitter(self) -> bytes:
        """Address 2."""
        return self.body[10:16]

    @property
    def wants_ack(self) -> bool:
        """Whether it is a unicast data frame that requires an immediate ACK."""
        if self.kind != DATA or self.receiver[0] & 1:
            return False
        return not self.body[0] >> 4 & _QOS or self.body[24] >> 5 & 3 == 0

    @property
    def damaged(self) -> bool:
        """Whether other transmissions overlapped it."""
        return bool(self.header["flags"][0] & radiotap.FLAG_BAD_FCS)

    @property
    def sequence(self) -> int:
        """Sequence number of a data frame."""
        return int(struct.unpack_from("<H", self.body, 22)[0]) >> 4

    @property
    def aggregate(self) -> int | None:
        """Reference number of its A-MPDU, if any."""
        return self.header["ampdu"][0] if "ampdu" in self.header else None

    def blocks_acknowledged(self) -> set[int]:
        """Sequence numbers that a compressed BlockAck acknowledges (9.3.1.8.2)."""
        start, bitmap = struct.unpack_from("<HQ", self.body, 18)
        return {(start // 16 + bit) % 4096 for bit in range(64) if bitmap >> bit & 1}


def end_ns(ppdu: list[Frame]) -> int:
    """Return the end of a PPDU, by IEEE 802.11-2020, 16.3.4, 17.4.3 and 19.4.3.

    Args:
        ppdu: the frames of an A-MPDU, or one frame.
    """
    header = ppdu[0].header
    mhz, flags = header["channel"]
    sizes = [len(frame.body) + FCS_BYTES for frame in ppdu]
    if flags & CCK:
        (rate,) = header["rate_500kbps"]
        preamble_ns = 96_000 if header["flags"][0] & radiotap.FLAG_SHORT_PREAMBLE else 192_000
        return ppdu[0].stamp_ns + preamble_ns + 1_000 * ceil(8 * sizes[0] * 2 / rate)
    if "mcs" in header:
        air_ns = _high_throughput_ns(header["mcs"], _psdu_bytes(sizes) if len(ppdu) > 1 else sizes[0])
    else:
        (rate,) = header["rate_500kbps"]
        air_ns = 20_000 + 4_000 * ceil((16 + 8 * sizes[0] + 6) / (rate * 2))  # 4 µs of 500 kbit/s: 2 bits
    return ppdu[0].stamp_ns + air_ns + (SIGNAL_EXTENSION_NS if mhz < 3000 else 0)


def _psdu_bytes(sizes: list[int]) -> int:
    """Return the length of an A-MPDU: a delimiter before each MPDU, and all but the last padded to words (9.7.1)."""
    return sum(4 + size + -size % 4 for size in sizes[:-1]) + 4 + sizes[-1]


def _high_throughput_ns(mcs: tuple[int, ...], psdu_bytes: int) -> int:
    """Return the air time in the mixed format."""
    _, how, index = mcs
    streams, wide, short = index // 8 + 1, how & radiotap.MCS_40_MHZ, bool(how & radiotap.MCS_SHORT_GI)
    bits_of_symbol = (108 if wide else 52) * _BITS_PER_SUBCARRIER[index % 8] * streams
    encoders = 2 if bits_of_symbol / (3.6 if short else 4) > 300 else 1
    symbols = ceil((16 + 8 * psdu_bytes + 6 * encoders) / bits_of_symbol)
    payload_ns = 4_000 * ceil(symbols * 3_600 / 4_000) if short else 4_000 * symbols
    return 16_000 + 4_000 + 8_000 + 4_000 * (1 + _LONG_TRAININGS[streams]) + payload_ns


def blocks(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Yield (type, body) of each block of a little-endian pcapng file."""
    position = 0
    while position < len(data):
        kind, size = struct.unpack_from("<II", data, position)
        assert size % 4 == 0 and struct.unpack_from("<I", data, position + size - 4)[0] == size
        yield kind, data[position + 8 : position + size - 4]
        position += size


def options(data: bytes) -> dict[int, bytes]:
    """Return the options by code."""
    found, position = {}, 0
    while position < len(data):
        code, size = struct.unpack_from("<HH", data, position)
        if code == 0:
            assert position + 4 == len(data)
            break
        found[code] = data[position + 4 : position + 4 + size]
        position += 4 + size + -size % 4
    return found


def packets(data: bytes) -> Iterator[tuple[int, bytes, int, dict[int, bytes]]]:
    """Yield (time stamp in ns, bytes, length on the air, options) of each packet."""
    for kind, body in blocks(data):
        if kind == 6:
            interface, high, low, kept, length = struct.unpack_from("<5I", body)
            assert interface == 0
            yield high << 32 | low, body[20 : 20 + kept], length, options(body[20 + kept + -kept % 4 :])


def interface(data: bytes) -> Interface:
    """Return the only interface of a file, which must begin with a section."""
    (first, section), (second, body) = list(blocks(data))[:2]
    assert (first, second) == (0x0A0D0D0A, 1)
    assert section[:16] == struct.pack("<IHHq", 0x1A2B3C4D, 1, 0, -1)
    link_type, _, snaplen = struct.unpack_from("<HHI", body)
    assert snaplen == 0
    return Interface(link_type, options(body[8:]))


def frames(path: Path) -> list[Frame]:
    """Return the frames of a file."""
    found = []
    for stamp_ns, data, length, block_options in packets(path.read_bytes()):
        assert len(data) == length
        header = radiotap.fields(data)
        body = data[radiotap.length(data) :]
        if header["flags"][0] & radiotap.FLAG_FCS:
            body = body[:-FCS_BYTES]
        found.append(Frame(stamp_ns, block_options.get(1, b"").decode(), header, body))
    return found
