# SPDX-License-Identifier: MIT
"""A decompressor of ROHC-TCP for ACKs without data; its folder says what of RFC 6846 it has.

It is a table of the formats of section 8.2, field by field in their order, and an interpreter of that table. It shares
the CRCs and the header with the compressor, and nothing else, so that one tests the other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from workloads.hack.rohc.crc import crc3, crc7, crc8
from workloads.hack.rohc.header import Header, Nop, Option, Sack, Timestamps


class DamagedError(ValueError):
    """A packet that cannot be restored; says why."""


# Encoding methods of a field: how many bits, and what they mean
@dataclass(frozen=True)
class _Irregular:
    bits: int


@dataclass(frozen=True)
class _Lsb:
    bits: int
    offset: int  # how far below the context's value the interval begins


@dataclass(frozen=True)
class _Optional:
    """Present if another field has a value."""

    flag: str
    when: int
    bits: int
    padding: int = 0


@dataclass(frozen=True)
class _Variable:
    """variable_length_32_enc."""

    flag: str


@dataclass(frozen=True)
class _OptionalIpId:
    """optional_ip_id_lsb."""


@dataclass(frozen=True)
class _Zero:
    """Reserved bits."""

    bits: int


@dataclass(frozen=True)
class _TcpOptions:
    """tcp_list_presence_enc."""


_Method = _Irregular | _Lsb | _Optional | _Variable | _OptionalIpId | _Zero | _TcpOptions
_MSN = ("msn", _Lsb(4, 4))
_PSH = ("psh", _Irregular(1))
_CRC3 = ("crc3", _Irregular(3))
_CRC7 = ("crc7", _Irregular(7))
_RSF = ("rsf", _Irregular(2))
_ECN_USED = ("ecn_used", _Irregular(1))
_LIST_PRESENT = ("list_present", _Irregular(1))
_TTL = ("ttl", _Lsb(3, 3))
_OPTIONS = ("options", _TcpOptions())
_IP_ID_4 = ("ip_id_offset", _Lsb(4, 3))
_Format = tuple[str, tuple[tuple[str, _Method], ...]]  # its discriminator in binary; its fields

CO_COMMON: _Format = (
    "1111101",
    (
        ("ttl_outer_flag", _Zero(1)),  # there is no outer header
        ("ack_flag", _Irregular(1)),
        _PSH,
        _RSF,
        _MSN,
        ("seq_indicator", _Irregular(2)),
        ("ack_indicator", _Irregular(2)),
        ("stride_indicator", _Irregular(1)),
        ("window_indicator", _Irregular(1)),
        ("ip_id_indicator", _Irregular(1)),
        ("urgent_present", _Irregular(1)),
        ("reserved_bit", _Zero(1)),
        _ECN_USED,
        ("dscp_present", _Irregular(1)),
        ("ttl_present", _Irregular(1)),
        _LIST_PRESENT,
        ("behaviour", _Irregular(2)),
        ("urg", _Irregular(1)),
        ("df", _Irregular(1)),
        _CRC7,
        ("seq", _Variable("seq_indicator")),
        ("ack", _Variable("ack_indicator")),
        ("stride", _Optional("stride_indicator", 1, 16)),
        ("window", _Optional("window_indicator", 1, 16)),
        ("ip_id", _OptionalIpId()),
        ("urgent", _Optional("urgent_present", 1, 16)),
        ("dscp", _Optional("dscp_present", 1, 6, padding=2)),
        ("ttl", _Optional("ttl_present", 1, 8)),
        _OPTIONS,
    ),
)
RANDOM: dict[str, _Format] = {
    "rnd_1": ("101110", (("seq", _Lsb(18, 65535)), _MSN, _PSH, _CRC3)),
    "rnd_3": ("0", (("ack", _Lsb(15, 8191)), _MSN, _PSH, _CRC3)),
    "rnd_4": ("1101", (("scaled", _Lsb(4, 3)), _MSN, _PSH, _CRC3)),
    "rnd_5": ("100", (_PSH, _MSN, _CRC3, ("seq", _Lsb(14, 8191)), ("ack", _Lsb(15, 8191)))),
    "rnd_7": ("101111", (("ack", _Lsb(18, 65535)), ("window", _Irregular(16)), _MSN, _PSH, _CRC3)),
    "rnd_8": (
        "10110",
        (
            _RSF,
            _LIST_PRESENT,
            _CRC7,
            _MSN,
            _PSH,
            _TTL,
            _ECN_USED,
            ("seq", _Lsb(16, 65535)),
            ("ack", _Lsb(16, 16383)),
            _OPTIONS,
        ),
    ),
    "co_common": CO_COMMON,
}
SEQUENTIAL: dict[str, _Format] = {
    "seq_1": ("1010", (_IP_ID_4, ("seq", _Lsb(16, 32767)), _MSN, _PSH, _CRC3)),
    "seq_3": ("1001", (_IP_ID_4, ("ack", _Lsb(16, 16383)), _MSN, _PSH, _CRC3)),
    "seq_4": ("0", (("scaled", _Lsb(4, 3)), ("ip_id_offset", _Lsb(3, 1)), _MSN, _PSH, _CRC3)),
    "seq_5": ("1000", (_IP_ID_4, ("ack", _Lsb(16, 16383)), ("seq", _Lsb(16, 32767)), _MSN, _PSH, _CRC3)),
    "seq_7": (
        "1100",
        (("window", _Lsb(15, 16383)), ("ip_id_offset", _Lsb(5, 3)), ("ack", _Lsb(16, 32767)), _MSN, _PSH, _CRC3),
    ),
    "seq_8": (
        "1011",
        (
            _IP_ID_4,
            _LIST_PRESENT,
            _CRC7,
            _MSN,
            _PSH,
            _TTL,
            _ECN_USED,
            ("ack", _Lsb(15, 8191)),
            _RSF,
            ("seq", _Lsb(14, 8191)),
            _OPTIONS,
        ),
    ),
    "co_common": CO_COMMON,
}
_WIDTHS = {"msn": 16, "ip_id_offset": 16, "window": 16, "ttl": 8}  # of fields that LSBs restore; others have 32
_VARIABLE: dict[int, _Lsb | _Irregular] = {1: _Lsb(8, 63), 2: _Lsb(16, 16383), 3: _Irregular(32)}
_TS_LSB = {"0": _Lsb(7, -1), "10": _Lsb(14, -1), "110": _Lsb(21, 0x40000), "111": _Lsb(29, 0x4000000)}
_SACK_LSB = {"0": 15, "10": 22, "110": 29, "11111111": 32}
_NOP, _TIMESTAMPS, _SACK = 0, 4, 6  # indexes of the table of items
_SEQUENTIAL_IP_ID, _RANDOM_IP_ID, _ZERO_IP_ID = 0, 2, 3


@dataclass(frozen=True)
class _Context:
    header: Header
    msn: int
    behaviour: int
    ecn_used: int
    stride: int
    table: Mapping[int, Option]

    def reference(self, name: str) -> int:
        """Return the value that LSBs of a field refer to."""
        match name:
            case "msn":
                return self.msn
            case "ip_id_offset":
                if self.behaviour != _SEQUENTIAL_IP_ID:
                    raise DamagedError("an offset of an IP-ID that was not sequential")
                return self.header.ip_id - self.msn
            case "scaled":
                if not self.stride:
                    raise DamagedError("a scaled ACK number without ack_stride")
                return self.header.ack // self.stride
        return int(getattr(self.header, name))


class _Reader:
    """The bits of a packet, one after the other."""

    def __init__(self, octets: bytes) -> None:
        self._number, self._left = int.from_bytes(octets), 8 * len(octets)

    def bits(self, count: int) -> int:
        if count > self._left:
            raise DamagedError("truncated")
        self._left -= count
        return self._number >> self._left & (1 << count) - 1

    def prefix(self, *among: str) -> str:
        """Return which of these strings of bits follows; none begins another one."""
        seen = ""
        while len(seen) < max(map(len, among)):
            seen += str(self.bits(1))
            if seen in among:
                return seen
        raise DamagedError(f"discriminator {seen}")

    def zeros(self, count: int) -> None:
        if self.bits(count):
            raise DamagedError("reserved bits that are not 0")

    @property
    def octets_left(self) -> int:
        return self._left // 8


@dataclass
class Decompressor:
    """Restores packets of up to 16 flows, each with its own context."""

    _contexts: dict[int, _Context] = field(init=False, default_factory=dict)

    def decompress(self, packet: bytes) -> bytes:
        """Return the header of the original packet. DamagedError: it cannot be restored; the context is unchanged."""
        cid, rest = (packet[0] & 0x0F, packet[1:]) if packet[:1] and packet[0] >> 4 == 0xE else (0, packet)
        if not rest:
            raise DamagedError("truncated")
        if rest[0] == 0xFD:
            context, whole = _initial(packet, rest), None
        else:
            if cid not in self._contexts:
                raise DamagedError("no context")
            context, whole = _updated(self._contexts[cid], rest)
        self._contexts[cid] = context
        return context.header.packed() if whole is None else whole


def _initial(packet: bytes, rest: bytes) -> _Context:
    """Return the context that an IR packet sets up."""
    if rest[1:2] != b"\x06" or len(rest) < 3:
        raise DamagedError("not profile 6")
    at = len(packet) - len(rest) + 2
    if crc8(packet[:at] + b"\0" + packet[at + 1 :]) != packet[at]:
        raise DamagedError("CRC-8")
    reader = _Reader(rest[3:])
    reader.zeros(8)  # IPv4
    if reader.bits(8) != 6:
        raise DamagedError("not TCP")
    source, destination = reader.bits(32).to_bytes(4), reader.bits(32).to_bytes(4)
    ports = reader.bits(16), reader.bits(16)
    reader.zeros(5)
    df, behaviour, dscp, ip_ecn, ttl = (reader.bits(size) for size in (1, 2, 6, 2, 8))
    ip_id = 0 if behaviour == _ZERO_IP_ID else reader.bits(16)
    ecn_used, has_stride, ack_zero, urgent_zero, reserved = (reader.bits(size) for size in (1, 1, 1, 1, 4))
    tcp_ecn, urg, ack_flag, psh, rsf, msn, seq = (reader.bits(size) for size in (2, 1, 1, 1, 3, 16, 32))
    if not ack_flag or rsf:
        raise DamagedError("not an ACK alone")
    ack = 0 if ack_zero else reader.bits(32)
    window, checksum = reader.bits(16), reader.bits(16)
    urgent = 0 if urgent_zero else reader.bits(16)
    stride = reader.bits(16) if has_stride else 0
    header = Header(source, destination, *ports, ip_id, seq, ack, window, checksum)
    header = replace(header, ttl=ttl, dscp=dscp, ip_ecn=ip_ecn, df=df, reserved=reserved, tcp_ecn=tcp_ecn)
    header = replace(header, urg=urg, psh=psh, urgent=urgent)
    options = [(index, item) for index, item in _list(reader, ack)]
    if any(item is None for _, item in options):
        raise DamagedError("a list in a dynamic chain without an item")
    table = {index: item for index, item in options if item is not None}
    header = replace(header, options=tuple(table[index] for index, _ in options))
    _ended(reader)
    return _Context(header, msn, behaviour, ecn_used, stride, table)


def _updated(context: _Context, rest: bytes) -> tuple[_Context, bytes]:
    """Return the context after a CO packet, and the original header."""
    reader = _Reader(rest)
    formats = SEQUENTIAL if context.behaviour == _SEQUENTIAL_IP_ID else RANDOM
    by_discriminator: dict[str, tuple[tuple[str, _Method], ...]] = dict(formats.values())
    read: dict[str, int] = {}
    listed: list[tuple[int, Option | None]] | None = None
    fields = by_discriminator[reader.prefix(*by_discriminator)]
    for name, method in fields:
        if isinstance(method, _TcpOptions):
            if read["list_present"]:
                ack = _acknowledged(context, read)
                listed = _list(reader, ack)
        else:
            value = _field(reader, name, method, context, read)
            if value is not None:
                read[name] = value
    if read.get("ack_flag", 1) != 1 or read.get("rsf", 0):
        raise DamagedError("not an ACK alone")
    header, new = _restored(context, read)
    header, table = _irregular_chain(reader, context, new, header, listed)
    _ended(reader)
    whole = header.packed()
    crc, sent = (crc7, read["crc7"]) if "crc7" in read else (crc3, read["crc3"])
    if crc(whole) != sent:
        raise DamagedError("CRC-7" if crc is crc7 else "CRC-3")
    return replace(new, header=header, table=table), whole


def _field(reader: _Reader, name: str, method: _Method, context: _Context, read: Mapping[str, int]) -> int | None:
    """Return the value of a field; None: as before."""
    match method:
        case _Irregular(bits):
            return reader.bits(bits)
        case _Lsb():
            return _from_lsb(reader, method, context.reference(name), _WIDTHS.get(name, 32))
        case _Zero(bits):
            reader.zeros(bits)
        case _Optional(flag, when, bits, padding):
            if read[flag] == when:
                value = reader.bits(bits)
                reader.zeros(padding)
                return value
        case _Variable(flag):
            if read[flag]:
                return _field(reader, name, _VARIABLE[read[flag]], context, read)
        case _OptionalIpId():
            if read["behaviour"] == _SEQUENTIAL_IP_ID:
                if read["ip_id_indicator"]:
                    return reader.bits(16)
                offset = _from_lsb(reader, _Lsb(8, 3), context.reference("ip_id_offset"), 16)
                return offset + read["msn"] & 0xFFFF
    return None


def _from_lsb(reader: _Reader, method: _Lsb, reference: int, width: int) -> int:
    """Return the only value of the interpretation interval with these bits (RFC 4997, 4.11.5)."""
    lowest = reference - method.offset
    return lowest + (reader.bits(method.bits) - lowest) % (1 << method.bits) & (1 << width) - 1


def _acknowledged(context: _Context, read: Mapping[str, int]) -> int:
    if "scaled" in read:
        return read["scaled"] * context.stride + context.header.ack % context.stride & 0xFFFFFFFF
    return read.get("ack", context.header.ack)


def _restored(context: _Context, read: Mapping[str, int]) -> tuple[Header, _Context]:
    """Return the header without what the irregular chain has, and the new control fields."""
    behaviour = read.get("behaviour", context.behaviour)
    ip_id = read.get("ip_id", 0)
    if "ip_id_offset" in read:
        ip_id = read["ip_id_offset"] + read["msn"] & 0xFFFF
    known = context.header

    def same(name: str) -> int:
        return read.get(name, int(getattr(known, name)))

    header = replace(known, ack=_acknowledged(context, read), ip_id=ip_id, psh=read["psh"], urg=read.get("urg", 0))
    header = replace(header, seq=same("seq"), window=same("window"), urgent=same("urgent"))
    header = replace(header, dscp=same("dscp"), ttl=same("ttl"), df=same("df"))
    stride = read.get("stride", context.stride)
    new = replace(context, msn=read["msn"], behaviour=behaviour, stride=stride)
    return header, replace(new, ecn_used=read.get("ecn_used", context.ecn_used))


def _irregular_chain(
    reader: _Reader,
    context: _Context,
    new: _Context,
    header: Header,
    listed: list[tuple[int, Option | None]] | None,
) -> tuple[Header, dict[int, Option]]:
    """Return the header with what the irregular chain has, and the new table of items."""
    if new.behaviour == _RANDOM_IP_ID:
        header = replace(header, ip_id=reader.bits(16))
    if new.ecn_used:
        ip_ecn, reserved, tcp_ecn = reader.bits(2), reader.bits(4), reader.bits(2)
        header = replace(header, ip_ecn=ip_ecn, reserved=reserved, tcp_ecn=tcp_ecn)
    header = replace(header, checksum=reader.bits(16))
    table = dict(context.table)
    if listed is None:
        listed = [(_index(option), None) for option in context.header.options]
    options = []
    for index, item in listed:
        if item is None:
            if index not in context.table:
                raise DamagedError("an item that was never sent")
            item = _irregular_item(reader, context.table[index], header.ack)
        table[index] = item
        options.append(item)
    return replace(header, options=tuple(options)), table


def _index(option: Option) -> int:
    return _NOP if isinstance(option, Nop) else _TIMESTAMPS if isinstance(option, Timestamps) else _SACK


def _list(reader: _Reader, ack: int) -> list[tuple[int, Option | None]]:
    """Return index and item of each option of a compressed list; None: the item is in the irregular chain."""
    reader.zeros(3)
    if reader.bits(1):
        raise DamagedError("XI of 8 bits")
    count = reader.bits(4)
    entries = [(reader.bits(1), reader.bits(3)) for _ in range(count)]
    reader.zeros(4 * (count % 2))
    return [(index, _list_item(reader, index, ack) if present else None) for present, index in entries]


def _list_item(reader: _Reader, index: int, ack: int) -> Option:
    match index:
        case 0:
            return Nop()
        case 4:
            return Timestamps(reader.bits(32), reader.bits(32))
        case 6:
            return _blocks(reader, reader.bits(8), ack)
    raise DamagedError(f"item {index}")


def _irregular_item(reader: _Reader, known: Option, ack: int) -> Option:
    match known:
        case Timestamps(value, echo):
            return Timestamps(_timestamp(reader, value), _timestamp(reader, echo))
        case Sack():
            count = reader.bits(8)
            return _blocks(reader, count, ack) if count else known
    return known


def _timestamp(reader: _Reader, reference: int) -> int:
    return _from_lsb(reader, _TS_LSB[reader.prefix(*_TS_LSB)], reference, 32)


def _blocks(reader: _Reader, count: int, ack: int) -> Sack:
    if not 1 <= count <= 4:
        raise DamagedError(f"{count} SACK blocks")
    blocks, reference = [], ack
    for _ in range(count):
        left = reference + reader.bits(_SACK_LSB[reader.prefix(*_SACK_LSB)]) & 0xFFFFFFFF
        reference = left + reader.bits(_SACK_LSB[reader.prefix(*_SACK_LSB)]) & 0xFFFFFFFF
        blocks.append((left, reference))
    return Sack(tuple(blocks))


def _ended(reader: _Reader) -> None:
    if reader.octets_left:
        raise DamagedError(f"{reader.octets_left} bytes more than the header")
