# SPDX-License-Identifier: MIT
"""A kernel for tests: answers what it is attributes to, and keeps what it got."""

from __future__ import annotations

import struct

from lab.guest.netlink import wire

FAMILY_ID = 0x1A


def acknowledged(sequence: int) -> bytes:
    """NLMSG_ERROR with code 0, as with NETLINK_CAP_ACK."""
    return refused(sequence, 0)


def refused(sequence: int, code: int, text: str = "", offset: int | None = None, missing: int | None = None) -> bytes:
    """NLMSG_ERROR with the extended acknowledgement."""
    echo = struct.pack("=IHHII", 16, FAMILY_ID, 5, sequence, 0)
    attributes = wire.attribute(1, wire.text(text)) if text else b""
    attributes += wire.attribute(2, struct.pack("=I", offset)) if offset is not None else b""
    attributes += wire.attribute(5, struct.pack("=I", missing)) if missing is not None else b""
    return wire.message(2, 0x300 if attributes else 0x100, sequence, struct.pack("=i", -code) + echo + attributes)


def answer(sequence: int, *attributes: bytes, flags: int = 2) -> bytes:
    """One answer of a dump, or to GETFAMILY."""
    return wire.message(FAMILY_ID, flags, sequence, wire.generic(1, 1, b"".join(attributes)))


def done(sequence: int, code: int = 0) -> bytes:
    """The end of a dump."""
    return wire.message(3, 2, sequence, struct.pack("=i", -code))


def family(sequence: int = 1) -> bytes:
    """The answer to GETFAMILY, and its acknowledgement."""
    attributes = answer(sequence, wire.attribute(2, b"x\0"), wire.attribute(1, struct.pack("=H", FAMILY_ID)), flags=0)
    return attributes + acknowledged(sequence)


class Kernel:
    """Implements Transport. ``sent`` is what it got; it answers with ``answers`` in turn."""

    def __init__(self, *answers: bytes) -> None:
        self.answers = [family(), *answers]
        self.sent: list[bytes] = []

    def send(self, data: bytes) -> None:
        self.sent.append(data)

    def receive(self) -> bytes:
        return self.answers.pop(0)


class Yes(Kernel):
    """Acknowledges whatever comes."""

    def receive(self) -> bytes:
        if self.answers:
            return super().receive()
        return b"".join(acknowledged(message.sequence) for message in wire.messages(self.sent[-1]))
