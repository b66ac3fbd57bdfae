# SPDX-License-Identifier: MIT
"""The tables of a report, common to terminal, JSON, CSV and report.html."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from lab.record.record import Record, RecordedMetric
from lab.report import medium, parts, sampled
from lab.tables import Column, Table, words
from lab.views import base as views


def tables(record: Record) -> list[Table]:
    """Return all tables that have rows, in report order."""
    found = (
        _checks(record),
        _of_views(record),
        medium.tables(record),
        parts.tables(record),
        sampled.tables(record),
        _metrics(record),
    )
    return [table for some in found for table in some if table.rows]


def _of_views(record: Record) -> Iterable[Table]:
    """Return the tables of metrics, in the order of the workload; views with ``first`` come first."""
    return views.collected(record, "tables", lambda view, result: view.tables(result, record), by_first=True)


def _checks(record: Record) -> Iterable[Table]:
    columns = [
        Column("passed", "result", number=False, show=lambda passed: "passed" if passed else "FAILED"),
        words("that", "check"),
        words("because", "because"),
    ]
    rows = [{key: check[key] for key in ("passed", "that", "because", "source")} for check in record.data["checks"]]
    yield Table("checks", "Checks", columns, rows)


def _metrics(record: Record) -> Iterable[Table]:
    columns = [
        words("name", "metric"),
        words("unit", "unit"),
        words("per", "per"),
        *(Column(key, key) for key in ("count", "mean", "median", "min", "max")),
    ]
    rows = [_metric(result) for result in record.metrics.values()]
    yield Table("metrics", "Metrics", columns, rows)


def _metric(result: RecordedMetric) -> dict[str, Any]:
    return {
        "name": result.name,
        "kind": result.kind,
        "of": ", ".join(result.of),
        "unit": result.unit,
        "per": result.per,
        **result.values,
    }
