# SPDX-License-Identifier: MIT
"""Goodput over time, around moments that other metrics mark, and of whole transfers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from lab.drawing import Line
from lab.numbers import plain, size
from lab.record.record import Record, RecordedMetric
from lab.tables import Column, Table, words
from lab.text import short_hash
from lab.views.parts.lines import SECOND, line, moments
from lab.views.parts.over_time import OverTime, RecordedSeries

_BEFORE, _AFTER = 2, 5  # seconds shown around a moment


class Goodput(OverTime):
    """Lines over time; tables of transfers and of the seconds around a handoff."""

    quantity = "goodput"
    height = 300

    def series(self, result: RecordedMetric) -> RecordedSeries:
        return [series for series in result.series if series["values"]]

    def lines(self, series: RecordedSeries, record: Record) -> list[Line]:
        """Return steps, and the area below a single one."""
        return [line(_from_start(one), step=True, area=len(series) == 1) for one in series]

    def title(self, result: RecordedMetric) -> str:
        rows = result.rows
        if len(rows) == 1:
            row = rows[0]
            seconds = plain(row["duration_ns"] / SECOND, 3)
            mean = f"{plain(row['goodput'], 3)} {result.unit}"
            return f"{row['process']}: {size(row['bytes'])} in {seconds} s, {mean} on average"
        total = size(sum(row["bytes"] for row in rows))
        mean = f"{plain(result.values['mean'] or 0, 3)} {result.unit}"
        return f"{len(rows)} transfers, {total} in all, {mean} each on average"

    def about(self, result: RecordedMetric, series: RecordedSeries) -> str:
        empty = len(result.series) - len(series)
        left_out = f"; {empty} more without data" if empty else ""
        return f"{result.name}: bytes that reached the application, per interval{left_out}"

    def tables(self, result: RecordedMetric, record: Record) -> Iterator[Table]:
        """Yield tables of the seconds around each moment, and of the transfers."""
        yield _around(result, record)
        yield _transfers(result, record)


def _from_start(series: Mapping[str, Any]) -> dict[str, Any]:
    """Return the series with a point at the start of the first interval, which a step line needs."""
    stamps, values = series["t_ns"], series["values"]
    width_ns = stamps[1] - stamps[0] if len(stamps) > 1 else SECOND
    return {**series, "t_ns": [stamps[0] - width_ns, *stamps], "values": [values[0], *values]}


def _around(result: RecordedMetric, record: Record) -> Table:
    """Return the goodput in each second before and after each moment."""
    rows = []
    for series in result.series:
        for moment in moments(record):
            begin_ns = moment.second_ns
            row = {"process": series["name"], "at_s": begin_ns / SECOND, "handoff": moment.label}
            for offset in range(-_BEFORE, _AFTER):
                second = (begin_ns + offset * SECOND, begin_ns + (offset + 1) * SECOND)
                row[f"second_{offset}"] = mean_between(series, *second)
            if row["second_-1"] is not None or row["second_0"] is not None:
                rows.append(row)
    columns = [words("process", "process"), Column("at_s", "at", "s"), words("handoff", "handoff")]
    columns += [Column(f"second_{offset}", _offset(offset), digits=3) for offset in range(-_BEFORE, _AFTER)]
    title = f"Goodput in each second around a handoff, {result.unit} (0: the second that begins with it)"
    return Table(f"{result.name}-around", title, columns, rows)


def _offset(offset: int) -> str:
    return f"{plain(offset)} s" if offset <= 0 else f"+{offset} s"


def mean_between(series: Mapping[str, Any], begin_ns: int, end_ns: int) -> float | None:
    """Return the time-weighted mean of a rate over a span.

    Each value is valid from the time of the previous sample to its own. None: the series does not overlap the span.
    """
    total, covered_ns = 0.0, 0
    stamps, values = series["t_ns"], series["values"]
    for index, (t_ns, value) in enumerate(zip(stamps, values, strict=True)):
        before_ns = stamps[index - 1] if index else t_ns - (stamps[1] - stamps[0] if len(stamps) > 1 else SECOND)
        overlap_ns = min(t_ns, end_ns) - max(before_ns, begin_ns)
        if overlap_ns > 0:
            total += value * overlap_ns
            covered_ns += overlap_ns
    return total / covered_ns if covered_ns else None


def _transfers(result: RecordedMetric, record: Record) -> Table:
    columns = [
        words("process", "process"),
        Column("bytes", "bytes", digits=20, show=_bytes),
        Column("duration_s", "time", "s"),
        Column("goodput", "goodput", result.unit),
        Column("sha256", "SHA-256", number=False, show=short_hash),
    ]
    rows = []
    for row in result.rows:
        source = record.data["sources"].get(row["process"])  # None for a flow that no process of the plan sends
        digest = source["values"].get("sha256") if source else None
        seconds = row["duration_ns"] / SECOND
        rows.append({**row, "duration_s": seconds, "sha256": digest})
    if not any(row["sha256"] for row in rows):
        columns.pop()
    return Table(f"{result.name}-transfers", "Transfers", columns, rows)


def _bytes(count: int) -> str:
    return f"{count:,} ({size(count)})".replace(",", "\N{NARROW NO-BREAK SPACE}")
