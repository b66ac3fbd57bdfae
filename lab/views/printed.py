# SPDX-License-Identifier: MIT
"""What programs print, over time."""

from __future__ import annotations

from collections.abc import Iterator

from lab.drawing import Figure
from lab.numbers import plain
from lab.record.record import Record, Result
from lab.views.base import View
from lab.views.parts.lines import line
from lab.views.parts.many import over_time


class Printed(View):
    """One line with dots for each value of a process; none if it was printed only once."""

    def figures(self, result: Result, record: Record) -> Iterator[Figure]:
        """Yield one figure."""
        several = [series for series in result.series if len(series["values"]) > 1]
        if not several:
            return
        low, high = plain(result.values["min"] or 0), plain(result.values["max"] or 0)
        range_ = f"between {low} and {high}" if low != high else low
        title = f"{result.name}: {range_} {result.unit}".rstrip()
        about = f"{result.name}: {result.about}"
        lines = [line(series, dots=True) for series in several]
        yield over_time(record, result.name, title, about, lines, y_label=f"{result.name}, {result.unit}".rstrip(", "))
