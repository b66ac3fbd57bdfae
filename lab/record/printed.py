# SPDX-License-Identifier: MIT
"""Reads what a program prints (``prints:`` of a process) into values, and series over the time of its prints."""

from __future__ import annotations

import json
import math
import re
from bisect import bisect_left
from collections.abc import Callable, Iterator
from typing import Any

from lab import left
from lab.errors import HostError
from lab.probes.base import Parsed, ProbeOutputError, Raw
from lab.record import matching
from lab.shared.types import Prints

_NUMBER = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]{1,3})?", re.ASCII)
MOST_LINES = 500_000  # more would take minutes and gigabytes, and no report can show them
_DIGITS_AT_MOST = 40  # Python refuses to convert very long numbers


def parse(raw: Raw, prints: Prints, boot_ns: int, source: str = "") -> Parsed:
    """Parse the standard output of a program.

    Args:
        raw: its ``.out``, and ``.when`` with the guest's notes on its size (lab.guest.output_times).
        prints: how to read it.
        boot_ns: the guest's uptime at the start of the timeline.
        source: file and line of the process, for messages.

    Returns:
        For each name a series of its numbers in the unit of ``prints``, and the last value.

    Raises:
        ProbeOutputError: If the search for an expression takes too long, or there are too many lines.
        HostError: If there is too little memory for the search.
    """
    written_ns = _clock(raw, boot_ns)
    parsed = Parsed()
    end = 0
    printed = left.content(raw.path("out"))
    if (number := printed.count(b"\n")) > MOST_LINES:
        left_out = (
            f"{raw.id}.out has {number:,} lines; none of them was read, since prints: reads at most {MOST_LINES:,}"
        )
        raise ProbeOutputError(f"{source}: {left_out}; print less often" if source else left_out)
    lines = printed.splitlines(keepends=True)
    texts = [line.decode("utf-8", errors="replace").strip() for line in lines]
    matched = _matched(raw, prints, texts, source)
    for line, text, groups in zip(lines, texts, matched, strict=True):
        end += len(line)
        for name, value in _found(prints, text, groups):
            parsed.values[name] = value
            if not isinstance(value, str | bool):
                parsed.add(name, prints.units.get(name, ""), written_ns(end), value)
    return parsed


def _clock(raw: Raw, boot_ns: int) -> Callable[[int], int]:
    """Return what gives the time, since the start of the timeline, when the byte before a position was there."""
    notes = [line.split() for _, line in raw.lines("when")] if raw.path("when").exists() else []
    sizes = [int(size) for _, size in notes]

    def written_ns(end: int) -> int:
        index = min(bisect_left(sizes, end), len(sizes) - 1)
        return int(notes[index][0]) - boot_ns if index >= 0 else raw.started_ns

    return written_ns


def _matched(raw: Raw, prints: Prints, texts: list[str], source: str) -> list[matching.Groups]:
    try:
        return matching.groups(prints.match, texts)
    except matching.SlowMatchError as slow:
        why = (
            f"the search for {slow.pattern!r} takes too long; write an expression without repetitions of repetitions, "
            "such as (a+)+"
        )
        error = raw.error(slow.line + 1, texts[slow.line], why)
        raise ProbeOutputError(f"{source}: prints: match: {error}" if source else str(error)) from None
    except ChildProcessError as error:
        raise HostError(f"{raw.path('out')}: {error}", hint="is there too little memory?") from None


def _found(prints: Prints, text: str, groups: matching.Groups) -> Iterator[tuple[str, float | str | bool]]:
    if prints.json and text.startswith("{"):
        for name, value in _object(text).items():
            if isinstance(value, str | bool) or _is_number(value):
                yield name, value
    for name, group in groups:
        yield name, _value(group)


def _is_number(value: object) -> bool:
    """Return whether it is a number that a float can hold."""
    try:
        return isinstance(value, int | float) and math.isfinite(value)
    except OverflowError:  # a whole number of hundreds of digits
        return False


def _object(text: str) -> dict[str, Any]:
    """Return the JSON object; an empty one if the text is not one."""
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    assert isinstance(found, dict)  # it begins with {
    return found


def _value(text: str) -> float | str:
    """Return a number if the text is one, else the text."""
    if len(text) > _DIGITS_AT_MOST or not _NUMBER.fullmatch(text):
        return text
    return int(text) if text.lstrip("+-").isdigit() else float(text)
