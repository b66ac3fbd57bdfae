# SPDX-License-Identifier: MIT
"""A compressor of ROHC-TCP for ACKs without data; its folder says what of RFC 6846 it has.

A packet is sent so that each decompressor that may be at the other end restores it: as many consecutive packets as
``losses`` says may have been lost, so the decompressor's context is that of any of the last ``losses + 1`` packets. A
field that a format omits must be the same in all of them, and LSBs must give the same value from all of them. This is
the optimistic approach (5.2.1.1) and the window of LSB encoding in one. The shortest format that does so is sent.

Two rules are not in the RFC, but the compressor's own:

* The IP-ID counts as sequential until three packets in a row have another pattern.
* ack_stride (6.4.8.2) is the greatest common divisor of the last eight steps of the ACK number, once it is 256 or more
  and the stride before it does not divide it.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from workloads.hack.rohc.crc import crc3, crc7, crc8
from workloads.hack.rohc.header import Block, Header, Nop, Option, Sack, Timestamps

PROFILE = 0x06
SMALL_CIDS = 16
_SEQUENTIAL, _RANDOM, _ZERO = 0, 2, 3  # ip_id_behavior
_IP_ID_STEP_MOST = 20  # of a sequential IP-ID
_PATTERN_PACKETS = 3
_STRIDE_STEPS = 8
_STRIDE_LEAST = 256
_INDEX = {Nop: 0, Timestamps: 4, Sack: 6}  # in the table of items, 6.3.4

Bits = tuple[int, int]  # value, width
_Items = Mapping[type[Option], frozenset[Option | None]]


@dataclass(frozen=True)
class Compressed:
    """A compressed packet."""

    octets: bytes
    form: str  # IR, or the name of the format of its base header


@dataclass(frozen=True)
class _State:
    """The context after a packet."""

    header: Header
    msn: int
    behaviour: int
    ecn_used: int
    stride: int

    @property
    def offset(self) -> int:
        return (self.header.ip_id - self.msn) & 0xFFFF

    @property
    def scaled(self) -> int:
        return self.header.ack // self.stride if self.stride else 0

    @property
    def residue(self) -> int:
        return self.header.ack % self.stride if self.stride else self.header.ack

    @property
    def structure(self) -> tuple[type[Option], ...]:
        return tuple(map(type, self.header.options))


class _Entry:
    """What the decompressor may have in an entry of its table of items.

    The table is the one part of a context that a packet does not set as a whole: an item that it lacks stays.
    """

    def __init__(self, losses: int) -> None:
        self._losses = losses
        self._possible: set[tuple[int, Option | None]] = {(0, None)}  # packets lost in a row, and the item

    @property
    def values(self) -> frozenset[Option | None]:
        """The items; None: nothing."""
        return frozenset(item for _, item in self._possible)

    def sent(self, option: Option | None, *, initial: bool) -> None:
        """Take note of a packet with or without the option; an initial one sets up the whole table."""
        lost = {(row + 1, item) for row, item in self._possible if row < self._losses}
        if option is not None or initial:
            self._possible = lost | {(0, option)}
        else:
            self._possible = lost | {(0, item) for _, item in self._possible}


@dataclass
class Compressor:
    """Compresses the ACKs of one flow, in the order in which they are sent.

    Attributes:
        cid: Its small CID; 0 takes no byte.
        losses: How many consecutive packets may be lost without a packet after them that cannot be restored.
        msn: The master sequence number of the first packet.
    """

    cid: int = 0
    losses: int = 0
    msn: int = 0
    _known: deque[_State] = field(init=False)
    _patterns: deque[int] = field(init=False, default_factory=lambda: deque(maxlen=_PATTERN_PACKETS))
    _steps: deque[int] = field(init=False, default_factory=lambda: deque(maxlen=_STRIDE_STEPS))
    _tables: dict[type[Option], _Entry] = field(init=False)
    _last: _State | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        if not 0 <= self.cid < SMALL_CIDS:
            raise ValueError(f"{self.cid} is not a small CID: 0 to {SMALL_CIDS - 1}")
        if not 0 <= self.losses <= 10:  # the interval of MSNs: lsb(4, 4)
            raise ValueError(f"{self.losses} losses: 0 to 10")
        self._known = deque(maxlen=self.losses + 1)
        self._tables = {kind: _Entry(self.losses) for kind in _INDEX}

    def compress(self, header: Header) -> Compressed:
        """Return the next packet of the flow. ValueError: it is one of another flow."""
        if self._last is not None and header.flow != self._last.header.flow:
            raise ValueError("a packet of another flow")
        now = self._next(header)
        begin = _add_cid(self.cid) if self.cid else b""
        if self._sure:
            found = _shortest(now, self._known, {kind: entry.values for kind, entry in self._tables.items()})
            sent = Compressed(begin + found.octets, found.form)
        else:
            sent = Compressed(_ir(now, begin), "IR")
        for kind, entry in self._tables.items():
            option = next((one for one in header.options if isinstance(one, kind)), None)
            entry.sent(option, initial=sent.form == "IR")
        self._known.append(now)
        self._last = now
        return sent

    @property
    def _sure(self) -> bool:
        """Whether a packet before this one has arrived."""
        return len(self._known) > self.losses

    def _next(self, header: Header) -> _State:
        ecn = int(any((header.ip_ecn, header.tcp_ecn, header.reserved)))
        last = self._last
        if last is None:
            return _State(header, self.msn & 0xFFFF, _SEQUENTIAL if header.ip_id else _ZERO, ecn, 0)
        if step := (header.ack - last.header.ack) & 0xFFFFFFFF:
            self._steps.append(step)
        return _State(
            header,
            (last.msn + 1) & 0xFFFF,
            self._behaviour(header, last),
            ecn | last.ecn_used,
            self._stride(last.stride),
        )

    def _behaviour(self, header: Header, last: _State) -> int:
        step = (header.ip_id - last.header.ip_id) & 0xFFFF
        pattern = _ZERO if not header.ip_id else _SEQUENTIAL if 0 < step <= _IP_ID_STEP_MOST else _RANDOM
        self._patterns.append(pattern)
        steady = len(self._patterns) == _PATTERN_PACKETS and len(set(self._patterns)) == 1
        return pattern if steady or (last.behaviour == _ZERO and header.ip_id) else last.behaviour

    def _stride(self, stride: int) -> int:
        if len(self._steps) < _STRIDE_STEPS:
            return stride
        common = math.gcd(*self._steps)
        fits = stride and common % stride == 0
        return common if not fits and _STRIDE_LEAST <= common <= 0xFFFF else stride


def _octets(bits: Sequence[Bits]) -> bytes:
    """Return values of several bits, one after the other."""
    number = size = 0
    for value, width in bits:
        number = number << width | value & (1 << width) - 1
        size += width
    assert size % 8 == 0
    return number.to_bytes(size // 8)


def _add_cid(cid: int) -> bytes:
    return bytes([0xE0 | cid])


def _ir(now: _State, begin: bytes) -> bytes:
    """Return an IR packet, 7.1, after an octet of CID or nothing."""
    header = now.header
    begin += bytes([0xFD, PROFILE])
    static = bytes([0, 6]) + header.source + header.destination
    static += header.source_port.to_bytes(2) + header.destination_port.to_bytes(2)
    ip: list[Bits] = [(0, 5), (header.df, 1), (now.behaviour, 2), (header.dscp, 6), (header.ip_ecn, 2), (header.ttl, 8)]
    if now.behaviour != _ZERO:
        ip.append((header.ip_id, 16))
    tcp: list[Bits] = [(now.ecn_used, 1), (now.stride > 0, 1), (header.ack == 0, 1), (header.urgent == 0, 1)]
    tcp += [(header.reserved, 4), (header.tcp_ecn, 2), (header.urg, 1), (1, 1), (header.psh, 1), (0, 3)]
    tcp += [(now.msn, 16), (header.seq, 32)]
    if header.ack:
        tcp.append((header.ack, 32))
    tcp += [(header.window, 16), (header.checksum, 16)]
    if header.urgent:
        tcp.append((header.urgent, 16))
    if now.stride:
        tcp.append((now.stride, 16))
    chains = static + _octets(ip) + _octets(tcp) + _list(header, frozenset(now.structure))
    return begin + bytes([crc8(begin + b"\0" + chains)]) + chains


def _list(header: Header, items: frozenset[type[Option]]) -> bytes:
    """Return a compressed list, 6.3.3, with these of the items."""
    bits: list[Bits] = [(0, 4), (len(header.options), 4)]
    for kind in map(type, header.options):
        bits += [(kind in items, 1), (_INDEX[kind], 3)]
    if len(header.options) % 2:
        bits.append((0, 4))
    present = [option for option in header.options if type(option) in items]
    return _octets(bits) + b"".join(_list_item(option, header.ack) for option in present)


def _list_item(option: Option, ack: int) -> bytes:
    match option:
        case Timestamps(value, echo):
            return value.to_bytes(4) + echo.to_bytes(4)
        case Sack(blocks):
            return _sack(blocks, ack)
    return b""


def _sack(blocks: Sequence[Block], ack: int) -> bytes:
    """Return blocks relative to each other, the first one to the ACK number."""
    written, reference = bytes([len(blocks)]), ack
    for left, right in blocks:
        written += _sack_field(left - reference) + _sack_field(right - left)
        reference = right
    return written


def _sack_field(value: int) -> bytes:
    value &= 0xFFFFFFFF
    if value < 1 << 15:
        return value.to_bytes(2)
    if value < 1 << 22:
        return (0b10 << 22 | value).to_bytes(3)
    if value < 1 << 29:
        return (0b110 << 29 | value).to_bytes(4)
    return b"\xff" + value.to_bytes(4)


def _lsb(bits: int, below: int, value: int, references: Sequence[int], width: int = 32) -> bool:
    """Return whether the lowest bits are enough: from ``below`` less than any reference on."""
    return all((value - reference + below) % (1 << width) < 1 << bits for reference in references)


def _timestamp(value: int, references: Sequence[int]) -> bytes | None:
    """Return ts_lsb; None: too far from a reference."""
    for prefix, prefix_bits, bits, below in ((0, 1, 7, -1), (2, 2, 14, -1), (6, 3, 21, 1 << 18), (7, 3, 29, 1 << 26)):
        if _lsb(bits, below, value, references):
            return _octets([(prefix, prefix_bits), (value, bits)])
    return None


def _shortest(now: _State, known: Sequence[_State], items: _Items) -> Compressed:
    """Return the shortest CO packet that every decompressor restores: co_common always does."""
    step = _Step(now, known, items)
    chain = step.irregular_chain()
    found = [Compressed(base + chain, form) for form, base in step.base_headers() if base is not None]
    return min(found, key=lambda one: len(one.octets))


class _Step:
    """A packet, and the contexts of which the decompressor has one."""

    def __init__(self, now: _State, known: Sequence[_State], items: _Items) -> None:
        self.now, self.known, self.items, self.header = now, known, items, now.header
        self._whole = self.header.packed()
        self._acks = [one.header.ack for one in known]
        self._seqs = [one.header.seq for one in known]
        self.listed = self._listed()

    def _listed(self) -> frozenset[type[Option]] | None:
        """Return the items in the compressed list; None: there is no list."""
        new = set()
        for option in self.header.options:
            kind = type(option)
            if None in self.items[kind] or self._irregular_item(option) is None:
                new.add(kind)
        same = all(one.structure == self.now.structure for one in self.known)
        return None if same and not new else frozenset(new)

    def _irregular_item(self, option: Option) -> bytes | None:
        kept = self.items[type(option)]
        match option:
            case Nop():
                return b""
            case Timestamps(value, echo):
                old = [one for one in kept if isinstance(one, Timestamps)]
                first = _timestamp(value, [one.value for one in old])
                second = _timestamp(echo, [one.echo for one in old])
                return None if first is None or second is None else first + second
            case Sack(blocks):
                return b"\0" if all(one == option for one in kept) else _sack(blocks, self.header.ack)

    def irregular_chain(self) -> bytes:
        header, now = self.header, self.now
        chain = header.ip_id.to_bytes(2) if now.behaviour == _RANDOM else b""
        if now.ecn_used:
            chain += _octets([(header.ip_ecn, 2), (header.reserved, 4), (header.tcp_ecn, 2)])
        chain += header.checksum.to_bytes(2)
        for option in header.options:
            if type(option) not in (self.listed or ()):
                item = self._irregular_item(option)
                assert item is not None
                chain += item
        return chain

    def _same(self, *names: str) -> bool:
        """Return whether fields of the header are as in each context."""
        return all(getattr(one.header, name) == getattr(self.header, name) for one in self.known for name in names)

    def _as_before(self, *names: str) -> bool:
        """Return whether control fields are as in each context."""
        return all(getattr(one, name) == getattr(self.now, name) for one in self.known for name in names)

    def _offset(self, bits: int, below: int) -> bool:
        return _lsb(bits, below, self.now.offset, [one.offset for one in self.known], 16)

    def _seq(self, bits: int, below: int) -> bool:
        return _lsb(bits, below, self.header.seq, self._seqs)

    def _ack(self, bits: int, below: int) -> bool:
        return _lsb(bits, below, self.header.ack, self._acks)

    def _scaled(self) -> bool:
        """Return whether lsb(4, 3) of the scaled ACK number are enough."""
        if not self.now.stride or not self._as_before("stride", "residue"):
            return False
        return _lsb(4, 3, self.now.scaled, [one.scaled for one in self.known])

    def base_headers(self) -> Iterator[tuple[str, bytes | None]]:
        """Yield base headers with the names of their formats; None where a format does not fit."""
        header, now = self.header, self.now
        yield "co_common", self._common()
        if header.urg or not self._same("dscp", "df", "urgent") or not self._as_before("behaviour", "stride"):
            return
        eighth = self._same("window") and _lsb(3, 3, header.ttl, [one.header.ttl for one in self.known], 8)
        sequential = now.behaviour == _SEQUENTIAL
        if eighth:
            yield ("seq_8", self._seq_8()) if sequential else ("rnd_8", self._rnd_8())
        if self.listed is not None or not self._same("ttl") or not self._as_before("ecn_used"):
            return
        yield from self._sequential() if sequential else self._random()

    def _tail(self) -> list[Bits]:
        """Return what most formats end with."""
        return [(self.now.msn, 4), (self.header.psh, 1), (crc3(self._whole), 3)]

    def _sequential(self) -> Iterator[tuple[str, bytes | None]]:
        header, now, tail = self.header, self.now, self._tail()
        seq_same, ack_same, window_same = self._same("seq"), self._same("ack"), self._same("window")
        close = self._offset(4, 3)
        if ack_same and window_same and close and self._seq(16, 32767):
            yield "seq_1", _octets([(0b1010, 4), (now.offset, 4), (header.seq, 16), *tail])
        if seq_same and window_same and close and self._ack(16, 16383):
            yield "seq_3", _octets([(0b1001, 4), (now.offset, 4), (header.ack, 16), *tail])
        if seq_same and window_same and self._offset(3, 1) and self._scaled():
            yield "seq_4", _octets([(0, 1), (now.scaled, 4), (now.offset, 3), *tail])
        if window_same and close and self._ack(16, 16383) and self._seq(16, 32767):
            yield "seq_5", _octets([(0b1000, 4), (now.offset, 4), (header.ack, 16), (header.seq, 16), *tail])
        windows = [one.header.window for one in self.known]
        if seq_same and self._offset(5, 3) and self._ack(16, 32767) and _lsb(15, 16383, header.window, windows, 16):
            yield "seq_7", _octets([(0b1100, 4), (header.window, 15), (now.offset, 5), (header.ack, 16), *tail])

    def _random(self) -> Iterator[tuple[str, bytes | None]]:
        header, now, tail = self.header, self.now, self._tail()
        seq_same, ack_same, window_same = self._same("seq"), self._same("ack"), self._same("window")
        if ack_same and window_same and self._seq(18, 65535):
            yield "rnd_1", _octets([(0b101110, 6), (header.seq, 18), *tail])
        if seq_same and window_same and self._ack(15, 8191):
            yield "rnd_3", _octets([(0, 1), (header.ack, 15), *tail])
        if seq_same and window_same and self._scaled():
            yield "rnd_4", _octets([(0b1101, 4), (now.scaled, 4), *tail])
        if window_same and self._seq(14, 8191) and self._ack(15, 8191):
            begin: list[Bits] = [(0b100, 3), (header.psh, 1), (now.msn, 4), (crc3(self._whole), 3)]
            yield "rnd_5", _octets([*begin, (header.seq, 14), (header.ack, 15)])
        if seq_same and self._ack(18, 65535):
            yield "rnd_7", _octets([(0b101111, 6), (header.ack, 18), (header.window, 16), *tail])

    def _options(self) -> bytes:
        return b"" if self.listed is None else _list(self.header, self.listed)

    def _seq_8(self) -> bytes | None:
        header, now = self.header, self.now
        if not (self._offset(4, 3) and self._ack(15, 8191) and self._seq(14, 8191)):
            return None
        bits: list[Bits] = [(0b1011, 4), (now.offset, 4), (int(self.listed is not None), 1), (crc7(self._whole), 7)]
        bits += [(now.msn, 4), (header.psh, 1), (header.ttl, 3), (now.ecn_used, 1), (header.ack, 15), (0, 2)]
        return _octets([*bits, (header.seq, 14)]) + self._options()

    def _rnd_8(self) -> bytes | None:
        header, now = self.header, self.now
        if not (self._seq(16, 65535) and self._ack(16, 16383)):
            return None
        bits: list[Bits] = [(0b10110, 5), (0, 2), (int(self.listed is not None), 1), (crc7(self._whole), 7)]
        bits += [(now.msn, 4), (header.psh, 1), (header.ttl, 3), (now.ecn_used, 1), (header.seq, 16), (header.ack, 16)]
        return _octets(bits) + self._options()

    def _common(self) -> bytes:
        """Return co_common, which carries any change but that of the static chain."""
        header, now = self.header, self.now
        seq_indicator, seq = self._variable(header.seq, self._seqs)
        ack_indicator, ack = self._variable(header.ack, self._acks)
        ip_id: list[Bits] = []
        ip_id_indicator = 0
        if now.behaviour == _SEQUENTIAL:
            has_offset = all(one.behaviour == _SEQUENTIAL for one in self.known)
            ip_id_indicator = int(not has_offset or not self._offset(8, 3))
            ip_id = [(header.ip_id, 16) if ip_id_indicator else (now.offset, 8)]
        stride, window = not self._as_before("stride"), not self._same("window")
        urgent, dscp, ttl = not self._same("urgent"), not self._same("dscp"), not self._same("ttl")
        bits: list[Bits] = [(0b1111101, 7), (0, 1), (1, 1), (header.psh, 1), (0, 2), (now.msn, 4)]
        bits += [(seq_indicator, 2), (ack_indicator, 2), (stride, 1), (window, 1), (ip_id_indicator, 1), (urgent, 1)]
        bits += [(0, 1), (now.ecn_used, 1), (dscp, 1), (ttl, 1), (self.listed is not None, 1), (now.behaviour, 2)]
        bits += [(header.urg, 1), (header.df, 1), (crc7(self._whole), 7), *seq, *ack]
        if stride:
            bits.append((now.stride, 16))
        if window:
            bits.append((header.window, 16))
        bits += ip_id
        if urgent:
            bits.append((header.urgent, 16))
        if dscp:
            bits += [(header.dscp, 6), (0, 2)]
        if ttl:
            bits.append((header.ttl, 8))
        return _octets(bits) + self._options()

    def _variable(self, value: int, references: Sequence[int]) -> tuple[int, list[Bits]]:
        """Return variable_length_32_enc: its indicator and its bits."""
        if all(value == reference for reference in references):
            return 0, []
        for indicator, width, below in ((1, 8, 63), (2, 16, 16383)):
            if _lsb(width, below, value, references):
                return indicator, [(value, width)]
        return 3, [(value, 32)]
