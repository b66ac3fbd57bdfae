# SPDX-License-Identifier: MIT
"""Headers of TCP ACKs without data: IPv4 and TCP, with what ROHC-TCP calls their fields (RFC 6846, 8.2)."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

_TCP = 6  # protocol number
_EDGE = 0x07  # RST, SYN, FIN: RFC 9293, 3.1
_ACK = 0x10
_NOP, _SACK, _TIMESTAMPS = 1, 5, 8  # kinds of options: RFC 9293, 3.2; RFC 2018, 3; RFC 7323, 3.2
_MOST_BLOCKS = 4

Block = tuple[int, int]  # left and right edge


class NotPureAckError(ValueError):
    """Not an ACK without data, or one with parts that this package does not compress; says what."""


@dataclass(frozen=True)
class Nop:
    """A byte of padding."""


@dataclass(frozen=True)
class Timestamps:
    """The timestamps option, RFC 7323."""

    value: int
    echo: int


@dataclass(frozen=True)
class Sack:
    """The SACK option, RFC 2018."""

    blocks: tuple[Block, ...]


Option = Nop | Timestamps | Sack


@dataclass(frozen=True)
class Header:
    """An IPv4 and a TCP header without data. What follows from other fields is not stored: lengths, IP's checksum."""

    source: bytes
    destination: bytes
    source_port: int
    destination_port: int
    ip_id: int
    seq: int
    ack: int
    window: int
    checksum: int  # of TCP: ROHC-TCP does not compute it
    options: tuple[Option, ...] = ()
    ttl: int = 64
    dscp: int = 0
    ip_ecn: int = 0
    df: int = 1
    reserved: int = 0  # the four bits after the data offset
    tcp_ecn: int = 0  # CWR, ECE
    urg: int = 0
    psh: int = 0
    urgent: int = 0  # pointer

    @property
    def flow(self) -> tuple[bytes, bytes, int, int]:
        """Addresses and ports."""
        return self.source, self.destination, self.source_port, self.destination_port

    def packed(self) -> bytes:
        """Return the bytes of the packet."""
        options = b"".join(_option(option) for option in self.options)
        offset = 5 + len(options) // 4
        tcp = struct.pack(
            ">HHIIBBHHH",
            self.source_port,
            self.destination_port,
            self.seq,
            self.ack,
            offset << 4 | self.reserved,
            self.tcp_ecn << 6 | self.urg << 5 | _ACK | self.psh << 3,
            self.window,
            self.checksum,
            self.urgent,
        )
        ip = struct.pack(
            ">BBHHHBBH",
            0x45,
            self.dscp << 2 | self.ip_ecn,
            40 + len(options),
            self.ip_id,
            self.df << 14,
            self.ttl,
            _TCP,
            0,
        )
        ip += self.source + self.destination
        return ip[:10] + struct.pack(">H", _ones_complement(ip)) + ip[12:] + tcp + options


def parsed(packet: bytes) -> Header:
    """Return the header of a packet; whatever follows its IP length is ignored. NotPureAckError: see there."""
    if len(packet) < 40 or packet[0] != 0x45 or packet[9] != _TCP:
        raise NotPureAckError("neither IPv4 without options nor TCP")
    length = int.from_bytes(packet[2:4])
    offset = (packet[32] >> 4) * 4
    if packet[33] & _EDGE or not packet[33] & _ACK:
        raise NotPureAckError("SYN, FIN, RST, or no ACK")
    if length != 20 + offset or len(packet) < length or offset < 20:
        raise NotPureAckError("data, or truncated")
    source_port, destination_port, seq, ack, first, second, window, checksum, urgent = struct.unpack_from(
        ">HHIIBBHHH", packet, 20
    )
    found = Header(
        packet[12:16],
        packet[16:20],
        source_port,
        destination_port,
        int.from_bytes(packet[4:6]),
        seq,
        ack,
        window,
        checksum,
        tuple(_options(packet[40:length])),
        packet[8],
        packet[1] >> 2,
        packet[1] & 3,
        packet[6] >> 6 & 1,
        first & 15,
        second >> 6,
        second >> 5 & 1,
        second >> 3 & 1,
        urgent,
    )
    if found.packed() != packet[:length]:
        raise NotPureAckError("a fragment, or a wrong checksum of IP")
    return found


def _options(octets: bytes) -> Iterator[Option]:
    seen = set()
    while octets:
        kind = octets[0]
        if kind == _NOP:
            yield Nop()
            octets = octets[1:]
            continue
        size = octets[1] if len(octets) > 1 else 0
        body = octets[2:size]
        if kind in seen or not 2 <= size <= len(octets):
            raise NotPureAckError("an option twice, or malformed")
        seen.add(kind)
        if kind == _TIMESTAMPS and size == 10:
            yield Timestamps(*struct.unpack(">II", body))
        elif kind == _SACK and size % 8 == 2 and 1 <= size // 8 <= _MOST_BLOCKS:
            yield Sack(tuple(struct.iter_unpack(">II", body)))
        else:
            raise NotPureAckError(f"option {kind}")
        octets = octets[size:]


def _option(option: Option) -> bytes:
    match option:
        case Nop():
            return bytes([_NOP])
        case Timestamps(value, echo):
            return struct.pack(">BBII", _TIMESTAMPS, 10, value, echo)
        case Sack(blocks):
            return bytes([_SACK, 2 + 8 * len(blocks)]) + b"".join(struct.pack(">II", *block) for block in blocks)


def _ones_complement(octets: bytes) -> int:
    """Return the checksum of an IPv4 header (RFC 791) in which its own field is 0."""
    total = sum(int.from_bytes(octets[at : at + 2]) for at in range(0, len(octets), 2))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def pure_acks(packets: Iterable[bytes]) -> Iterator[Header]:
    """Yield the headers of packets that are ACKs without data, and that this package compresses."""
    for packet in packets:
        try:
            yield parsed(packet)
        except NotPureAckError:
            continue
