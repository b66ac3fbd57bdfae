# SPDX-License-Identifier: MIT
"""Netlink on the wire: messages and attributes as bytes, and the kernel's errors.

Formats: include/uapi/linux/netlink.h and genetlink.h; Documentation/userspace-api/netlink/intro.rst. All numbers are in
the machine's byte order. All functions are pure; lab.guest.netlink.generic talks to the kernel.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator

from lab.guest.errors import GuestError
from lab.shared.frozen import frozen

NLMSG_ERROR = 2
NLMSG_DONE = 3

NLM_F_REQUEST = 0x1
NLM_F_ACK = 0x4
NLM_F_DUMP_INTR = 0x10
NLM_F_DUMP = 0x300
NLM_F_CAPPED = 0x100  # of an error: it repeats only the header of the request
NLM_F_ACK_TLVS = 0x200  # of an error: attributes follow

_ERROR_TEXT, _ERROR_OFFSET, _ERROR_MISSING = 1, 2, 5  # NLMSGERR_ATTR_MSG, _OFFS, _MISS_TYPE
_TYPE_MASK = 0x3FFF  # an attribute's type without NLA_F_NESTED and NLA_F_NET_BYTEORDER
NESTED = 0x8000  # NLA_F_NESTED

_HEADER = struct.Struct("=IHHII")
_GENERIC = struct.Struct("=BBH")
_ATTRIBUTE = struct.Struct("=HH")
_CODE = struct.Struct("=i")
_U32 = struct.Struct("=I")

LONGEST_PAYLOAD = 0xFFFF - _ATTRIBUTE.size  # of an attribute


class NetlinkError(GuestError):
    """The kernel's answer cannot be read."""


@frozen
class Message:
    """A message without its header."""

    message_type: int
    flags: int
    sequence: int
    payload: bytes


@frozen
class KernelAnswer:
    """The kernel's answer to a request. ``code`` is an errno, or 0, or less if it is a result."""

    code: int
    text: str = ""  # in the kernel's words
    offset: int | None = None  # of the invalid attribute, in the request
    missing: int | None = None  # type of a required attribute

    def __str__(self) -> str:
        return self.text or os.strerror(self.code)


def _padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % 4)


def attribute(number: int, payload: bytes) -> bytes:
    """Encode an attribute, padded.

    Raises:
        ValueError: If the payload is too long.
    """
    if len(payload) > LONGEST_PAYLOAD:
        raise ValueError(f"attribute {number} has {len(payload)} bytes, at most {LONGEST_PAYLOAD} fit")
    return _ATTRIBUTE.pack(_ATTRIBUTE.size + len(payload), number) + _padded(payload)


def nested(number: int, *attributes_: bytes) -> bytes:
    """Encode an attribute of attributes."""
    return attribute(number | NESTED, b"".join(attributes_))


def text(value: str) -> bytes:
    """Encode a string as attributes hold it, with the NUL at its end."""
    return value.encode() + b"\0"


def u32(value: int) -> bytes:
    """Encode a number of 32 bits."""
    return _U32.pack(value)


def message(message_type: int, flags: int, sequence: int, payload: bytes) -> bytes:
    """Encode a message with its header, padded. The kernel fills in the port."""
    return _padded(_HEADER.pack(_HEADER.size + len(payload), message_type, flags, sequence, 0) + payload)


def generic(command: int, version: int, payload: bytes) -> bytes:
    """Encode the payload of a generic netlink message."""
    return _GENERIC.pack(command, version, 0) + payload


def without_generic(payload: bytes) -> bytes:
    """Return the attributes in a payload that ``generic`` made."""
    if len(payload) < _GENERIC.size:
        raise NetlinkError(f"netlink: an answer of {len(payload)} bytes has no generic header")
    return payload[_GENERIC.size :]


def messages(data: bytes) -> Iterator[Message]:
    """Yield the messages in received data.

    Raises:
        NetlinkError: If one does not end.
    """
    while data:
        if len(data) < _HEADER.size:
            raise NetlinkError(f"netlink: {len(data)} bytes are not a message")
        length, message_type, flags, sequence, _ = _HEADER.unpack_from(data)
        if not _HEADER.size <= length <= len(data):
            raise NetlinkError(f"netlink: a message has length {length}, but {len(data)} bytes are left")
        yield Message(message_type, flags, sequence, data[_HEADER.size : length])
        data = data[(length + 3) & ~3 :]


def attributes(data: bytes) -> dict[int, bytes]:
    """Return payloads by type; of several with the same type, the last.

    Raises:
        NetlinkError: If one does not end.
    """
    found = {}
    while data:
        if len(data) < _ATTRIBUTE.size:
            raise NetlinkError(f"netlink: {len(data)} bytes are not an attribute")
        length, number = _ATTRIBUTE.unpack_from(data)
        if not _ATTRIBUTE.size <= length <= len(data):
            name = f"attribute {number & _TYPE_MASK}"
            raise NetlinkError(f"netlink: {name} has length {length}, but {len(data)} bytes are left")
        found[number & _TYPE_MASK] = data[_ATTRIBUTE.size : length]
        data = data[(length + 3) & ~3 :]
    return found


def attribute_at(data: bytes, offset: int) -> int | None:
    """Return the type of the attribute that is at ``offset`` of a generic message, or contains it; None without one."""
    start = _HEADER.size + _GENERIC.size
    while start <= min(offset, len(data) - _ATTRIBUTE.size):
        length, number = _ATTRIBUTE.unpack_from(data, start)
        end = start + max(length, _ATTRIBUTE.size)
        if offset < end:
            found: int = number & _TYPE_MASK
            return found
        start = (end + 3) & ~3
    return None


def outcome(answer: Message) -> KernelAnswer:
    """Return the content of an NLMSG_ERROR (an acknowledgement, if its code is 0) or NLMSG_DONE.

    Raises:
        NetlinkError: If it is truncated.
    """
    if len(answer.payload) < _CODE.size:
        raise NetlinkError(f"netlink: an error of {len(answer.payload)} bytes")
    code = -_CODE.unpack_from(answer.payload)[0]
    if not answer.flags & NLM_F_ACK_TLVS:
        return KernelAnswer(code)
    rest = answer.payload[_CODE.size :]
    if answer.message_type == NLMSG_ERROR:
        rest = rest[_echoed(answer, rest) :]
    extended = attributes(rest)
    return KernelAnswer(
        code,
        extended.get(_ERROR_TEXT, b"").rstrip(b"\0").decode(errors="replace"),
        _number(extended.get(_ERROR_OFFSET)),
        _number(extended.get(_ERROR_MISSING)),
    )


def _echoed(answer: Message, rest: bytes) -> int:
    """Return the number of bytes of the request that an error repeats."""
    if len(rest) < _HEADER.size:
        raise NetlinkError(f"netlink: an error of {len(answer.payload)} bytes")
    length: int = _HEADER.size if answer.flags & NLM_F_CAPPED else _HEADER.unpack_from(rest)[0]
    return (length + 3) & ~3


def _number(payload: bytes | None) -> int | None:
    if payload is None:
        return None
    if len(payload) != _U32.size:
        raise NetlinkError(f"netlink: a number of {len(payload)} bytes")
    number: int = _U32.unpack(payload)[0]
    return number
