# SPDX-License-Identifier: MIT
"""Copies of thin messages in two captures: where they leave, and where they arrive."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from lab.captures.pcap import PcapFile
from lab.metrics._packets import ETHERNET_BYTES, segment
from lab.metrics.base import Context, chosen
from lab.probes.base import Capture
from lab.shared import types


def _identity(frame: bytes) -> bytes:
    """Return what is equal in all copies of a packet, before and behind a router.

    Not time to live and checksums: a host may leave TCP's to its network card.
    """
    ip = frame[ETHERNET_BYTES:]
    tcp = 4 * (ip[0] & 0x0F)
    return ip[:8] + ip[9:10] + ip[12 : tcp + 16] + ip[tcp + 18 :]


def messages(metric: types.PlannedMetric, context: Context) -> Iterator[tuple[list[int], list[int]]]:
    """Yield when the copies of each thin message left the first capture, and when they reached the second, in ns.

    A thin message is a segment with data that left more than once with the same identification, so not by TCP.
    Without both captures, there is none.
    """
    written = [source for source in chosen(metric, context, Capture) if source.raw.path("pcap").exists()]
    if len(written) != 2:
        return
    leaving, arriving = (source.capture() for source in written)
    arrived_ns = _times_ns(arriving)
    for identity, left_ns in _times_ns(leaving).items():
        if len(left_ns) > 1:
            yield left_ns, arrived_ns[identity]


def _times_ns(capture: PcapFile) -> dict[bytes, list[int]]:
    found = defaultdict[bytes, list[int]](list)
    for stamp_ns, frame in capture.frames():
        one = segment(frame)
        if one and one.size:
            found[_identity(frame)].append(stamp_ns)
    return found
