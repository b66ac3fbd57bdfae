# SPDX-License-Identifier: MIT
"""Reads what the guest noted of a probe's ``watched_file``: bytes over time, and the hash at the end."""

from __future__ import annotations

import re

from lab.probes.base import Parsed, Raw

_HASH = re.compile(r"sha256 ([0-9a-f]{64}) ([0-9]{1,18})", re.ASCII)


def watched(raw: Raw, parsed: Parsed) -> None:
    """Series ``received`` (B), values ``sha256`` and ``bytes``, of ``<id>.size``. ProbeOutputError: a wrong line."""
    for number, line in raw.lines("size"):
        if "sha256" in parsed.values:
            raise raw.error(number, line, "follows the hash, which comes last", "size")
        if match := _HASH.fullmatch(line):
            parsed.values["sha256"], parsed.values["bytes"] = match[1], int(match[2])
            continue
        stamp, _, size = line.partition(" ")
        t_ns = raw.stamp(number, stamp, line, "size")
        parsed.add("received", "B", t_ns, raw.integer(number, size, line, "size"))
