# SPDX-License-Identifier: MIT
"""Text for a page, a drawing or a terminal: safe characters, short hashes, the end of a log."""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Iterator
from pathlib import Path

from lab import left

_DIGITS = 12  # of a hash
_TAIL_BYTES = 64 << 10  # a log may be long
_LONGEST = 300  # characters of a line of a log
_MORE = "\N{HORIZONTAL ELLIPSIS}"
_MANY = 3  # equal lines


def capitalized(text: str) -> str:
    """Return the text with a capital at its beginning; the rest stays unchanged."""
    return text[:1].upper() + text[1:]


def short_hash(digest: str) -> str:
    """Return the first digits of a hash: ``2181b3caaedc…``."""
    return f"{digest[:_DIGITS]}\N{HORIZONTAL ELLIPSIS}"


def entries(text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield (number from 1, words) of each line of a list that is not blank; ``#`` starts a comment."""
    for number, line in enumerate(text.splitlines(), 1):
        words = line.partition("#")[0].split()
        if words:
            yield number, words


def first_lines(text: str, count: int, file: object, more: int = 0) -> list[str]:
    """Return the first lines, long ones shortened, and the number of others; ``file`` has ``more`` after ``text``."""
    lines = text.splitlines()
    shown = [
        line if len(line) <= _LONGEST else f"{line[:_LONGEST]}{_MORE} (the whole line: {file})"
        for line in lines[:count]
    ]
    rest = max(0, len(lines) - count) + more
    return shown + [f"{_MORE} {rest} more lines: {file}"] * (rest > 0)


def last_lines(path: Path, count: int, without: re.Pattern[str] | None = None) -> list[str]:
    """Return the last lines of a log, long ones shortened; none without that file.

    Three or more equal lines are the first of them and a line with the number of the others. Lines with a match of
    ``without`` are left out.
    """
    if not os.path.lexists(path):
        return []
    with left.opened(path) as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(0, size - _TAIL_BYTES))
        text = file.read().decode(errors="replace")
    lines = text.splitlines()
    if size > _TAIL_BYTES and len(lines) > 1:
        del lines[0]  # its beginning was not read
    if without:
        lines = [line for line in lines if not without.search(line)]
    return [
        line if len(line) <= _LONGEST else f"{line[:_LONGEST]}{_MORE}"
        for line in _folded(lines, whole=size <= _TAIL_BYTES)[-count:]
    ]


def _folded(lines: list[str], whole: bool) -> list[str]:
    """Return lines with equal ones as one; ``whole``: no lines precede them."""
    folded: list[str] = []
    for line, run in itertools.groupby(lines):
        number = len(list(run))
        least = "" if whole or folded else "at least "
        again = [line] * (number - 1) if number < _MANY else [f"{_MORE} {least}{number - 1} more equal lines"]
        folded += [line, *again]
    return folded
