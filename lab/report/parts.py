# SPDX-License-Identifier: MIT
"""Parts that stacks add to the reports of runs: ``workloads/<stack>/report_parts/<name>.py`` (lab.registry)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from lab.errors import LabError
from lab.record.record import Record
from lab.registry import Room
from lab.tables import Table
from lab.views import base as views


class ReportPart:
    """Base class. A part uses only the record."""

    def tables(self, record: Record) -> Iterable[Table]:
        """Yield its tables; the report skips those without rows."""
        return ()


PARTS = Room("report_parts", ReportPart)


def tables(record: Record) -> Iterator[Table]:
    """Yield the tables of all parts. Of one that fails, the page and a warning say so."""
    for name in PARTS.known():
        try:
            with PARTS.blaming(name, "tables"):
                yield from tuple(PARTS.made(name).tables(record))
        except LabError as error:
            views.note_failure(record, f"the part {name} of reports", error)
