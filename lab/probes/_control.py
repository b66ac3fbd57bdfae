# SPDX-License-Identifier: MIT
"""Probes that listen to the control socket of a hostap daemon: what hostapd-events and wpa-events have in common."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, ClassVar

from lab.probes.base import Occurrence, Parsed, Probe, Raw, Target

_LINE = re.compile(r"(-?[0-9]{1,18}) (?:<[0-9]>)?(.*)", re.ASCII)
_INTEGERS = ("freq_mhz", "reason", "status", "level_dbm", "selected_dbm")
MAC = "(?:[0-9a-fA-F]{2}:){5}[0-9a-fA-F]{2}"


class ControlEvents(Probe):
    """A subclass sets ``client``, ``patterns`` and ``counted``.

    The guest writes a line ``<virtual ns> [<priority>]text`` for each event.
    """

    mode = "control"
    client: ClassVar[str] = ""  # the command-line tool for the same socket
    patterns: ClassVar[Mapping[str, str]] = {}  # by kind; their named groups become fields
    counted: ClassVar[Mapping[str, str]] = {}  # kind of occurrence that a value counts, by the name of the value

    def argv(self, target: Target, params: dict[str, Any], raw: str) -> list[str]:
        """Return the equivalent command for documentation; the guest attaches to the socket itself."""
        return [self.client, "-i", target.radio or target.interface]

    def parse(self, raw: Raw) -> Parsed:
        """Return one occurrence per line: the first kind whose pattern matches the start of the text, else ``other``.

        Every occurrence has its ``text`` as a field, too. Each line has a time stamp; these must not decrease.
        """
        patterns = {kind: re.compile(pattern, re.ASCII) for kind, pattern in self.patterns.items()}
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
        for name, kind in self.counted.items():
            parsed.values[name] = sum(occurrence.kind == kind for occurrence in parsed.occurrences)
        return parsed


def _occurrence(t_ns: int, text: str, patterns: Mapping[str, re.Pattern[str]]) -> Occurrence:
    for kind, pattern in patterns.items():
        if match := pattern.match(text):
            groups = {key: value for key, value in match.groupdict().items() if value is not None}
            fields = {key: int(value) if key in _INTEGERS else value for key, value in groups.items()}
            return Occurrence(t_ns, kind, {"text": text, **fields})
    return Occurrence(t_ns, "other", {"text": text})
