# SPDX-License-Identifier: MIT
"""Makes text from files and programs safe for a page, a drawing or a terminal."""

from __future__ import annotations

import re

_UNFIT = re.compile(r"[^\t\n\r\x20-\x7e\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def printable(text: str) -> str:
    """Replace characters that XML does not allow (XML 1.0, production 2), and control characters of terminals."""
    return _UNFIT.sub("\N{REPLACEMENT CHARACTER}", text)
