# SPDX-License-Identifier: MIT
"""Runs in a node: a DCCP endpoint (RFC 4340) that sends whatever a test wants, and shows what comes back.

The node's own kernel must not see what the other end answers, or it would reset the connection: a packet filter hides
it, and a packet socket, which comes before that filter, reads it. Only the standard library.
"""

from __future__ import annotations

import select
import socket
import struct
import subprocess
import time
from dataclasses import dataclass

REQUEST, RESPONSE, DATA, ACK, DATAACK, CLOSEREQ, CLOSE, RESET, SYNC, SYNCACK = range(10)
DCCP = 33
CHANGE_L, CONFIRM_L, CHANGE_R, CONFIRM_R = 32, 33, 34, 35
ACK_VECTOR = 38
CCID = 1
MODULUS = 1 << 48
_TYPES_WITHOUT_ACK = (REQUEST, DATA)
_EXTRA_BYTES = {REQUEST: 4, RESPONSE: 4, RESET: 4}  # service code, or code and data of a reset
# filters the node's own kernel out of the conversation
_HIDE = (
    "add table ip hidden; add chain ip hidden arriving {type filter hook input priority 0;}; "
    "add rule ip hidden arriving ip protocol dccp drop"
)


def option(number: int, value: bytes = b"") -> bytes:
    """An option; those below 32 are one byte."""
    return bytes([number]) if number < 32 else bytes([number, 2 + len(value)]) + value


def checksum(data: bytes) -> int:
    """The Internet checksum."""
    total: int = sum(struct.unpack(f"!{(len(data) + 1) // 2}H", data + bytes(len(data) % 2)))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


@dataclass(frozen=True)
class Packet:
    """What a received packet says."""

    type: int
    seq: int
    ack: int | None
    ccval: int
    coverage: int
    options: tuple[tuple[int, bytes], ...]
    payload: bytes
    extra: bytes
    at_s: float


def parse(data: bytes, at_s: float) -> Packet:
    """Read a packet with long sequence numbers, from its DCCP header on."""
    offset, vals, _, kind, _, high, low = struct.unpack("!BBHBBHI", data[4:16])
    kind = kind >> 1 & 15
    at, ack = 16, None
    if kind not in _TYPES_WITHOUT_ACK:
        _, ack_high, ack_low = struct.unpack("!HHI", data[16:24])
        at, ack = 24, ack_high << 32 | ack_low
    extra = data[at : at + _EXTRA_BYTES.get(kind, 0)]
    rest, found = data[at + len(extra) : 4 * offset], []
    while rest:
        length = 1 if rest[0] < 32 else rest[1]
        found.append((rest[0], rest[2:length]))
        rest = rest[length:]
    return Packet(kind, high << 32 | low, ack, vals >> 4, vals & 15, tuple(found), data[4 * offset :], extra, at_s)


class Peer:
    """One end of a connection. ``seq`` is what it sent last, ``heard`` the highest number that it got."""

    def __init__(self, interface: str, own: str, other: str, own_port: int, other_port: int) -> None:
        subprocess.run(["nft", _HIDE], check=True)
        self.own, self.other = own, other
        self.ports = own_port, other_port
        self._out = socket.socket(socket.AF_INET, socket.SOCK_RAW, DCCP)
        self._in = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(0x0800))
        self._in.bind((interface, 0x0800))
        self.seq, self.heard = 1000, 0

    def build(
        self,
        kind: int,
        options: bytes = b"",
        payload: bytes = b"",
        *,
        seq: int | None = None,
        ack: int | None = None,
        extra: bytes = b"",
        ccval: int = 0,
        coverage: int = 0,
        offset: int | None = None,
        short: bool = False,
    ) -> bytes:
        """A packet with a right checksum; ``seq`` is by default the next one, ``ack`` what was heard last."""
        if seq is None:
            seq = self.seq = (self.seq + 1) % MODULUS
        ack = self.heard if ack is None else ack
        extra = extra or {REQUEST: struct.pack("!I", 1), RESPONSE: struct.pack("!I", 1)}.get(kind, b"")
        options += bytes(-len(options) % 4)
        if short:
            head = struct.pack("!B", kind << 1) + (seq & 0xFFFFFF).to_bytes(3, "big")
            acks = b"" if kind in _TYPES_WITHOUT_ACK else struct.pack("!I", ack & 0xFFFFFF)
        else:
            head = struct.pack("!BBHI", kind << 1 | 1, 0, seq >> 32 & 0xFFFF, seq & 0xFFFFFFFF)
            acks = b"" if kind in _TYPES_WITHOUT_ACK else struct.pack("!HHI", 0, ack >> 32, ack & 0xFFFFFFFF)
        extra = extra[: _EXTRA_BYTES.get(kind, 0)].ljust(_EXTRA_BYTES.get(kind, 0), b"\0")
        words = (8 + len(head) + len(acks) + len(extra) + len(options)) // 4
        offset = words if offset is None else offset
        front = struct.pack("!HHBBH", *self.ports, min(offset, 255), ccval << 4 | coverage, 0)
        return self.summed(front + head + acks + extra + options + payload)

    def summed(self, data: bytes) -> bytes:
        """The packet with the checksum that its coverage asks for."""
        data = data[:6] + b"\0\0" + data[8:]
        covered = len(data) if not data[5] & 15 else 4 * (data[4] + (data[5] & 15) - 1)
        pseudo = socket.inet_aton(self.own) + socket.inet_aton(self.other) + struct.pack("!HH", DCCP, len(data))
        return data[:6] + struct.pack("!H", checksum(pseudo + data[:covered])) + data[8:]

    def put(self, data: bytes) -> None:
        """Send a packet unchanged."""
        self._out.sendto(data, (self.other, 0))

    def send(self, kind: int, options: bytes = b"", payload: bytes = b"", **fields: int | bytes | bool | None) -> None:
        """Build a packet, and send it."""
        self.put(self.build(kind, options, payload, **fields))  # type: ignore[arg-type]

    def receive(self, within_s: float) -> Packet | None:
        """The next packet for this end; None if none comes within that time."""
        until_s = time.monotonic() + within_s
        while (left_s := until_s - time.monotonic()) > 0:
            if not select.select([self._in], [], [], left_s)[0]:
                return None
            data, (_, _, incoming, *_) = self._in.recvfrom(65535)
            body = data[(data[0] & 15) * 4 :]
            if incoming or data[9] != DCCP or struct.unpack("!HH", body[:4]) != self.ports[::-1]:
                continue  # socket.PACKET_HOST is 0
            packet = parse(body, time.monotonic())
            self.heard = max(self.heard, packet.seq)
            return packet
        return None

    def all(self, within_s: float) -> list[Packet]:
        """All packets that come within that time."""
        until_s = time.monotonic() + within_s
        found = []
        while (packet := self.receive(until_s - time.monotonic())) is not None:
            found.append(packet)
        return found

    def wait(self, kind: int, within_s: float = 5.0) -> Packet:
        """The next packet of that type; TimeoutError if none comes."""
        until_s = time.monotonic() + within_s
        while (packet := self.receive(until_s - time.monotonic())) is not None:
            if packet.type == kind:
                return packet
        raise TimeoutError(f"no packet of type {kind}")

    def confirm(self, packet: Packet) -> bytes:
        """Confirm the first value of each feature that a packet wants to change."""
        answers = {CHANGE_L: CONFIRM_R, CHANGE_R: CONFIRM_L}
        return b"".join(
            option(answers[number], value if self._is_number(value) else value[:2])
            for number, value in packet.options
            if number in answers
        )

    @staticmethod
    def _is_number(value: bytes) -> bool:
        return value[0] in (3, 5)  # Sequence Window and Ack Ratio have no list of preferences

    def filled(self, data: bytes) -> bytes:
        """A stored packet with the ports, the next sequence number and what was heard; its checksum is not right."""
        if len(data) < 16:
            return struct.pack("!HH", *self.ports)[: len(data)] + data[4:]
        self.seq = (self.seq + 1) % MODULUS
        kind, long = data[8] >> 1 & 15, data[8] & 1
        if not long:
            return struct.pack("!HH", *self.ports) + data[4:9] + (self.seq & 0xFFFFFF).to_bytes(3, "big") + data[12:]
        head = data[4:10] + struct.pack("!HI", self.seq >> 32, self.seq & 0xFFFFFFFF)
        if kind in _TYPES_WITHOUT_ACK or len(data) < 24:
            return struct.pack("!HH", *self.ports) + head + data[16:]
        acks = struct.pack("!HHI", 0, self.heard >> 32, self.heard & 0xFFFFFFFF)
        return struct.pack("!HH", *self.ports) + head + acks + data[24:]

    def connect(self, ccid: int = 2, within_s: float = 5.0) -> None:
        """Open a connection with that CCID in both directions."""
        wanted = option(CHANGE_L, bytes([CCID, ccid])) + option(CHANGE_R, bytes([CCID, ccid]))
        self.send(REQUEST, wanted)
        self.send(ACK, self.confirm(self.wait(RESPONSE, within_s)))

    def request(self, within_s: float = 10.0) -> Packet:
        """The next Request to the own port; TimeoutError if none comes. Its sender becomes the other end."""
        until_s = time.monotonic() + within_s
        while select.select([self._in], [], [], max(0.0, until_s - time.monotonic()))[0]:
            data, (_, _, incoming, *_) = self._in.recvfrom(65535)
            body = data[(data[0] & 15) * 4 :]
            own = struct.pack("!H", self.ports[0])
            if incoming or data[9] != DCCP or body[2:4] != own or body[8] >> 1 & 15 != REQUEST:
                continue
            self.ports = self.ports[0], struct.unpack("!H", body[:2])[0]
            packet = parse(body, time.monotonic())
            self.heard = packet.seq
            return packet
        raise TimeoutError("no Request")

    def accept(self) -> Packet:
        """Answer a connection up to the Response; returns the Request."""
        request = self.request()
        self.send(RESPONSE, self.confirm(request))
        return request
