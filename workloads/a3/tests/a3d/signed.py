# SPDX-License-Identifier: MIT
"""What AE signs, made without its code."""

from __future__ import annotations

import hashlib
import hmac
import struct
from ipaddress import ip_address

SECRET = b"of both ends only"
KEY = hashlib.sha256(SECRET).digest()
NO_KEY = bytes(32)
_SYN, _SYN_ACK, _SEGMENT, _TABLE, _DEVICE, _PAIR = range(6)


def _signed(key: bytes, purpose: int, data: bytes) -> bytes:
    return hmac.digest(key, bytes([purpose]) + data, "sha256")


def _device(address: str) -> bytes:
    return ip_address(address).packed.ljust(16, b"\0")


def meeting(
    ends: tuple[tuple[str, int], tuple[str, int]], seq: int, ack: int, answers: bool, key: bytes = KEY
) -> bytes:
    """Return the option of a SYN between two ends, or of the SYN-ACK that answers, with a byte that fills its word."""
    numbers = struct.pack("!HHII", ends[0][1], ends[1][1], seq % 2**32, ack % 2**32)
    said = _device(ends[0][0]) + _device(ends[1][0]) + numbers
    return b"\xfd\x0fA3d\1\1" + _signed(key, _SYN_ACK if answers else _SYN, said)[:8] + b"\1"


def check(tcp: bytes, key: bytes = KEY) -> bytes:
    """Return what tells that a segment, from its header of TCP on, was restored to the bit."""
    return _signed(key, _SEGMENT, tcp)[:8]


def mark(table: bytes, key: bytes = KEY) -> bytes:
    """Return the mark of a table, as it is kept."""
    return _signed(key, _TABLE, hashlib.sha256(table).digest())[:8]


def name(sender: str, recipient: str, device: str = "10.0.0.2", key: bytes = KEY) -> str:
    """Return the name of the file of a device's table of a pair."""
    of = bytes([ip_address(device).version]) + _device(device)
    pair = of + f"{sender}\0{recipient}".encode()
    return (_signed(key, _DEVICE, of[:9])[:8] + _signed(key, _PAIR, pair)[:24]).hex()
