# SPDX-License-Identifier: MIT
"""Compare the lines in a document with the current output of the command.

Each shown line must be printed, in the order shown. Lines between them may be left out, with or without ``…``. The
comparison ignores spaces at the ends of lines and between columns, the length of rules, the date and time in the name
of a run's directory, and the rest of a line after a ``…`` at its end.

A line is stale if its counterpart is printed with other numbers: the same words, in the same columns, at the same place
between its neighbours. Rows of a table may also appear in another order.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass

ELISION = "…"
MINUS = "\N{MINUS SIGN}"
NUMBER = re.compile(rf"(?<![\w.:@/{MINUS}-])[{MINUS}-]?\d+(?: \d{{3}}(?!\d))*(?:\.\d+)?(?:e[+-]?\d+)?(?!\.?\w|[:/])")
_STAMP = re.compile(r"runs/\d{8}-\d{6}-")
_RULE = re.compile(r"([─━═-])\1+")
_COLUMNS = re.compile(r" {2,}|\t|│")
_SIZE = re.compile(r"\b[KMGT]i?B\b")
_EQUAL, _STALE, _BLANK, _NEXT = 10, 6, 1, 1  # _NEXT: neighbours that are also neighbours in the output


@dataclass(frozen=True)
class Pair:
    """A shown line (its place in the list of shown lines) and its counterpart; None if there is no clear counterpart.

    A row that is equal, but at another place of its table, is its own counterpart.
    """

    place: int
    shown: str
    printed: str | None


@dataclass(frozen=True)
class Comparison:
    """``lines``: the correct content of the block. ``stale``: lines with a counterpart; ``unclear``: to check by hand.

    A line with a clear counterpart is still ``unclear`` if an adjacent line has none.
    """

    lines: list[str]
    stale: list[Pair]
    unclear: list[Pair]

    @property
    def agrees(self) -> bool:
        """Whether no line is stale or unclear."""
        return not self.stale and not self.unclear


@functools.cache
def plain(line: str) -> str:
    """Return the part of a line that is compared."""
    return " ".join(_RULE.sub(r"\1", _STAMP.sub("runs/", line)).split())


@functools.cache
def skeleton(line: str) -> tuple[str, ...]:
    """Return a line's columns with numbers as ``#``: what a line and its counterpart have in common."""
    columns = _COLUMNS.split(line.strip()) if "\t" not in line else line.rstrip("\n").split("\t")
    return tuple(NUMBER.sub("#", _SIZE.sub("B", plain(column))) for column in columns)


def same(shown: str, printed: str) -> bool:
    """Return whether a line is shown exactly as printed."""
    ours, theirs = plain(shown), plain(printed)
    return ours == theirs or (ours.endswith(ELISION) and theirs.startswith(ours[:-1].rstrip()))


def compare(shown: list[str], printed: list[str]) -> Comparison:
    """Find the counterparts of shown lines."""
    order = _as_printed(shown, printed)
    ordered = [shown[place] for place in order]
    first, last = _aligned(ordered, printed, earliest=True), _aligned(ordered, printed, earliest=False)
    counterparts = [
        None if a is None or b is None else _clear(old, [printed[a], printed[b]])
        for old, a, b in zip(ordered, first, last, strict=True)
    ]
    doubtful = _next_to_unclear(ordered, counterparts)
    stale: list[Pair] = []
    unclear: list[Pair] = []
    for n, (place, old, new) in enumerate(zip(order, ordered, counterparts, strict=True)):
        if _separates(old) or (new is not None and same(old, new)):
            continue
        (unclear if new is None or n in doubtful else stale).append(Pair(place, old, new))
    known = {pair.place for pair in [*stale, *unclear]}
    for n, line in enumerate(shown):
        if order[n] != n and n not in known:
            (unclear if n in doubtful else stale).append(Pair(n, line, line))
    lines = list(shown)
    for n, (old, new) in enumerate(zip(ordered, counterparts, strict=True)):
        if stale and n not in doubtful:
            lines[n] = _written(old, new)
    return Comparison(lines, sorted(stale, key=_place), sorted(unclear, key=_place))


def _next_to_unclear(shown: list[str], counterparts: list[str | None]) -> set[int]:
    """Return the places of all parts (between blank lines or ``…``) with an unclear line: each is of one run."""
    doubtful: set[int] = set()
    part: list[int] = []
    for n, line in enumerate([*shown, ELISION]):
        if not _separates(line):
            part.append(n)
            continue
        if any(counterparts[m] is None for m in part):
            doubtful.update(part)
        part = []
    return doubtful


def _separates(line: str) -> bool:
    return line.strip() in ("", ELISION)


def _place(pair: Pair) -> int:
    return pair.place


def _clear(shown: str, found: list[str]) -> str | None:
    """Choose from two candidates: one that is shown as printed, or either if they are equal; else None."""
    equal = [line for line in found if same(shown, line)]
    return equal[0] if equal else found[0] if plain(found[0]) == plain(found[1]) else None


def _written(old: str, new: str | None) -> str:
    """Return the new line: the printed one, unless the old one omits its end or differs only in the date."""
    if new is None or (same(old, new) and (old.rstrip().endswith(ELISION) or _STAMP.search(old))):
        return old
    return new.rstrip(" ")


def _aligned(shown: list[str], printed: list[str], *, earliest: bool) -> list[int | None]:
    """Return the place in ``printed`` of each shown line, in order, with as many and as close matches as possible.

    Of equally good alignments, return the earliest or the latest: where these two differ, the counterpart is unclear.
    """
    rows, columns = len(shown), len(printed)
    worth = [[_worth(old, new) for new in printed] for old in shown]
    # best[i][j][k]: score of shown[i:] with printed[j:]; k: whether the pair before was a match, too
    best = [[[0, 0] for _ in range(columns + 1)] for _ in range(rows + 1)]
    for i in range(rows - 1, -1, -1):
        for j in range(columns - 1, -1, -1):
            apart = max(best[i + 1][j][0], best[i][j + 1][0])
            for k in (0, 1):
                pair = worth[i][j] + k * _NEXT + best[i + 1][j + 1][1] if worth[i][j] else 0
                best[i][j][k] = max(apart, pair)
    found: list[int | None] = [None] * rows
    i = j = k = 0
    while i < rows and j < columns:
        pair = worth[i][j] + k * _NEXT + best[i + 1][j + 1][1] if worth[i][j] else -1
        later, without = best[i][j + 1][0], best[i + 1][j][0]
        if pair == best[i][j][k] and (earliest or max(later, without) < pair):
            found[i], i, j, k = j, i + 1, j + 1, 1
        elif later == best[i][j][k] and (not earliest or without < later):
            j, k = j + 1, 0
        else:
            i, k = i + 1, 0
    return found


def _worth(shown: str, printed: str) -> int:
    if shown.strip() == ELISION:
        return 0
    if not plain(shown):
        return _BLANK * (not plain(printed))
    if same(shown, printed):
        return _EQUAL
    return _STALE * (skeleton(shown) == skeleton(printed))


def _as_printed(shown: list[str], printed: list[str]) -> list[int]:
    """Return the places of the shown lines, with the rows of a table in the order in which they are printed now."""
    order: list[int] = []
    tables = list(_tables(printed))
    for first, rows in _tables(shown):
        places = list(range(first, first + len(rows)))
        labels = [skeleton(row) for row in rows]
        if len(set(labels)) == len(rows) > 1:
            for _, others in sorted(tables, key=lambda table: _head(printed, table[0]) != _head(shown, first)):
                theirs = [skeleton(row) for row in others]
                if set(labels) <= set(theirs) and all(theirs.count(label) == 1 for label in labels):
                    places.sort(key=lambda place: theirs.index(skeleton(shown[place])))
                    break
        order += places
    return order


def _tables(lines: list[str]) -> Iterator[tuple[int, list[str]]]:
    """Yield groups of lines that differ only in their names (place of the first, lines); other lines alone."""
    begin = 0
    for end in range(1, len(lines) + 1):
        if end == len(lines) or _shape(lines[end]) != _shape(lines[begin]):
            yield begin, lines[begin:end]
            begin = end


def _shape(line: str) -> tuple[str, ...]:
    """Return which columns are numbers."""
    return tuple(
        column if column in ("#", "") else "#B" if column.startswith("# (") else "a" for column in skeleton(line)
    )


def _head(lines: list[str], place: int) -> str:
    """Return the head of the table whose first row is at ``place``, if it has one."""
    if place > 1 and re.fullmatch("[─━]", plain(lines[place - 1])):
        return plain(lines[place - 2])
    return ""
