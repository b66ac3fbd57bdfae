# SPDX-License-Identifier: MIT
"""Outage: time without data around a handoff, and the duration of its steps."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lab.metrics import _pauses
from lab.metrics._handoffs import Downlink, Handoff, find
from lab.metrics.base import Context, Metric, MetricValues, Source, chosen
from lab.probes.base import Capture, Events, Samples
from lab.shared import types
from lab.units import DURATION

_ASSOCIATION = Events("association")
_BEFORE_NS = 300_000_000  # what is shown around a handoff
_AFTER_NS = 600_000_000
_BIN_NS = 10_000_000
_ASKED = ("roam", "disconnect")  # events after which a station leaves its access point


class Outage(Metric):
    """The time without data of each handoff, and of each time in which a station was disconnected.

    If the sources include a capture (tcpdump) on the station: from the last data frame it received before it left the
    old access point to the first one after it was connected to the new one. Otherwise, or if the capture lacks one of
    these frames: from the moment it left to CTRL-EVENT-CONNECTED. If a station never reconnects, its outage lasts until
    the end of the run.

    The steps: ``scan`` (start to results), ``authentication`` (first authentication frame to the association request),
    ``association`` (to the confirmed association), ``keys`` (of an encrypted network: the four-way handshake, to
    connected), ``first_data`` (from connected to the first data frame received). ``longest_gap`` is the longest silence
    between two data frames from just before the scan to the first frame after the handoff: during a scan a station also
    receives no data, although it has not left its access point. The resolution of these times is the interval between
    data frames.

    ``why`` of a row has what made the time without data longer, as far as the data show it: a scan, DHCP, and with a
    probe ss on the sender its retransmission timer or tail loss probe (lab.metrics._pauses).
    """

    about = "time without data around each handoff, split into scan, authentication, association and first data frame"
    takes = (_ASSOCIATION, Capture)
    per = ("handoff",)
    dimension = DURATION
    unit = "ns"
    columns = ("scan", "authentication", "association", "keys", "first_data", "outage", "longest_gap")

    def check(self, of: Mapping[str, str | None], unit: str, per: str | None) -> None:
        super().check(of, unit, per)
        self.needs(of, _ASSOCIATION)  # captures do not show when a handoff happens

    def compute(self, metric: types.PlannedMetric, context: Context) -> MetricValues:
        """Return one row per handoff, by time; with a capture also the receive rate around it."""
        computed = MetricValues()
        captures = {source.node.name: source for source in chosen(metric, context, Capture)}
        for source in chosen(metric, context, _ASSOCIATION):
            capture = captures.get(source.node.name)
            _add(computed, source, capture, context)
        computed.rows.sort(key=lambda row: (row["at_ns"], row["station"]))
        computed.values = [row["outage"] for row in computed.rows]
        return computed


def _add(computed: MetricValues, source: Source, capture: Source | None, context: Context) -> None:
    station = source.node
    asked = [
        (event.t_ns, event.kind) for event in context.events if event.kind in _ASKED and event.target == station.name
    ]
    handoffs = find(source.parsed.occurrences, sorted(asked), context.associations.get(station.name))
    downlink = None
    if capture and station.radio and handoffs:
        downlink = Downlink(capture.capture(), station.radio.mac, context.epoch_ns)
    for handoff in handoffs:
        row = _row(station, handoff, downlink, context)
        row["why"] = _why(row, handoff, capture, context)
        computed.rows.append(row)
        if downlink:
            begin_ns = handoff.begin_ns - _BEFORE_NS
            name = f"{station.name} {handoff.begin_ns}"  # the row's station and begin_ns
            computed.series.append(downlink.rate(name, begin_ns, handoff.begin_ns + _AFTER_NS, _BIN_NS))


def _row(station: types.Node, handoff: Handoff, downlink: Downlink | None, context: Context) -> dict[str, Any]:
    last_ns = first_ns = None
    if downlink and handoff.connected_ns is not None:
        last_ns, first_ns = downlink.last_until(handoff.begin_ns), downlink.first_from(handoff.connected_ns)
    measured = last_ns is not None and first_ns is not None
    begin_ns = last_ns if measured else handoff.begin_ns
    end_ns = first_ns if measured else handoff.connected_ns
    assert begin_ns is not None
    return {
        "at_ns": handoff.asked_ns if handoff.asked_ns is not None else handoff.begin_ns,
        "station": station.name,
        "from": _name(handoff.from_bssid, context),
        "to": _name(handoff.to_bssid, context),
        "cause": handoff.cause,
        "scan": _span(handoff.scan_started_ns, handoff.scan_done_ns),
        "authentication": _span(handoff.authenticate_ns, handoff.associate_ns),
        "association": _span(handoff.associate_ns, handoff.associated_ns or handoff.connected_ns),
        "keys": _span(handoff.associated_ns, handoff.connected_ns) if _encrypted(station) else None,
        "first_data": _span(handoff.connected_ns, first_ns),
        "outage": (context.end_ns if end_ns is None else end_ns) - begin_ns,
        "longest_gap": _longest_gap(handoff, downlink, first_ns),
        "measured": "data frames" if measured else "events",
        "completed": handoff.connected_ns is not None,
        **{key: value for key, value in vars(handoff).items() if key.endswith("_ns") and key != "asked_ns"},
        "last_data_ns": last_ns,
        "first_data_ns": first_ns,
    }


def _why(row: Mapping[str, Any], handoff: Handoff, capture: Source | None, context: Context) -> list[dict[str, Any]]:
    if capture is None or row["measured"] != "data frames":
        return []
    pause = _pauses.Pause(row["last_data_ns"], row["first_data_ns"])
    captures = {source.node.name: source for source in context.sources.values() if source.yields(Capture)}
    senders = [
        _pauses.Sender(
            source.node.name,
            source.parsed.series,
            captures[source.node.name].capture() if source.node.name in captures else None,
        )
        for source in context.sources.values()
        if source.yields(Samples("cwnd"))
    ]
    return _pauses.causes(handoff, pause, capture.capture(), context.epoch_ns, senders)


def _longest_gap(handoff: Handoff, downlink: Downlink | None, first_ns: int | None) -> int | None:
    if downlink is None or first_ns is None:
        return None
    silent_ns = handoff.begin_ns if handoff.scan_started_ns is None else handoff.scan_started_ns
    before_ns = downlink.last_until(silent_ns)
    return None if before_ns is None else downlink.longest_gap(before_ns, first_ns)


def _encrypted(station: types.Node) -> bool:
    return bool(station.radio and station.radio.encrypt not in (None, "open"))


def _span(begin_ns: int | None, end_ns: int | None) -> int | None:
    return None if begin_ns is None or end_ns is None else end_ns - begin_ns


def _name(bssid: str | None, context: Context) -> str | None:
    """Return the name of the access point with that BSSID; the BSSID itself if the plan has no such access point."""
    return context.access_points.get(bssid, bssid) if bssid else None
