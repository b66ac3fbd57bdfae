# SPDX-License-Identifier: MIT
"""Texts that come from files and programs, made fit for a page, a drawing, a terminal."""

from __future__ import annotations

import re

_UNFIT = re.compile(r"[^\t\n\r\x20-\x7e\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def printable(text: str) -> str:
    """Without characters that XML has no place for (XML 1.0, production 2) or that steer a terminal."""
    return _UNFIT.sub("\N{REPLACEMENT CHARACTER}", text)
