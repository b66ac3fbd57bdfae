# SPDX-License-Identifier: MIT
"""TCP ACKs over time: compressed beside native ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

from lab.drawing import Figure
from lab.numbers import plain
from lab.record.record import Record, Result
from lab.views.base import View
from lab.views.parts.lines import SECOND, line
from lab.views.parts.many import over_time


class AckRate(View):
    """Two lines for each peer to which there are ACKs."""

    def figures(self, result: Result, record: Record) -> Iterator[Figure]:
        """Yield one figure of all peers."""
        counted = [series for series in result.series if any(series["values"])]
        if not counted:
            return
        every_s = min(map(_interval_s, counted))
        lines = [
            # a sample without the counter means that nothing was counted since the one before it
            line(series, step=True, gap=1.5 * every_s)
            for series in counted
        ]
        about = f"{result.name}: {result.about}, per interval of {plain(every_s, 3)} s"
        y_label = f"{result.name}, {result.unit}"
        yield over_time(record, result.name, _title(result), about, lines, y_label=y_label, height=300)


def _title(result: Result) -> str:
    compressed, native = (sum(row[kind] for row in result.rows) for kind in ("compressed", "native"))
    share = plain(100 * compressed / (compressed + native), 3)
    return f"{share} % of the TCP ACKs go compressed"


def _interval_s(series: Mapping[str, Any]) -> float:
    """Return the time between samples."""
    closest_ns: int = min((after - before for before, after in pairwise(series["t_ns"])), default=SECOND)
    return closest_ns / SECOND
