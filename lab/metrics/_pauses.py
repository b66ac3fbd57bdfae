# SPDX-License-Identifier: MIT
"""Why data paused for longer than a station was without access point, as far as a run's data show it.

* ``scan``: wpa_supplicant's events show a scan during the pause.
* ``dhcp``: the station's capture shows it asking for an address before the data went on.
* ``rto``: ss shows that the sender retransmitted then, and either that its timer had backed off, or (with the capture)
  that the first segment after the pause was the oldest one missing, at least one timeout after the one before.
* ``probe``: ss shows that the sender retransmitted then, and the capture that the first segment after the pause was
  behind a hole, sooner than a timeout after the one before: a tail loss probe (RFC 8985, 7.3).

Not seen: what the sender did between two samples of ss; segments of IPv6, in a capture of a monitor interface, or of
QUIC.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from lab.captures import pcap
from lab.metrics._handoffs import Handoff
from lab.metrics._packets import is_dhcp, segment
from lab.probes.base import Series

_HALF = 2**31  # of the sequence numbers of TCP
_MS = 1_000_000


@dataclass(frozen=True)
class Pause:
    """A time without data: from the last frame before it to the first one after it, in ns of the timeline."""

    begin_ns: int
    end_ns: int


@dataclass(frozen=True)
class Resumed:
    """The first TCP segment after a pause. ``connection`` is that of its sender, as ss names it: local-peer."""

    connection: str
    oldest_missing: bool  # it has the byte that the receiver waited for; if not, there is a hole before it
    since_ns: int  # since the last segment of the connection before the pause


def causes(
    handoff: Handoff,
    pause: Pause,
    capture: pcap.Capture,
    epoch_ns: int,
    senders: Iterable[tuple[str, Sequence[Series]]],
) -> list[dict[str, Any]]:
    """Return what made a pause longer.

    Args:
        handoff: the handoff in the pause.
        pause: when there was no data.
        capture: of the station.
        epoch_ns: time of the timeline's start in the capture.
        senders: nodes, each with the series that ss sampled there.

    Returns:
        Dictionaries with ``cause``; ``took_ns`` (scan, dhcp) or ``node``, ``rto_ns`` and ``retransmits`` (rto, probe).
    """
    return [
        *_scan(handoff, pause),
        *_dhcp(capture, epoch_ns, pause),
        *_timer(resumed(capture, epoch_ns, pause), pause, senders),
    ]


def _scan(handoff: Handoff, pause: Pause) -> Iterator[dict[str, Any]]:
    if handoff.scan_started_ns is None or handoff.scan_done_ns is None:
        return
    took_ns = min(handoff.scan_done_ns, pause.end_ns) - max(handoff.scan_started_ns, pause.begin_ns)
    if took_ns > 0:
        yield {"cause": "scan", "took_ns": took_ns}


def _dhcp(capture: pcap.Capture, epoch_ns: int, pause: Pause) -> Iterator[dict[str, Any]]:
    stamps = [
        stamp - epoch_ns for stamp, frame in _between(capture, epoch_ns, pause.begin_ns, pause.end_ns) if is_dhcp(frame)
    ]
    if len(stamps) > 1:  # a question, and an answer or another question
        yield {"cause": "dhcp", "took_ns": stamps[-1] - stamps[0]}


def _between(capture: pcap.Capture, epoch_ns: int, begin_ns: int, end_ns: int) -> Iterator[tuple[int, bytes]]:
    """Yield the frames from ``begin_ns`` to ``end_ns`` of an Ethernet capture."""
    if capture.link_type == pcap.ETHERNET:
        for stamp, frame in capture.frames():
            if begin_ns <= stamp - epoch_ns <= end_ns:
                yield stamp, frame


@dataclass
class _Received:
    """What a receiver has of a connection, in sequence numbers that do not wrap."""

    expected: int  # the first byte that it has not got
    behind: list[tuple[int, int]]  # parts behind a hole
    t_ns: int

    def take(self, begin: int, end: int, t_ns: int) -> None:
        self.t_ns = t_ns
        self.behind.append((begin, end))
        for first, last in sorted(self.behind):
            if first <= self.expected < last:
                self.expected = last
        self.behind = [part for part in self.behind if part[1] > self.expected]


def resumed(capture: pcap.Capture, epoch_ns: int, pause: Pause) -> Resumed | None:
    """Return the first TCP segment with data after a pause; None if its connection had none before."""
    connections: dict[str, _Received] = {}
    for stamp, frame in _between(capture, epoch_ns, 0, pause.end_ns):
        t_ns = stamp - epoch_ns
        found = segment(frame)
        if found is None:
            continue
        connection, begin, size = found
        before = connections.get(connection)
        if before is None:
            connections[connection] = _Received(begin + size, [], t_ns)
            continue
        begin = before.expected + (begin - before.expected + _HALF) % (2 * _HALF) - _HALF
        if t_ns >= pause.end_ns and before.t_ns <= pause.begin_ns:
            return Resumed(connection, begin <= before.expected, t_ns - before.t_ns)
        before.take(begin, begin + size, t_ns)
    return None


def _timer(
    first: Resumed | None, pause: Pause, senders: Iterable[tuple[str, Sequence[Series]]]
) -> Iterator[dict[str, Any]]:
    if first is None:
        return
    for node, series in senders:
        sampled = {one.name: one for one in series}
        total = sampled.get(f"retransmits/{first.connection}")
        timeout = sampled.get(f"rto/{first.connection}")
        if total is None or timeout is None:
            continue
        before, after = _last(total, pause.begin_ns), _next(total, pause.end_ns)
        rto_ms = _last(timeout, pause.begin_ns)
        if before is None or after is None or rto_ms is None or after <= before:
            continue
        found = {"node": node, "rto_ns": round(rto_ms * _MS), "retransmits": int(after - before)}
        late = first.since_ns >= rto_ms * _MS
        if _backed_off(sampled.get(f"backoff/{first.connection}"), pause) or (first.oldest_missing and late):
            yield {"cause": "rto", **found}
        elif not first.oldest_missing and not late:
            yield {"cause": "probe", **found}
        return


def _last(series: Series, t_ns: int) -> float | None:
    """Return the last sample until then."""
    index = bisect_right(series.t_ns, t_ns)
    return series.values[index - 1] if index else None


def _next(series: Series, t_ns: int) -> float | None:
    """Return the first sample from then on."""
    return next((value for at, value in zip(series.t_ns, series.values, strict=True) if at >= t_ns), None)


def _backed_off(series: Series | None, pause: Pause) -> bool:
    """Return whether a sample in the pause shows that the timer had expired and was doubled."""
    return series is not None and any(
        value > 0 and pause.begin_ns < at <= pause.end_ns for at, value in zip(series.t_ns, series.values, strict=True)
    )
