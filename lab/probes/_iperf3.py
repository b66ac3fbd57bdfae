# SPDX-License-Identifier: MIT
"""Parses the JSON of iperf3, which client and server have in common."""

from __future__ import annotations

from collections.abc import Iterator

from lab.probes.base import Delivery, Flow, Param, Parsed, Raw, Samples, TimeSeries
from lab.probes.base.text import Json

EVERY = Param(  # iperf3 refuses shorter and longer intervals
    "duration", "length of an interval, 100 ms to 60 s", 1_000_000_000, least=100_000_000, most=60_000_000_000
)
ARRIVED = (Samples("goodput"), Delivery, Flow)  # what both ends report
_SECOND = 1_000_000_000


def parse_test(document: Json, raw: Raw, parsed: Parsed) -> None:
    """Add one test to ``parsed``.

    iperf3 prints a test's start in whole seconds only; intervals are relative to it. The parser uses the later of
    that second and the start of the process. The error is at most the handshake before a test (a few round-trip
    times).

    Raises:
        ProbeOutputError: If the document does not have iperf3's structure.
    """
    if "error" in document:
        parsed.values["error"] = document["error"].text()
    start = document["start"]
    if "test_start" not in start:
        return  # refused or interrupted before a test began: only an error
    start_ns = max(raw.started_ns, start["timestamp"]["timesecs"].integer() * _SECOND - raw.epoch_ns)
    parsed.values["protocol"] = start["test_start"]["protocol"].text().lower()
    for interval in document["intervals"].items():
        _parse_interval(interval, start_ns, parsed)
    _parse_end(document["end"], parsed, reported="error" not in document)


def _parse_interval(interval: Json, start_ns: int, parsed: Parsed) -> None:
    total = interval["sum"] if "sum" in interval else interval["sum_sent"]
    if total["omitted"].flag():
        return
    t_ns = start_ns + round(total["end"].number() * _SECOND)
    seconds = total["seconds"].number()
    parsed.add("goodput", "bit/s", t_ns, 8 * total["bytes"].integer() / seconds if seconds > 0 else 0.0)
    parsed.add("transferred", "B", t_ns, total["bytes"].integer())
    for key, name, unit in (("retransmits", "retransmits", "segments"), ("lost_packets", "lost", "packets")):
        if key in total:
            parsed.add(name, unit, t_ns, total[key].integer())
    if "jitter_ms" in total:
        parsed.add("jitter", "ms", t_ns, total["jitter_ms"].number())
    streams = interval["streams"].items()
    for index, stream in enumerate(streams):
        suffix = f"/{index}" if len(streams) > 1 else ""
        if "snd_cwnd" in stream:
            parsed.add(f"cwnd{suffix}", "B", t_ns, stream["snd_cwnd"].integer())
        if "rtt" in stream:
            parsed.add(f"rtt{suffix}", "ms", t_ns, stream["rtt"].integer() / 1000)


def _parse_end(end: Json, parsed: Parsed, reported: bool) -> None:
    """Add the totals. ``bytes`` is what arrived, or what was sent if the receiver did not report what arrived.

    iperf3 then writes 0, which is not what arrived.
    """
    values = parsed.values
    if "sum_sent" in end:
        values["sent_bytes"] = end["sum_sent"]["bytes"].integer()
        if "retransmits" in end["sum_sent"]:
            values["retransmits"] = end["sum_sent"]["retransmits"].integer()
    if "sum_received" in end:
        received = end["sum_received"]
        values["seconds"] = received["seconds"].number()
        if not (reported or received["bytes"].integer()):
            values["bytes"] = values.get("sent_bytes", 0)
            return
        values["received_bytes"] = received["bytes"].integer()
        values["goodput_bps"] = 8 * values["received_bytes"] / values["seconds"] if values["seconds"] > 0 else 0.0
        for key, name in (("lost_packets", "lost"), ("packets", "packets")):
            if key in received:
                values[name] = received[key].integer()
        for key in ("jitter_ms", "lost_percent"):
            if key in received:
                values[key] = received[key].number()
    if "received_bytes" in values or "sent_bytes" in values:
        values["bytes"] = values.get("received_bytes", values.get("sent_bytes"))


def interrupted(document: Json) -> bool:
    """Return whether a signal ended it."""
    return "error" in document and document["error"].text().startswith("interrupt")


def found(raw: Raw, parsed: Parsed) -> Iterator[object]:
    """Yield what arrived in a test, as metrics expect it; nothing if there was none."""
    values = parsed.values
    if "bytes" in values:
        goodput = parsed.series_of("goodput")
        rate = TimeSeries(raw.id, "bit/s", goodput.t_ns, goodput.values)
        yield Delivery(raw.id, values["bytes"], round(values.get("seconds", 0) * _SECOND), rate)
    yield Flow(raw.id, values.get("packets", 0), values.get("lost", 0))
