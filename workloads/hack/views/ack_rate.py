# SPDX-License-Identifier: MIT
"""TCP ACKs over time: compressed and native ones."""

from __future__ import annotations

from itertools import pairwise

from lab.drawing import Line
from lab.numbers import plain
from lab.record.record import Record, RecordedMetric
from lab.views.parts.lines import SECOND, line
from lab.views.parts.over_time import OverTime, RecordedSeries


class AckRate(OverTime):
    """Two lines for each peer to which there are ACKs."""

    height = 300

    def series(self, result: RecordedMetric) -> RecordedSeries:
        return [series for series in result.series if any(series["values"])]

    def lines(self, series: RecordedSeries, record: Record) -> list[Line]:
        """Return steps; a sample without the counter means that nothing was counted since the one before it."""
        return [line(one, step=True, gap=1.5 * _interval_s(series)) for one in series]

    def title(self, result: RecordedMetric) -> str:
        compressed, native = (sum(row[kind] for row in result.rows) for kind in ("compressed", "native"))
        share = plain(100 * compressed / (compressed + native), 3)
        return f"{share} % of the TCP ACKs are compressed"

    def about(self, result: RecordedMetric, series: RecordedSeries) -> str:
        return f"{super().about(result, series)}, per interval of {plain(_interval_s(series), 3)} s"


def _interval_s(series: RecordedSeries) -> float:
    """Return the time between samples."""
    between_ns = (after - before for one in series for before, after in pairwise(one["t_ns"]))
    closest_ns: int = min(between_ns, default=SECOND)
    return closest_ns / SECOND
