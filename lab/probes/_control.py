# SPDX-License-Identifier: MIT
"""Parses event lines of a hostap control socket, as the guest writes them: ``<virtual ns> [<priority>]text``."""

from __future__ import annotations

import re
from collections.abc import Mapping

from lab.probes.base import Occurrence, Parsed, Raw

_LINE = re.compile(r"(-?[0-9]{1,18}) (?:<[0-9]>)?(.*)", re.ASCII)
_INTEGERS = ("freq_mhz", "reason", "status", "level_dbm", "selected_dbm")
MAC = "(?:[0-9a-fA-F]{2}:){5}[0-9a-fA-F]{2}"


def parse_events(raw: Raw, patterns: Mapping[str, re.Pattern[str]]) -> Parsed:
    """Return one occurrence per line: the first kind whose pattern matches the start of the text, else ``other``.

    Named groups of the pattern become fields (those in ``_INTEGERS`` as integers); every occurrence has its ``text``
    as well.

    Raises:
        ProbeOutputError: A line has no time stamp, or time stamps decrease.
    """
    parsed = Parsed()
    last_ns: int | None = None
    for number, line in raw.lines():
        match = _LINE.fullmatch(line)
        if match is None:
            raise raw.error(number, line, "expected '<ns> <event>'")
        t_ns, text = int(match[1]), match[2].strip()
        if last_ns is not None and t_ns < last_ns:
            raise raw.error(number, line, f"is earlier than the line above it ({last_ns} ns)")
        last_ns = t_ns
        parsed.occurrences.append(_occurrence(t_ns, text, patterns))
    return parsed


def _occurrence(t_ns: int, text: str, patterns: Mapping[str, re.Pattern[str]]) -> Occurrence:
    for kind, pattern in patterns.items():
        if match := pattern.match(text):
            fields = {
                key: int(value) if key in _INTEGERS else value
                for key, value in match.groupdict().items()
                if value is not None
            }
            return Occurrence(t_ns, kind, {"text": text, **fields})
    return Occurrence(t_ns, "other", {"text": text})
