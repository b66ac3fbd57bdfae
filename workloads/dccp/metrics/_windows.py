# SPDX-License-Identifier: MIT
"""Parts of a flow's time: common code."""

from __future__ import annotations

from lab.metrics.base import Context
from lab.probes.base import TimeSeries

SECOND_NS = 1_000_000_000
HANDOFF_S = 3  # the handoff, and what congestion control needs to notice


def between(series: TimeSeries, begin_ns: int, end_ns: int) -> list[float]:
    """Return the values of the intervals that end after the first time, and by the second."""
    stamped = zip(series.t_ns, series.values, strict=True)
    return [value for t_ns, value in stamped if begin_ns < t_ns <= end_ns]


def handoffs(context: Context) -> list[int]:
    """Return the moments of a run's scripted handoffs, in ns."""
    return sorted({event.t_ns for event in context.events if event.kind == "roam"})
