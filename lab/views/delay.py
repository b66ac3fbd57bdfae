# SPDX-License-Identifier: MIT
"""One-way delay and loss of each flow."""

from __future__ import annotations

from collections.abc import Iterator

from lab.record.record import Record, RecordedMetric
from lab.tables import Column, Table, words
from lab.views.base import View

_DELAYS = {"mean": "mean delay", "min": "least", "max": "most"}


class Delay(View):
    """One row per flow, with its loss if the run has that metric."""

    def tables(self, result: RecordedMetric, record: Record) -> Iterator[Table]:
        lost = {row["process"]: row for other in record.metrics_of("loss") for row in other.rows}
        columns = [words("process", "process"), Column("packets", "packets", digits=12)]
        columns += [Column(key, title, result.unit) for key, title in _DELAYS.items()]
        columns.append(Column("lost", "lost", digits=12))
        rows = [{**row, "lost": lost.get(row["process"], {}).get("lost")} for row in result.rows]
        title = f"Flows: packets that arrived, and their one-way delay in {result.unit}"
        yield Table(f"{result.name}-flows", title, columns, rows, result.unit)
