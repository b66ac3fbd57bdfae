# SPDX-License-Identifier: MIT
"""Samples of probes, by quantity, also those that no metric of the workload uses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from lab.drawing import Figure
from lab.metrics.base import increase
from lab.numbers import plain
from lab.probes.base import TimeSeries
from lab.record.record import Record
from lab.shared.types import names_by_mac
from lab.tables import Column, Table, words
from lab.views.parts.lines import gap, line
from lab.views.parts.many import over_time

_PEERS = "peers"  # series with the number of a radio's peers; other series of its probe are per peer
# quantity: its label, the title of its figure, and whether it has dots: between two packets there is no time
_QUANTITIES = {
    "cwnd": ("congestion window", "Congestion window: up to {high} {unit}", False),
    "rtt": ("round-trip time", "Round-trip time: median {median} {unit}, up to {high} {unit}", True),
    "allowed_rate": ("allowed rate", "Allowed rate: up to {high} {unit}", False),
    "loss_event_rate": ("loss event rate", "Loss event rate: up to {high} {unit}", False),
}
# units of probes that are shown in others: that, and how much it is
_SHOWN_IN = {"B": ("KiB", 1024), "bit/s": ("Mbit/s", 1_000_000)}


def figures(record: Record) -> Iterator[Figure]:
    """Yield figures of signal and of what transports report of congestion control."""
    found = samples(record)
    if "signal" in found:
        yield _signal(record, found.pop("signal"))
    for name, series in found.items():
        yield _sampled(record, name, series)


def samples(record: Record) -> dict[str, list[dict[str, Any]]]:
    """Return the samples that the figures show, by the name of the figure; the names of the series are its labels."""
    found = {"signal": list(_levels(record))}
    for quantity in _QUANTITIES:
        by_unit = _by_unit(record, quantity)
        for unit, series in sorted(by_unit.items()):
            name = quantity if len(by_unit) == 1 else f"{quantity}-{unit.lower().replace('/', '-per-')}"
            found[name] = series
    return {name: series for name, series in found.items() if series}


def tables(record: Record) -> Iterator[Table]:
    """Yield frames, retries and failures towards each peer of a sampled radio."""
    names = names_by_mac(record.plan.nodes)
    rows = []
    for source in record.data["sources"].values():
        if not _peers(source):
            continue
        series = {item["name"]: TimeSeries(**item) for item in source["series"]}
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


def _levels(record: Record) -> Iterator[dict[str, Any]]:
    """Yield the level of each peer of every sampled station; of access points only if no station was sampled."""
    plan = record.plan
    names = names_by_mac(plan.nodes)
    sources = [source for source in record.data["sources"].values() if _peers(source)]
    stations = [source for source in sources if plan.node(source["node"]).kind == "sta"]
    for source in stations or sources:
        for series in source["series"]:
            sampled, _, peer = series["name"].partition("/")
            if sampled == "signal" and series["values"]:
                yield {**series, "name": f"{source['node']} hears {names.get(peer, peer)}"}


def _signal(record: Record, levels: list[dict[str, Any]]) -> Figure:
    lines = [line(series, dots=True) for series in levels]
    low = min(min(line.y) for line in lines)
    high = max(max(line.y) for line in lines)
    title = f"Signal between {plain(low)} and {plain(high)} dBm" if low < high else f"Signal {plain(low)} dBm"
    about = "level of the last frame of the peer, sampled by iw"
    return over_time(record, "signal", title, about, lines, y_label="signal, dBm", from_zero=False, one_named=True)


def _by_unit(record: Record, quantity: str) -> dict[str, list[dict[str, Any]]]:
    """Return what probes sampled of a quantity, for each unit; those with the most samples first."""
    by_unit: dict[str, list[dict[str, Any]]] = {}
    for identifier, source in record.data["sources"].items():
        for series in source["series"]:
            sampled, _, instance = series["name"].partition("/")
            if sampled == quantity and len(series["values"]) > 1:
                name = f"{identifier} {instance}".strip()
                by_unit.setdefault(series["unit"], []).append({**series, "name": name})
    for found in by_unit.values():
        found.sort(key=lambda series: (-len(series["values"]), series["name"]))
    return by_unit


def _sampled(record: Record, name: str, found: list[dict[str, Any]]) -> Figure:
    """Return the figure of a quantity in one unit."""
    label, title, dots = _QUANTITIES[name.partition("-")[0]]
    unit = found[0]["unit"]
    lines = [line(series, gap=gap(series), dots=dots) for series in found]
    if unit in _SHOWN_IN:
        unit, much = _SHOWN_IN[unit]
        lines = [replace(line, y=[value / much for value in line.y]) for line in lines]
    values = sorted(value for line in lines for value in line.y)
    numbers = {"high": plain(values[-1], 3), "median": plain(values[len(values) // 2], 3), "unit": unit}
    return over_time(record, name, title.format(**numbers), f"{label} over time", lines, y_label=f"{label}, {unit}")
