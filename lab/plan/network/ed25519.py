# SPDX-License-Identifier: MIT
"""Signatures with Ed25519 (RFC 8032): equal keys and messages give equal bytes, as runs need.

For the certificates of emulated networks only: the time that it takes depends on the key.
"""

from __future__ import annotations

import hashlib

_P = 2**255 - 19  # of the field
_ORDER = 2**252 + 27742317777372353535851937790883648493  # of the base point
_D = -121665 * pow(121666, -1, _P) % _P  # of the curve -x² + y² = 1 + d x² y²
_Point = tuple[int, int, int]  # X, Y, Z: x = X / Z, y = Y / Z


def _base() -> _Point:
    """Return the point with y = 4/5 and even x."""
    y = 4 * pow(5, -1, _P) % _P
    square = (y * y - 1) * pow(_D * y * y + 1, -1, _P) % _P
    x = pow(square, (_P + 3) // 8, _P)
    if (x * x - square) % _P:
        x = x * pow(2, (_P - 1) // 4, _P) % _P
    return (x if x % 2 == 0 else _P - x), y, 1


def _sum(a: _Point, b: _Point) -> _Point:
    """Add by the law of the curve: x = (x₁y₂ + x₂y₁) / (1 + m), y = (y₁y₂ + x₁x₂) / (1 - m), m = d x₁x₂y₁y₂."""
    xx, yy, z = a[0] * b[0] % _P, a[1] * b[1] % _P, a[2] * b[2] % _P
    m, zz = _D * xx * yy % _P, z * z % _P
    crossed = (a[0] + a[1]) * (b[0] + b[1]) - xx - yy
    return z * (zz - m) * crossed % _P, z * (zz + m) * (yy + xx) % _P, (zz - m) * (zz + m) % _P


def _of_base(number: int) -> bytes:
    """Return that multiple of the base point, encoded."""
    found, power = (0, 1, 1), _base()
    while number:
        if number & 1:
            found = _sum(found, power)
        power = _sum(power, power)
        number >>= 1
    inverse = pow(found[2], -1, _P)
    x, y = found[0] * inverse % _P, found[1] * inverse % _P
    return (y | (x & 1) << 255).to_bytes(32, "little")


def _secret(key: bytes) -> tuple[int, bytes]:
    digest = hashlib.sha512(key).digest()
    return int.from_bytes(digest[:32], "little") & (1 << 254) - 8 | 1 << 254, digest[32:]


def _number(*parts: bytes) -> int:
    return int.from_bytes(hashlib.sha512(b"".join(parts)).digest(), "little") % _ORDER


def public(key: bytes) -> bytes:
    """Return the public key of a private key, which is any 32 bytes."""
    return _of_base(_secret(key)[0])


def sign(key: bytes, message: bytes) -> bytes:
    """Return the signature of a message."""
    secret, prefix = _secret(key)
    nonce = _number(prefix, message)
    first = _of_base(nonce)
    answer = (nonce + _number(first, public(key), message) * secret) % _ORDER
    return first + answer.to_bytes(32, "little")
