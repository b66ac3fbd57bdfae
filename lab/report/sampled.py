# SPDX-License-Identifier: MIT
"""Samples of probes, by quantity, also those that no metric of the workload uses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from lab.drawing import Figure, Line, Panel
from lab.metrics.base import increase
from lab.numbers import plain
from lab.probes.base import Series
from lab.record.record import Record
from lab.tables import Column, Table, words
from lab.views.parts.lines import LINES_AT_MOST, gap, legend, line, run_range
from lab.views.parts.moments import rules

_PEERS = "peers"  # series with the number of a radio's peers; other series of its probe are per peer


def figures(record: Record) -> Iterator[Figure]:
    """Yield figures of signal, congestion windows and round-trip times."""
    yield from _signal(record)
    yield from _sampled(record, "cwnd", "congestion window", "Congestion window: up to {high} {unit}")
    title = "Round-trip time: median {median} {unit}, up to {high} {unit}"
    yield from _sampled(record, "rtt", "round-trip time", title, dots=True)  # between two packets there is no time


def tables(record: Record) -> Iterator[Table]:
    """Yield frames, retries and failures towards each peer of a sampled radio."""
    names = {node.radio.mac: node.name for node in record.plan.nodes if node.radio}
    rows = []
    for source in record.data["sources"].values():
        if not _peers(source):
            continue
        series = {item["name"]: Series(**item) for item in source["series"]}
        samples_ns = series[_PEERS].t_ns if _PEERS in series else []
        peers = [name.partition("/")[2] for name in series if name.startswith("tx_packets/")]
        for peer in peers:
            row: dict[str, Any] = {"node": source["node"], "peer": names.get(peer, peer)}
            for key, name in (("frames", "tx_packets"), ("retries", "tx_retries"), ("failed", "tx_failed")):
                counter = series.get(f"{name}/{peer}")
                row[key] = int(increase(counter, samples_ns)) if counter else None
            levels = series.get(f"signal/{peer}")
            row["signal_dbm"] = sum(levels.values) / len(levels.values) if levels and levels.values else None
            rows.append(row)
    columns = [
        words("node", "radio of"),
        words("peer", "to"),
        Column("frames", "frames sent", digits=12),
        Column("retries", "retries", digits=12),
        Column("failed", "given up", digits=12),
        Column("signal_dbm", "mean signal", "dBm", 3),
    ]
    yield Table("radios", "Radios: frames sent, retries, frames given up", columns, rows)


def _peers(source: Mapping[str, Any]) -> bool:
    """Return whether a probe samples a radio's peers."""
    return any(series["name"] == _PEERS for series in source["series"])


def _signal(record: Record) -> Iterator[Figure]:
    """Yield the level of each peer of every sampled station; of access points only if no station was sampled."""
    plan = record.plan
    names = {node.radio.mac: node.name for node in plan.nodes if node.radio}
    sources = [(key, source) for key, source in record.data["sources"].items() if _peers(source)]
    stations = [item for item in sources if plan.node(item[1]["node"]).kind == "sta"]
    lines: list[Line] = []
    for _, source in stations or sources:
        for series in source["series"]:
            kind, _, peer = series["name"].partition("/")
            if kind == "signal" and series["values"] and len(lines) < LINES_AT_MOST:
                label = f"{source['node']} hears {names.get(peer, peer)}"
                lines.append(line(series, len(lines), label, dots=True))
    if lines:
        low = min(min(line.y) for line in lines)
        high = max(max(line.y) for line in lines)
        title = f"Signal between {plain(low)} and {plain(high)} dBm" if low < high else f"Signal {plain(low)} dBm"
        panel = Panel(
            x_label="virtual time, s",
            y_label="signal, dBm",
            x_range=run_range(record),
            lines=lines,
            rules=rules(record),
            from_zero=False,
        )
        each = [(line.label, line.colour) for line in lines]
        yield Figure("signal", title, "level of the last frame of the peer, sampled by iw", [panel], each, height=260)


def _sampled(record: Record, quantity: str, label: str, title: str, *, dots: bool = False) -> Iterator[Figure]:
    """Yield a figure for each unit in which probes sampled the quantity; with ``dots`` without lines between them."""
    by_unit: dict[str, list[tuple[str, Mapping[str, Any]]]] = {}
    for identifier, source in record.data["sources"].items():
        for series in source["series"]:
            kind, _, instance = series["name"].partition("/")
            if kind == quantity and len(series["values"]) > 1:
                name = f"{identifier} {instance}".strip()
                by_unit.setdefault(series["unit"], []).append((name, series))
    for unit, found in sorted(by_unit.items()):
        found.sort(key=lambda item: (-len(item[1]["values"]), item[0]))
        lines = [
            line(series, index, name, gap=gap(series), dots=dots)
            for index, (name, series) in enumerate(found[:LINES_AT_MOST])
        ]
        name = quantity if len(by_unit) == 1 else f"{quantity}-{unit.lower().replace('/', '-per-')}"
        if unit == "B":  # iperf3 reports windows in bytes
            unit, lines = "KiB", [replace(line, y=[value / 1024 for value in line.y]) for line in lines]
        values = sorted(value for line in lines for value in line.y)
        numbers = {"high": plain(values[-1], 3), "median": plain(values[len(values) // 2], 3), "unit": unit}
        panel = Panel(
            x_label="virtual time, s",
            y_label=f"{label}, {unit}",
            x_range=run_range(record),
            lines=lines,
            rules=rules(record),
        )
        left_out = len(found) - len(lines)
        about = f"{label} over time" + (f"; {left_out} more not shown" if left_out else "")
        yield Figure(name, title.format(**numbers), about, [panel], legend(lines), height=260)
