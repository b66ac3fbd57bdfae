# SPDX-License-Identifier: MIT
"""Texts that come from files and programs, made fit for a page, a drawing, a terminal."""

from __future__ import annotations


def printable(text: str) -> str:
    """Without characters that XML has no place for (XML 1.0, production 2) or that steer a terminal."""
    return "".join(letter if _allowed(ord(letter)) else "\N{REPLACEMENT CHARACTER}" for letter in text)


def _allowed(code: int) -> bool:
    return (
        code in (9, 10, 13)
        or 0x20 <= code < 0x7F
        or 0xA0 <= code <= 0xD7FF
        or 0xE000 <= code <= 0xFFFD
        or code > 0xFFFF
    )
