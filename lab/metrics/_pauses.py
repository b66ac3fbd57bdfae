# SPDX-License-Identifier: MIT
"""Why data paused for longer than a station was without access point, as far as a run's data show it.

* ``scan``: wpa_supplicant's events show a scan during the pause.
* ``dhcp``: the station's capture shows it asking for an address before the data went on.
* ``rto`` and ``probe``: a timer of TCP sent the first segment after the pause. For both, ss shows that the sender
  retransmitted around then; in the station's capture the segment is alone, since the next one waited for its ACK (what
  a queue kept comes as a burst), and came later than what was on its way could.
  It is ``rto``, the retransmission timer (RFC 6298), if it is the oldest segment missing and a timeout has passed, or
  if ss saw that the timeout had been doubled. It is ``probe``, a tail loss probe (RFC 8985, 7.3), if a capture on the
  sender shows that it left before a timeout, when no ACK had come for two round-trip times, though it was not the
  application that had had nothing to send.

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
from lab.metrics._packets import Segment, is_dhcp, segment
from lab.probes.base import TimeSeries

_HALF = 2**31  # of the sequence numbers of TCP
_MS = 1_000_000
_ENDLESS_NS = 2**63
_PROBE_AFTER = 2  # round-trip times without an ACK after which Linux sends a tail loss probe


@dataclass(frozen=True)
class Pause:
    """A time without data: from the last frame before it to the first one after it, in ns of the timeline."""

    begin_ns: int
    end_ns: int


@dataclass(frozen=True)
class Sender:
    """A node on which ss sampled, and a capture on it, if there is one."""

    node: str
    series: Sequence[TimeSeries]
    capture: pcap.PcapFile | None = None


@dataclass(frozen=True)
class Resumed:
    """The first TCP segment after a pause."""

    segment: Segment
    oldest_missing: bool  # it has the byte that the receiver waited for; if not, there is a hole before it
    since_ns: int  # since the last segment of the connection before the pause
    alone_ns: int | None  # until its next segment; None: it sent no other


def causes(
    handoff: Handoff, pause: Pause, capture: pcap.PcapFile, epoch_ns: int, senders: Iterable[Sender]
) -> list[dict[str, Any]]:
    """Return what made a pause longer.

    Args:
        handoff: the handoff in the pause.
        pause: when there was no data.
        capture: of the station.
        epoch_ns: time of the timeline's start in captures.
        senders: nodes with ss.

    Returns:
        Dictionaries with ``cause``; ``took_ns`` (scan, dhcp) or ``node``, ``rto_ns`` and ``retransmits`` (rto, probe).
    """
    first = resumed(capture, epoch_ns, pause)
    return [
        *_scan(handoff, pause),
        *_dhcp(capture, epoch_ns, pause),
        *(_timer(first, pause, epoch_ns, senders) if first is not None else ()),
    ]


def _scan(handoff: Handoff, pause: Pause) -> Iterator[dict[str, Any]]:
    if handoff.scan_started_ns is None or handoff.scan_done_ns is None:
        return
    took_ns = min(handoff.scan_done_ns, pause.end_ns) - max(handoff.scan_started_ns, pause.begin_ns)
    if took_ns > 0:
        yield {"cause": "scan", "took_ns": took_ns}


def _dhcp(capture: pcap.PcapFile, epoch_ns: int, pause: Pause) -> Iterator[dict[str, Any]]:
    stamps = [
        stamp - epoch_ns for stamp, frame in _between(capture, epoch_ns, pause.begin_ns, pause.end_ns) if is_dhcp(frame)
    ]
    if len(stamps) > 1:  # a question, and an answer or another question
        yield {"cause": "dhcp", "took_ns": stamps[-1] - stamps[0]}


def _between(capture: pcap.PcapFile, epoch_ns: int, begin_ns: int, end_ns: int) -> Iterator[tuple[int, bytes]]:
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


def resumed(capture: pcap.PcapFile, epoch_ns: int, pause: Pause) -> Resumed | None:
    """Return the first TCP segment with data after a pause; None if its connection had none before."""
    connections: dict[str, _Received] = {}
    segments = ((t_ns, one) for t_ns, one in _segments(capture, epoch_ns) if one.size)
    for t_ns, one in segments:
        before = connections.get(one.connection)
        if before is None:
            connections[one.connection] = _Received(one.number + one.size, [], t_ns)
            continue
        begin = before.expected + (one.number - before.expected + _HALF) % (2 * _HALF) - _HALF
        if t_ns >= pause.end_ns and before.t_ns <= pause.begin_ns:
            alone_ns = next((at_ns - t_ns for at_ns, next_ in segments if next_.connection == one.connection), None)
            return Resumed(one, begin <= before.expected, t_ns - before.t_ns, alone_ns)
        before.take(begin, begin + one.size, t_ns)
    return None


def _segments(capture: pcap.PcapFile, epoch_ns: int, end_ns: int = _ENDLESS_NS) -> Iterator[tuple[int, Segment]]:
    """Yield the TCP segments since the timeline's start, each with its time."""
    for stamp, frame in _between(capture, epoch_ns, 0, end_ns):
        found = segment(frame)
        if found is not None:
            yield stamp - epoch_ns, found


def _timer(first: Resumed, pause: Pause, epoch_ns: int, senders: Iterable[Sender]) -> Iterator[dict[str, Any]]:
    """Yield the timer of the sender that ended the pause, if one did."""
    connection = first.segment.connection
    for sender in senders:
        sampled = {one.name: one for one in sender.series}
        if f"retransmits/{connection}" not in sampled:
            continue
        before, rto_ms, rtt_ms, least_ms = (
            _last(sampled.get(f"{quantity}/{connection}"), pause.begin_ns)
            for quantity in ("retransmits", "rto", "rtt", "min_rtt")
        )
        after = _next(sampled[f"retransmits/{connection}"], pause.end_ns)
        if before is None or after is None or rto_ms is None or rtt_ms is None or least_ms is None or after <= before:
            return
        waited_ms = first.since_ns / _MS
        if first.alone_ns is None or first.alone_ns / _MS < least_ms / 2 or waited_ms < _PROBE_AFTER * rtt_ms:
            return
        found = {"node": sender.node, "rto_ns": round(rto_ms * _MS), "retransmits": int(after - before)}
        backed_off = _backed_off(sampled.get(f"backoff/{connection}"), pause)
        if backed_off or (first.oldest_missing and waited_ms >= rto_ms):
            yield {"cause": "rto", **found}
        elif sender.capture is not None:
            idle_ms, again = _left(sender.capture, epoch_ns, first.segment, pause.end_ns)
            more = bool(_last(sampled.get(f"unsent/{connection}"), pause.begin_ns))
            if _PROBE_AFTER * rtt_ms <= idle_ms < rto_ms and (again or more):
                yield {"cause": "probe", **found}
        return


def _left(capture: pcap.PcapFile, epoch_ns: int, wanted: Segment, end_ns: int) -> tuple[float, bool]:
    """Return for how many ms its sender had neither sent nor got anything when a segment left, and if it left again."""
    idle_ns, last_ns, times = 0, 0, 0
    for t_ns, one in _segments(capture, epoch_ns, end_ns):
        if one.connection == wanted.connection and one.has(wanted.number):
            idle_ns, times = t_ns - last_ns, times + 1
        if one.connection in (wanted.connection, wanted.reverse):
            last_ns = t_ns
    return idle_ns / _MS, times > 1


def _last(series: TimeSeries | None, t_ns: int) -> float | None:
    index = bisect_right(series.t_ns, t_ns) if series is not None else 0
    return series.values[index - 1] if series is not None and index else None


def _next(series: TimeSeries, t_ns: int) -> float | None:
    return next((value for at, value in zip(series.t_ns, series.values, strict=True) if at >= t_ns), None)


def _backed_off(series: TimeSeries | None, pause: Pause) -> bool:
    """Return whether a sample in the pause shows that the timer had expired and was doubled."""
    return series is not None and any(
        value > 0 and pause.begin_ns < at <= pause.end_ns for at, value in zip(series.t_ns, series.values, strict=True)
    )
