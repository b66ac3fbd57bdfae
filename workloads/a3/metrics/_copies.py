# SPDX-License-Identifier: MIT
"""Copies of thin messages in two captures: where they leave, and where they arrive."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from lab.metrics._packets import ETHERNET_BYTES, segment
from lab.metrics.base import Context, chosen
from lab.probes.base import Capture
from lab.shared import types



def _identity(frame: bytes) -> bytes:
    """Return what is equal in all copies of a packet, before and behind a router."""
    ip = frame[ETHERNET_BYTES:]
    return ip[:8] + ip[9:10] + ip[12:]


def messages(metric: types.PlannedMetric, context: Context, copies: int) -> list[tuple[Sequence[int], Sequence[int]]]:
    """Return when the copies of each thin message left the first capture, and when they reached the second, in ns.

    A thin message is a segment with data that left ``copies`` times or more, equal to the bit. Copies of a second
    round are equal as well.
    """
    leaving, arriving = (source.capture() for source in chosen(metric, context, Capture))
    left_ns, arrived_ns = defaultdict[bytes, list[int]](list), defaultdict[bytes, list[int]](list)
    for capture, times_ns in ((leaving, left_ns), (arriving, arrived_ns)):
        for stamp_ns, frame in capture.frames():
            found = segment(frame)
            if found and found.size:
                times_ns[_identity(frame)].append(stamp_ns)
    return [(times_ns, arrived_ns[name]) for name, times_ns in left_ns.items() if len(times_ns) >= copies]
