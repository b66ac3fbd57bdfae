# SPDX-License-Identifier: MIT
"""Parses the guest's samples of a probe's ``watched_file``: bytes over time, and the hash at the end."""

from __future__ import annotations

import re
from itertools import pairwise

from lab.probes.base import Parsed, Raw, TimeSeries

_HASH = re.compile(r"sha256 ([0-9a-f]{64}) ([0-9]{1,18})", re.ASCII)


def watched(raw: Raw, parsed: Parsed) -> None:
    """Read ``<id>.size``: series ``received`` (B), values ``sha256``, ``bytes``; refuse an invalid line."""
    for number, line in raw.lines("size"):
        if "sha256" in parsed.values:
            raise raw.error(number, line, "comes after the hash, which must be the last line", "size")
        if match := _HASH.fullmatch(line):
            parsed.values["sha256"], parsed.values["bytes"] = match[1], int(match[2])
            continue
        stamp, _, size = line.partition(" ")
        t_ns = raw.stamp(number, stamp, line, "size")
        parsed.add("received", "B", t_ns, raw.integer(number, size, line, "size"))


def rate(raw: Raw, parsed: Parsed) -> TimeSeries:
    """Return bit/s between consecutive samples of ``received``, at the time of the later one."""
    rates = TimeSeries(raw.id, "bit/s")
    received = parsed.series_of("received")
    for (before_ns, before), (t_ns, size) in pairwise(zip(received.t_ns, received.values, strict=True)):
        if t_ns > before_ns:
            rates.t_ns.append(t_ns)
            rates.values.append(8 * (size - before) * 1_000_000_000 / (t_ns - before_ns))
    return rates


def received_ns(parsed: Parsed) -> int:
    """Return the time from the first sample of ``received`` to the last one; 0 without samples."""
    stamps = parsed.series_of("received").t_ns
    return stamps[-1] - stamps[0] if stamps else 0
