# SPDX-License-Identifier: MIT
"""CRCs of ROHC (RFC 5795, 5.3.1 and appendix A): bits of an octet from the lowest on, registers all ones at first."""

from __future__ import annotations

from collections.abc import Callable


def _crc(bits: int, polynomial: int) -> Callable[[bytes], int]:
    """Return the function of a CRC. The highest bit of the polynomial is that of x^0; that of x^n is left out."""
    table = []
    for octet in range(256):
        register = octet
        for _ in range(8):
            register = register >> 1 ^ (polynomial if register & 1 else 0)
        table.append(register)

    def crc(octets: bytes) -> int:
        register = (1 << bits) - 1
        for octet in octets:
            register = register >> 8 ^ table[(register ^ octet) & 0xFF]
        return register

    return crc


crc3 = _crc(3, 0x6)  # 1 + x + x^3
crc7 = _crc(7, 0x79)  # 1 + x + x^2 + x^3 + x^6 + x^7
crc8 = _crc(8, 0xE0)  # 1 + x + x^2 + x^8
