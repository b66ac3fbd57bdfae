# SPDX-License-Identifier: MIT
"""What may be printed, whoever wrote it."""

from __future__ import annotations

import re

# what XML does not allow (XML 1.0, production 2), what controls terminals, and what hides or reorders text
_UNFIT = re.compile(
    r"[^\t\n\r\x20-\x7e\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]|\r(?!\n|\Z)|"
    r"[\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)


def printable(text: str) -> str:
    r"""Write characters that are not for printing as escapes: ``\x1b`` for that which begins a terminal's commands."""
    return _UNFIT.sub(lambda match: match[0].encode("unicode_escape").decode(), text)
