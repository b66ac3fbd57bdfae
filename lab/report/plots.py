# SPDX-License-Identifier: MIT
"""The figures of a report, from the record alone. A figure that has nothing to show is left out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Any

from lab.record.record import Record, Result
from lab.report.figure import PALETTE, Band, Figure, Line, Panel, Rule, Span
from lab.report.numbers import plain, size

_SECOND = 1_000_000_000
_LINES_AT_MOST = len(PALETTE)  # more cannot be told apart
_PANELS_AT_MOST = 3
PHASES = (
    ("scan", "scan_started_ns", "scan_done_ns"),
    ("authentication", "authenticate_ns", "associate_ns"),
    ("association", "associate_ns", "associated_ns"),
    ("keys", "associated_ns", "connected_ns"),  # of an encrypted network
    ("first data frame", "connected_ns", "first_data_ns"),
)
_PHASE_COLOURS = {"scan": 3, "authentication": 0, "association": 2, "keys": 4, "first data frame": 1}


def figures(record: Record) -> list[Figure]:
    """All figures, in the order of the report."""
    from lab.report import medium

    makers: tuple[Callable[[Record], Iterator[Figure]], ...] = (
        _goodput,
        _signal,
        _bitrates,
        _around,
        _outage,
        medium.figures,
        _tcp,
        _rtt,
    )
    return [figure for maker in makers for figure in maker(record)]


def handoffs(record: Record) -> list[Mapping[str, Any]]:
    """The rows of all outage metrics, by time, with ``unit``."""
    rows = [{**row, "unit": result.unit} for result in record.metrics_of("outage") for row in result.rows]
    return sorted(rows, key=lambda row: (row["begin_ns"], row["station"]))


def arrow(row: Mapping[str, Any]) -> str:
    """``ap1 → ap2`` of a handoff."""
    return f"{row['from'] or '?'} \N{RIGHTWARDS ARROW} {row['to'] or 'nowhere'}"


def _run_range(record: Record) -> tuple[float, float]:
    return 0.0, record.plan.duration_ns / _SECOND


def _rules(record: Record) -> list[Rule]:
    """Handoffs, or where none was measured, what the timeline did."""
    rows = handoffs(record)
    if rows:
        return [Rule(row["begin_ns"] / _SECOND, arrow(row)) for row in rows]
    return [Rule(event["t_ns"] / _SECOND, f"{event['kind']} {event['target']}") for event in record.data["events"]]


def _line(series: Mapping[str, Any], index: int, label: str | None = None, **look: Any) -> Line:
    times = [t_ns / _SECOND for t_ns in series["t_ns"]]
    return Line(series["name"] if label is None else label, times, series["values"], index, **look)


def _legend(lines: list[Line]) -> list[tuple[str, int]]:
    return [(line.label, line.colour) for line in lines] if len(lines) > 1 else []


def _goodput(record: Record) -> Iterator[Figure]:
    for result in record.metrics_of("goodput"):
        shown = [series for series in result.series if series["values"]][:_LINES_AT_MOST]
        if not shown:
            continue
        lines = [
            _line(_from_start(series), index, step=True, area=len(shown) == 1) for index, series in enumerate(shown)
        ]
        panel = Panel(
            x_label="virtual time, s",
            y_label=f"goodput, {result.unit}",
            x_range=_run_range(record),
            lines=lines,
            rules=_rules(record),
        )
        left_out = len(result.series) - len(shown)
        about = f"{result.name}: bytes that reached the application, per interval"
        about += f"; {left_out} more not shown" if left_out > 0 else ""
        yield Figure(result.name, _goodput_title(result), about, [panel], _legend(lines))


def _from_start(series: Mapping[str, Any]) -> dict[str, Any]:
    """With a first point where the first interval begins, as steps need it."""
    stamps, values = series["t_ns"], series["values"]
    width_ns = stamps[1] - stamps[0] if len(stamps) > 1 else _SECOND
    return {**series, "t_ns": [stamps[0] - width_ns, *stamps], "values": [values[0], *values]}


def _goodput_title(result: Result) -> str:
    rows = result.rows
    if len(rows) == 1:
        row = rows[0]
        seconds = plain(row["duration_ns"] / _SECOND, 3)
        mean = f"{plain(row['goodput'], 3)} {result.unit}"
        return f"{row['process']}: {size(row['bytes'])} in {seconds} s, {mean} on average"
    total = size(sum(row["bytes"] for row in rows))
    return (
        f"{len(rows)} transfers, {total} in all, {plain(result.values['mean'] or 0, 3)} {result.unit} each on average"
    )


def _around(record: Record) -> Iterator[Figure]:
    """What the station received just before and after each handoff."""
    for result in record.metrics_of("outage"):
        rows = {f"{row['station']} {row['begin_ns']}": row for row in result.rows}
        panels = [_around_panel(series, rows[series["name"]]) for series in result.series if series["name"] in rows]
        if not panels:
            continue
        about = "data frames that reached the radio, in bins of 10 ms; shaded: scan, and time without data"
        about += f"; the first {_PANELS_AT_MOST} handoffs" if len(panels) > _PANELS_AT_MOST else ""
        title = _outage_title(result)
        legend = [("scan", _PHASE_COLOURS["scan"]), ("without data", _PHASE_COLOURS["first data frame"])]
        yield Figure(f"{result.name}-around", title, about, panels[:_PANELS_AT_MOST], legend, height=280)


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
        title=f"{row['station']}, {plain(row['at_ns'] / _SECOND)} s: {arrow(row)}",
        lines=[Line("received", stamps, values, 0, step=True, area=True)],
        bands=bands,
    )


def _outage_title(result: Result) -> str:
    rows, unit = result.rows, result.unit
    if not rows:
        return "No handoff"
    lost = sum(not row["completed"] for row in rows)
    if lost:
        return f"{lost} of {len(rows)} handoffs did not succeed"
    worst = max(rows, key=lambda row: row["outage"])
    count = "One handoff" if len(rows) == 1 else f"{len(rows)} handoffs"
    longest = f"{plain(worst['outage'], 3)} {unit}"
    silence = max(((row["longest_gap"] or 0.0) for row in rows), default=0.0)
    scan = f"; {plain(silence, 3)} {unit} of silence while scanning" if silence > worst["outage"] else ""
    if len(rows) == 1:
        return f"{count}: {longest} without data{scan}"
    return f"{count}: at most {longest} without data ({arrow(worst)} at {plain(worst['at_ns'] / _SECOND)} s){scan}"


def _outage(record: Record) -> Iterator[Figure]:
    """The steps of each handoff, one row each."""
    for result in record.metrics_of("outage"):
        if not result.rows:
            continue
        spans = [span for index, row in enumerate(result.rows) for span in _outage_spans(index, row, result.unit)]
        low, high = min(span.begin for span in spans), max(span.end for span in spans)
        air = (high - low) * 0.03 or 1.0
        panel = Panel(
            x_label="since the old access point was left, ms",
            x_range=(low - air, high + 12 * air),  # room for the label of the last bar
            rows=[f"{plain(row['at_ns'] / _SECOND)} s  {row['station']}  {arrow(row)}" for row in result.rows],
            spans=spans,
        )
        used = {span.label.split(":")[0] for span in spans if not span.thin}
        legend = [(phase, _PHASE_COLOURS[phase]) for phase, _, _ in PHASES if phase in used]
        about = "steps of each handoff as wpa_supplicant and the capture tell them; the line below: time without data"
        yield Figure(result.name, _steps_title(result), about, [panel], legend)


def _outage_spans(index: int, row: Mapping[str, Any], unit: str) -> Iterator[Span]:
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
        yield Span(index, begin, end, 0, f"{plain(row['outage'], 3)} {unit} without data", thin=True)


def _steps_title(result: Result) -> str:
    """Which step costs most, over all handoffs."""
    totals: dict[str, float] = {}
    for row in result.rows:
        for column in ("scan", "authentication", "association", "keys", "first_data"):
            totals[column] = totals.get(column, 0.0) + (row[column] or 0.0)
    longest = max(totals, key=lambda column: totals[column])
    if not totals[longest]:
        return "Steps of each handoff"
    mean = f"{plain(totals[longest] / len(result.rows), 3)} {result.unit}"
    return f"The longest step is {longest.replace('_', ' ')}: {mean} on average"


def _signal(record: Record) -> Iterator[Figure]:
    """Level of each peer, of every station that was sampled; access points only where no station was."""
    plan = record.plan
    names = {node.radio.mac: node.name for node in plan.nodes if node.radio}
    sources = [(key, source) for key, source in record.data["sources"].items() if source["probe"] == "station-dump"]
    stations = [item for item in sources if plan.node(item[1]["node"]).kind == "sta"]
    lines: list[Line] = []
    for _, source in stations or sources:
        for series in source["series"]:
            kind, _, peer = series["name"].partition("/")
            if kind == "signal" and len(lines) < _LINES_AT_MOST:
                label = f"{source['node']} hears {names.get(peer, peer)}"
                lines.append(_line(series, len(lines), label, dots=True))
    if lines:
        low = min(min(line.y) for line in lines)
        high = max(max(line.y) for line in lines)
        title = f"Signal between {plain(low)} and {plain(high)} dBm" if low < high else f"Signal {plain(low)} dBm"
        panel = Panel(
            x_label="virtual time, s",
            y_label="signal, dBm",
            x_range=_run_range(record),
            lines=lines,
            rules=_rules(record),
            from_zero=False,
        )
        legend = [(line.label, line.colour) for line in lines]
        yield Figure("signal", title, "level of the last frame of the peer, sampled by iw", [panel], legend, height=260)


def _bitrates(record: Record) -> Iterator[Figure]:
    """The 802.11 rates of metrics rx-bitrate and tx-bitrate."""
    for kind, words in (("rx-bitrate", "receives from"), ("tx-bitrate", "sends to")):
        for result in record.metrics_of(kind):
            lines = [
                _line(series, index, _direction(record, series["name"], words), step=True, gap=_gap(series))
                for index, series in enumerate(result.series[:_LINES_AT_MOST])
            ]
            if not lines:
                continue
            low, high = plain(result.values["min"] or 0), plain(result.values["max"] or 0)
            title = f"Bitrate between {low} and {high} {result.unit}" if low != high else f"Bitrate {low} {result.unit}"
            panel = Panel(
                x_label="virtual time, s",
                y_label=f"{kind}, {result.unit}",
                x_range=_run_range(record),
                lines=lines,
                rules=_rules(record),
            )
            about = f"{result.name}: {result.about}"
            legend = [(line.label, line.colour) for line in lines]
            yield Figure(result.name, title, about, [panel], legend, height=260)


def _direction(record: Record, name: str, words: str) -> str:
    """``sta1 receives from ap1``, of a series that is named after its probe and its peer."""
    source, _, peer = name.partition(" ")
    return f"{record.data['sources'][source]['node']} {words} {peer or 'its access point'}"


def _tcp(record: Record) -> Iterator[Figure]:
    """Congestion windows, as ss or iperf3 saw them."""
    yield from _sampled(record, "cwnd", ("ss", "iperf3"), "congestion window", "Congestion window: up to {high} {unit}")


def _rtt(record: Record) -> Iterator[Figure]:
    """Round-trip times of ping, ss and iperf3."""
    title = "Round-trip time: {median} {unit} in the middle, up to {high} {unit}"
    yield from _sampled(record, "rtt", ("ping", "ss", "iperf3"), "round-trip time", title)


def _sampled(record: Record, quantity: str, probes: tuple[str, ...], label: str, title: str) -> Iterator[Figure]:
    """One figure for each unit in which these probes recorded the quantity."""
    by_unit: dict[str, list[tuple[str, Mapping[str, Any]]]] = {}
    for identifier, source in record.data["sources"].items():
        for series in source["series"] if source["probe"] in probes else []:
            kind, _, instance = series["name"].partition("/")
            if kind == quantity and len(series["values"]) > 1:
                name = f"{identifier} {instance}".strip()
                by_unit.setdefault(series["unit"], []).append((name, series))
    for unit, found in sorted(by_unit.items()):
        found.sort(key=lambda item: (-len(item[1]["values"]), item[0]))
        lines = [
            _line(series, index, name, gap=_gap(series)) for index, (name, series) in enumerate(found[:_LINES_AT_MOST])
        ]
        name = quantity if len(by_unit) == 1 else f"{quantity}-{unit.lower().replace('/', '-per-')}"
        if unit == "B":  # windows of iperf3
            unit, lines = "KiB", [replace(line, y=[value / 1024 for value in line.y]) for line in lines]
        values = sorted(value for line in lines for value in line.y)
        told = {"high": plain(values[-1], 3), "median": plain(values[len(values) // 2], 3), "unit": unit}
        panel = Panel(
            x_label="virtual time, s",
            y_label=f"{label}, {unit}",
            x_range=_run_range(record),
            lines=lines,
            rules=_rules(record),
        )
        left_out = len(found) - len(lines)
        about = f"{label} over time" + (f"; {left_out} more not shown" if left_out else "")
        yield Figure(name, title.format(**told), about, [panel], _legend(lines), height=260)


def _gap(series: Mapping[str, Any]) -> float:
    """How far apart, in s, two samples must be for nothing to be known in between."""
    closest_ns: int = min((after - before for before, after in pairwise(series["t_ns"])), default=_SECOND)
    return 3.5 * closest_ns / _SECOND
