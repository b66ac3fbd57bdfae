# SPDX-License-Identifier: MIT
"""Find numbers of stale lines that prose repeats: these have to be changed by hand."""

from __future__ import annotations

from dataclasses import dataclass

from tests.shown.compare import MINUS, NUMBER, Pair


@dataclass(frozen=True)
class Mention:
    """A number in prose: its line, its text there, the number shown in the block, the number printed now (if clear)."""

    line: int
    written: str
    shown: str
    printed: str


def mentions(stale: list[Pair], prose: dict[int, str]) -> list[Mention]:
    """Return where prose (lines by number) has a number of a stale line, as it was shown or rounded."""
    found: list[Mention] = []
    for line, words in prose.items():
        for written in dict.fromkeys(NUMBER.findall(words)):
            for shown, printed in _changes(stale):
                if _means(written, shown) and not (printed and _means(written, printed)):
                    found.append(Mention(line, written, shown, printed))
                    break
    return found


def _changes(stale: list[Pair]) -> dict[tuple[str, str], None]:
    """Return (old, new) of each changed number; new is empty if the lines do not have the same number of numbers."""
    changes: dict[tuple[str, str], None] = {}
    for pair in stale:
        old, new = NUMBER.findall(pair.shown), NUMBER.findall(pair.printed or "")
        if len(old) != len(new):
            new = [""] * len(old)
        changes.update(dict.fromkeys((a, b) for a, b in zip(old, new, strict=True) if a != b))
    return changes


def _means(written: str, shown: str) -> bool:
    """Return whether the text is the shown number, or that rounded; single digits are ignored as too common."""
    digits = written.replace(" ", "").lstrip(f"{MINUS}-")
    if len(digits) < 2:
        return False
    decimals = len(digits.partition(".")[2])
    return f"{abs(_value(shown)):.{decimals}f}" == digits


def _value(number: str) -> float:
    return float(number.replace(" ", "").replace(MINUS, "-"))
