# SPDX-License-Identifier: MIT
"""Names of files as text, whatever bytes a program has put into them."""

import os


def escaped(name: str) -> str:
    r"""Return the name for messages and records: bytes that are not UTF-8 and control characters as ``\xff``."""
    text = os.fsencode(name).decode("utf-8", errors="backslashreplace")
    return "".join(one if one.isprintable() else one.encode("unicode_escape").decode("ascii") for one in text)
