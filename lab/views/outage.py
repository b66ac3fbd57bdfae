# SPDX-License-Identifier: MIT
"""Handoffs: their steps, what the station received around them, and their times for all other figures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from lab.drawing import Band, Figure, Line, Panel, Span
from lab.numbers import count, plain
from lab.record.record import Record, RecordedMetric
from lab.tables import Column, Table, words
from lab.views.base import Moment, View
from lab.views.parts.lines import SECOND

_PANELS_AT_MOST = 3
_LONGER_NS = 20_000_000  # a pause that is longer by less is not explained: the distance of frames may be as large
PHASES = (
    ("scan", "scan_started_ns", "scan_done_ns"),
    ("authentication", "authenticate_ns", "associate_ns"),
    ("association", "associate_ns", "associated_ns"),
    ("keys", "associated_ns", "connected_ns"),  # of an encrypted network
    ("first data frame", "connected_ns", "first_data_ns"),
)
_PHASE_COLOURS = {"scan": 3, "authentication": 0, "association": 2, "keys": 4, "first data frame": 1}

_STEPS = {
    "scan": "scan",
    "authentication": "auth",
    "association": "assoc",
    "keys": "keys",
    "first_data": "first data",
    "outage": "outage",
    "longest_gap": "gap",
}
_PLURAL = {"handoff": "handoffs", "disconnection": "disconnections", "loss of contact": "losses of contact"}
_MEASURED = {
    "data frames": "from the last data frame before to the first one after",
    "events": "from leaving the old access point to being connected",
}


class Outage(View):
    """The card shows the longest outage."""

    card = "max"
    card_word = "longest"
    first = True

    def moments(self, result: RecordedMetric) -> Iterator[Moment]:
        for row in sorted(result.rows, key=lambda row: (row["begin_ns"], row["station"])):
            yield Moment(row["begin_ns"], arrow(row), row["at_ns"], row["station"])

    def figures(self, result: RecordedMetric, record: Record) -> Iterator[Figure]:
        """Yield what the station received around each handoff, and the steps of each."""
        yield from _around(result)
        yield from _steps(result)

    def tables(self, result: RecordedMetric, record: Record) -> Iterator[Table]:
        steps = [
            Column(key, title, result.unit, 3)
            for key, title in _STEPS.items()
            if key not in ("keys", "longest_gap") or any(row[key] is not None for row in result.rows)
        ]
        columns = [
            Column("at_s", "at", "s"),
            *([words("station", "station")] if len({row["station"] for row in result.rows}) > 1 else []),
            words("handoff", "handoff"),
            *steps,
        ]
        rows = [{**row, "at_s": row["at_ns"] / SECOND, "handoff": arrow(row)} for row in result.rows]
        meant = "; ".join(_MEASURED[measured] for measured in sorted({row["measured"] for row in rows}))
        title = f"{_nouns(result.rows).capitalize()}: steps and outage in {result.unit} (outage: {meant}"
        title += "; gap: the longest silence since the scan began)" if any(row["longest_gap"] for row in rows) else ")"
        yield Table(result.name, title, columns, rows, result.unit)


def arrow(row: Mapping[str, Any]) -> str:
    """Return ``ap1 → ap2`` of a handoff, ``ap1 left, back`` or ``ap1 lost, back`` without a handoff."""
    noun, before, after = _noun(row), row["from"] or "?", row["to"]
    if noun == "disconnection":
        return f"{before} left" + (f", {'back' if after == before else after}" if after else "")
    if noun == "loss of contact":
        return f"{before} lost, back"
    return f"{before} \N{RIGHTWARDS ARROW} {after or 'nowhere'}"


def _noun(row: Mapping[str, Any]) -> str:
    """Return what a row is: a station that comes back to where it was has not been handed off."""
    if row["cause"] == "disconnect":
        return "disconnection"
    return "loss of contact" if row["cause"] == "loss" and row["from"] == row["to"] else "handoff"


def _nouns(rows: Sequence[Mapping[str, Any]]) -> str:
    nouns = {_noun(row) for row in rows} or {"handoff"}
    if len(nouns) == 1:
        return _PLURAL[nouns.pop()]
    return "handoffs and losses of contact" if "handoff" in nouns else _PLURAL["loss of contact"]


def _around(result: RecordedMetric) -> Iterator[Figure]:
    rows = {f"{row['station']} {row['begin_ns']}": row for row in result.rows}
    found = [(rows[series["name"]], series) for series in result.series if series["name"] in rows]
    if not found:
        return
    about = "data frames that reached the radio, in bins of 10 ms; shaded: scan, and time without data"
    about += f"; the {_PANELS_AT_MOST} longest" if len(found) > _PANELS_AT_MOST else ""
    longest = sorted(found, key=lambda pair: -pair[0]["outage"])[:_PANELS_AT_MOST]
    longest.sort(key=lambda pair: (pair[0]["at_ns"], pair[0]["station"]))
    panels = [_around_panel(series, row) for row, series in longest]
    legend = [("scan", _PHASE_COLOURS["scan"]), ("without data", _PHASE_COLOURS["first data frame"])]
    below = [sentence for row, _ in longest if (sentence := explained(row))]
    yield Figure(f"{result.name}-around", _title(result), about, panels, legend, height=280, below=below)


def explained(row: Mapping[str, Any]) -> str | None:
    """Return why there was no data for longer than the station was without an access point; None if it was not longer.

    One sentence, with causes that the data of the run show (lab.metrics.outage), and no others.
    """
    if row["measured"] != "data frames" or row["connected_ns"] is None:
        return None
    pause_ns = row["first_data_ns"] - row["last_data_ns"]
    without_ns = row["connected_ns"] - row["begin_ns"]
    if pause_ns - without_ns < _LONGER_NS:
        return None
    at_s = plain(row["at_ns"] / SECOND)
    begin = (
        f"At {at_s} s, {row['station']} received no data for {_ms(pause_ns)}, but was without an access point for only "
        f"{_ms(without_ns)}"
    )
    causes = [_cause(cause) for cause in row.get("why", ())]
    if not causes:
        return f"{begin}; this run's data do not show why."
    overlap = "; these times may overlap" if len(causes) > 1 else ""
    return f"{begin}: {', and '.join(causes)}{overlap}."


def _ms(ns: float) -> str:
    return f"{plain(ns / 1_000_000, 3)} ms"


_CAUSES = {
    "scan": "a scan took {took} of the pause",
    "dhcp": "it asked for an address by DHCP for {took}",
    "rto": "{node} retransmitted only when its timer of {rto} expired ({times} around then)",
    "probe": "{node} sent a tail loss probe before its retransmission timer of {rto} expired ({times} around then)",
}


def _cause(cause: Mapping[str, Any]) -> str:
    return _CAUSES[cause["cause"]].format(
        node=cause.get("node"),
        took=_ms(cause.get("took_ns", 0)),
        rto=_ms(cause.get("rto_ns", 0)),
        times=count(cause.get("retransmits", 0), "retransmission"),
    )


def _around_panel(series: Mapping[str, Any], row: Mapping[str, Any]) -> Panel:
    origin = row["begin_ns"]

    def milliseconds(t_ns: int) -> float:
        return float(t_ns - origin) / 1_000_000

    bands = []
    if row["scan_started_ns"] is not None and row["scan_done_ns"] is not None:
        begin, end = milliseconds(row["scan_started_ns"]), milliseconds(row["scan_done_ns"])
        bands.append(Band(begin, end, "scan", _PHASE_COLOURS["scan"]))
    if row["last_data_ns"] is not None and row["first_data_ns"] is not None:
        begin, end = milliseconds(row["last_data_ns"]), milliseconds(row["first_data_ns"])
        bands.append(Band(begin, end, "without data", _PHASE_COLOURS["first data frame"]))
    stamps = [milliseconds(t_ns) for t_ns in series["t_ns"]]
    values = [value / 1_000_000 for value in series["values"]]
    return Panel(
        x_label="since the old access point was left, ms",
        y_label="received, Mbit/s",
        x_range=(stamps[0] - 10, stamps[-1]),
        title=f"{row['station']}, {plain(row['at_ns'] / SECOND)} s: {arrow(row)}",
        lines=[Line("received", stamps, values, 0, step=True, area=True)],
        bands=bands,
    )


def _title(result: RecordedMetric) -> str:
    rows, unit = result.rows, result.unit
    if not rows:
        return "No handoff"
    lost = sum(not row["completed"] for row in rows)
    nouns = _nouns(rows)
    if lost and len(rows) == 1:
        return "It did not connect again" if nouns == "disconnections" else "The handoff did not succeed"
    if lost:
        return f"{lost} of {len(rows)} {nouns} did not {'end' if nouns == 'disconnections' else 'succeed'}"
    worst = max(rows, key=lambda row: row["outage"])
    count = f"One {_noun(rows[0])}" if len(rows) == 1 else f"{len(rows)} {nouns}"
    longest = _outage(worst, unit)
    silence = max(((row["longest_gap"] or 0.0) for row in rows), default=0.0)
    scan = f"; {plain(silence, 3)} {unit} of silence while scanning" if silence > worst["outage"] else ""
    if len(rows) == 1:
        return f"{count}: {longest}{scan}"
    return f"{count}: at most {longest} ({arrow(worst)} at {plain(worst['at_ns'] / SECOND)} s){scan}"


def _steps(result: RecordedMetric) -> Iterator[Figure]:
    """Yield a figure of the steps of each handoff, one row each."""
    if not result.rows:
        return
    spans = [span for index, row in enumerate(result.rows) for span in _spans(index, row, result.unit)]
    low, high = min(span.begin for span in spans), max(span.end for span in spans)
    air = (high - low) * 0.03 or 1.0
    panel = Panel(
        x_label="since the old access point was left, ms",
        x_range=(low - air, high + 12 * air),  # room for the label of the last bar
        rows=[f"{plain(row['at_ns'] / SECOND)} s  {row['station']}  {arrow(row)}" for row in result.rows],
        spans=spans,
    )
    used = {span.label.split(":")[0] for span in spans if not span.thin}
    legend = [(phase, _PHASE_COLOURS[phase]) for phase, _, _ in PHASES if phase in used]
    yield Figure(result.name, _steps_title(result), _steps_about(result), [panel], legend)


def _steps_about(result: RecordedMetric) -> str:
    """Say what the steps were computed from, and what the thin line is."""
    measured = {row["measured"] for row in result.rows}
    if measured == {"events"}:
        return (
            "steps of each handoff, from wpa_supplicant's events; thin line: until connected, since no capture shows "
            "when data arrived"
        )
    rest = ", or until connected where the capture shows no data" if "events" in measured else ""
    return f"steps of each handoff, from wpa_supplicant's events and the capture; thin line: time without data{rest}"


def _outage(row: Mapping[str, Any], unit: str) -> str:
    """Return ``17.6 ms without data``, or what the row has instead."""
    what = "without data" if row["measured"] == "data frames" else "until connected"
    return f"{plain(row['outage'], 3)} {unit} {what}"


def _spans(index: int, row: Mapping[str, Any], unit: str) -> Iterator[Span]:
    origin = row["begin_ns"]
    for phase, begin_key, end_key in PHASES:
        begin_ns, end_ns = row[begin_key], row[end_key]
        if phase == "keys" and row["keys"] is None:
            continue
        if begin_ns is not None and end_ns is not None and end_ns > begin_ns:
            begin, end = (begin_ns - origin) / 1_000_000, (end_ns - origin) / 1_000_000
            yield Span(index, begin, end, _PHASE_COLOURS[phase], f"{phase}: {plain(end - begin, 3)} ms")
    begin_ns = row["last_data_ns"] if row["measured"] == "data frames" else origin
    end_ns = row["first_data_ns"] if row["measured"] == "data frames" else row["connected_ns"]
    if begin_ns is not None and end_ns is not None:
        begin, end = (begin_ns - origin) / 1_000_000, (end_ns - origin) / 1_000_000
        yield Span(index, begin, end, 0, _outage(row, unit), thin=True)


def _steps_title(result: RecordedMetric) -> str:
    """Return a title that names the longest step over all handoffs."""
    totals: dict[str, float] = {}
    for row in result.rows:
        for column in ("scan", "authentication", "association", "keys", "first_data"):
            totals[column] = totals.get(column, 0.0) + (row[column] or 0.0)
    longest = max(totals, key=lambda column: totals[column])
    if not totals[longest]:
        return "Steps of each handoff"
    mean = f"{plain(totals[longest] / len(result.rows), 3)} {result.unit}"
    return f"The longest step: {longest.replace('_', ' ')}, {mean} on average"
