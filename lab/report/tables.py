# SPDX-License-Identifier: MIT
"""The tables of a report, once, for the terminal, JSON, CSV and report.html alike."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from lab.metrics.base import increase
from lab.probes.base import Series
from lab.record.record import Record, Result
from lab.report.numbers import NONE, plain, size
from lab.report.plots import arrow

_SECOND = 1_000_000_000
_DELAYS = {"mean": "mean delay", "min": "least", "max": "most"}
_BEFORE, _AFTER = 2, 5  # seconds shown around a handoff


@dataclass(frozen=True)
class Column:
    """A column: key of its cells, heading, unit, and whether cells are numbers of ``digits`` significant digits."""

    key: str
    title: str
    unit: str = ""
    digits: int = 4
    number: bool = True
    show: Callable[[Any], str] | None = None

    @property
    def heading(self) -> str:
        """Title and unit."""
        return f"{self.title}, {self.unit}" if self.unit else self.title

    def text(self, row: Mapping[str, Any]) -> str:
        """A cell for a reader; a dash where there is no value."""
        value = row.get(self.key)
        if value is None:
            return NONE
        if self.show:
            return self.show(value)
        if isinstance(value, bool):
            return "yes" if value else "no"
        return plain(value, self.digits) if isinstance(value, int | float) else str(value)


@dataclass(frozen=True)
class Table:
    """Rows of raw values under described columns. ``unit`` is in the title, so that headings need not repeat it."""

    name: str
    title: str
    columns: list[Column]
    rows: list[dict[str, Any]]
    unit: str = ""
    in_terminal: bool = True  # or only in the page, CSV and JSON
    remark: str = ""  # below it

    def heading(self, column: Column) -> str:
        """What to write above a column."""
        return column.title if column.unit == self.unit else column.heading


def tables(record: Record) -> list[Table]:
    """All tables that have rows, in the order of the report."""
    from lab.report import medium

    makers: tuple[Callable[[Record], Iterable[Table]], ...] = (
        _checks,
        _handoffs,
        _goodput_around,
        _transfers,
        _delays,
        medium.tables,
        _radios,
        _metrics,
    )
    return [table for maker in makers for table in maker(record) if table.rows]


def _words(key: str, title: str) -> Column:
    return Column(key, title, number=False)


def _checks(record: Record) -> Iterable[Table]:
    columns = [
        Column("passed", "result", number=False, show=lambda passed: "passed" if passed else "FAILED"),
        _words("that", "check"),
        _words("because", "because"),
    ]
    rows = [{key: check[key] for key in ("passed", "that", "because", "source")} for check in record.data["checks"]]
    yield Table("checks", "Checks", columns, rows)


def _handoffs(record: Record) -> Iterable[Table]:
    for result in record.metrics_of("outage"):
        steps = [
            Column(key, title, result.unit, 3)
            for key, title in (
                ("scan", "scan"),
                ("authentication", "authentication"),
                ("association", "association"),
                ("keys", "keys"),
                ("first_data", "first data"),
                ("outage", "outage"),
                ("longest_gap", "gap"),
            )
            if key not in ("keys", "longest_gap") or any(row[key] is not None for row in result.rows)
        ]
        columns = [
            Column("at_s", "at", "s"),
            *([_words("station", "station")] if len({row["station"] for row in result.rows}) > 1 else []),
            _words("handoff", "handoff"),
            *steps,
        ]
        rows = [{**row, "at_s": row["at_ns"] / _SECOND, "handoff": arrow(row)} for row in result.rows]
        by = {
            "data frames": "from the last data frame before to the first one after",
            "events": "from leaving the old access point to being connected",
        }
        meant = "; ".join(by[measured] for measured in sorted({row["measured"] for row in rows}))
        title = f"Handoffs: steps and outage in {result.unit} (outage: {meant}"
        title += "; gap: the longest silence from the scan on)" if any(row["longest_gap"] for row in rows) else ")"
        yield Table(result.name, title, columns, rows, result.unit)


def _goodput_around(record: Record) -> Iterable[Table]:
    """The goodput in each second before and after each handoff."""
    handoffs = [row for result in record.metrics_of("outage") for row in result.rows]
    offsets = range(-_BEFORE, _AFTER)
    for result in record.metrics_of("goodput"):
        rows = []
        for series in result.series:
            for handoff in handoffs:
                begin_ns = handoff["at_ns"]
                row = {"process": series["name"], "at_s": begin_ns / _SECOND, "handoff": arrow(handoff)}
                for offset in offsets:
                    second = (begin_ns + offset * _SECOND, begin_ns + (offset + 1) * _SECOND)
                    row[f"second_{offset}"] = mean_between(series, *second)
                if row["second_-1"] is not None or row["second_0"] is not None:
                    rows.append(row)
        columns = [_words("process", "process"), Column("at_s", "at", "s"), _words("handoff", "handoff")]
        columns += [Column(f"second_{offset}", _offset(offset), digits=3) for offset in offsets]
        title = f"Goodput in each second around a handoff, {result.unit} (0: the second that begins with it)"
        yield Table(f"{result.name}-around", title, columns, rows)


def _offset(offset: int) -> str:
    return f"{plain(offset)} s" if offset <= 0 else f"+{offset} s"


def mean_between(series: Mapping[str, Any], begin_ns: int, end_ns: int) -> float | None:
    """Time-weighted mean of a rate over a span.

    Each value holds from the stamp before it to its own. None: the series does not touch the span.
    """
    total, covered_ns = 0.0, 0
    stamps, values = series["t_ns"], series["values"]
    for index, (t_ns, value) in enumerate(zip(stamps, values, strict=True)):
        before_ns = stamps[index - 1] if index else t_ns - (stamps[1] - stamps[0] if len(stamps) > 1 else _SECOND)
        overlap_ns = min(t_ns, end_ns) - max(before_ns, begin_ns)
        if overlap_ns > 0:
            total += value * overlap_ns
            covered_ns += overlap_ns
    return total / covered_ns if covered_ns else None


def _transfers(record: Record) -> Iterable[Table]:
    for result in record.metrics_of("goodput"):
        columns = [
            _words("process", "process"),
            Column("bytes", "bytes", digits=20, show=_bytes),
            Column("duration_s", "time", "s"),
            Column("goodput", "goodput", result.unit),
            _words("sha256", "SHA-256"),
        ]
        rows = []
        for row in result.rows:
            source = record.data["sources"].get(row["process"])  # none of a flow that no process of the plan sends
            digest = source["values"].get("sha256") if source else None
            seconds = row["duration_ns"] / _SECOND
            rows.append({**row, "duration_s": seconds, "sha256": digest})
        if not any(row["sha256"] for row in rows):
            columns.pop()
        yield Table(f"{result.name}-transfers", "Transfers", columns, rows)


def _delays(record: Record) -> Iterable[Table]:
    """One-way delays of each flow, and what it lost."""
    lost = {row["process"]: row for result in record.metrics_of("loss") for row in result.rows}
    for result in record.metrics_of("delay"):
        columns = [_words("process", "process"), Column("packets", "packets", digits=12)]
        columns += [Column(key, title, result.unit) for key, title in _DELAYS.items()]
        columns.append(Column("lost", "lost", digits=12))
        rows = [{**row, "lost": lost.get(row["process"], {}).get("lost")} for row in result.rows]
        title = f"Flows: packets that arrived, and their one-way delay in {result.unit}"
        yield Table(f"{result.name}-flows", title, columns, rows, result.unit)


def _bytes(count: int) -> str:
    return f"{count:,} ({size(count)})".replace(",", "\N{NARROW NO-BREAK SPACE}")


def _radios(record: Record) -> Iterable[Table]:
    """Frames, retries and failures towards each peer, of every station dump."""
    names = {node.radio.mac: node.name for node in record.plan.nodes if node.radio}
    rows = []
    for source in record.data["sources"].values():
        if source["probe"] != "station-dump":
            continue
        series = {item["name"]: Series(**item) for item in source["series"]}
        samples_ns = series["peers"].t_ns if "peers" in series else []
        peers = [name.partition("/")[2] for name in series if name.startswith("tx_packets/")]
        for peer in peers:
            row: dict[str, Any] = {"node": source["node"], "peer": names.get(peer, peer)}
            for key, name in (("frames", "tx_packets"), ("retries", "tx_retries"), ("failed", "tx_failed")):
                counter = series.get(f"{name}/{peer}")
                row[key] = int(increase(counter, samples_ns)) if counter else None
            levels = series.get(f"signal/{peer}")
            row["signal_dbm"] = sum(levels.values) / len(levels.values) if levels else None
            rows.append(row)
    columns = [
        _words("node", "radio of"),
        _words("peer", "to"),
        Column("frames", "frames sent", digits=12),
        Column("retries", "retries", digits=12),
        Column("failed", "given up", digits=12),
        Column("signal_dbm", "mean signal", "dBm", 3),
    ]
    yield Table("radios", "Radios: frames sent, sent again, given up", columns, rows)


def _metrics(record: Record) -> Iterable[Table]:
    columns = [
        _words("name", "metric"),
        _words("unit", "unit"),
        _words("per", "per"),
        *(Column(key, key) for key in ("count", "mean", "median", "min", "max")),
    ]
    rows = [_metric(result) for result in record.metrics.values()]
    yield Table("metrics", "Metrics", columns, rows)


def _metric(result: Result) -> dict[str, Any]:
    return {
        "name": result.name,
        "kind": result.kind,
        "of": ", ".join(result.of),
        "unit": result.unit,
        "per": result.per,
        **result.values,
    }
