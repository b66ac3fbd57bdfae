# SPDX-License-Identifier: MIT
"""Parts of a flow's time: common code."""

from __future__ import annotations

import statistics

from lab.metrics.base import Context
from lab.probes.base import TimeSeries

SECOND_NS = 1_000_000_000
HANDOFF_S = 3  # the handoff, and what congestion control needs to notice
BEFORE_S = 10  # what a fall is compared with


def between(series: TimeSeries, begin_ns: int, end_ns: int) -> list[float]:
    """Return the values of the intervals that end after the first time, and by the second."""
    stamped = zip(series.t_ns, series.values, strict=True)
    return [value for t_ns, value in stamped if begin_ns < t_ns <= end_ns]


def begin_ns(series: TimeSeries) -> int:
    """Return when the first interval begins: 0 if there are too few to tell."""
    return 2 * series.t_ns[0] - series.t_ns[1] if len(series.t_ns) > 1 else 0


def fall(series: TimeSeries, moment_ns: int) -> float | None:
    """Return the lowest of the intervals that end in the 3 s after a moment, in % of the mean of the 10 s before.

    None if there are no such intervals, or nothing arrived in the 10 s.
    """
    before = between(series, moment_ns - BEFORE_S * SECOND_NS, moment_ns)
    during = between(series, moment_ns, moment_ns + HANDOFF_S * SECOND_NS)
    return 100 * min(during) / statistics.fmean(before) if during and any(before) else None


def handoffs(context: Context) -> list[int]:
    """Return the moments of a run's scripted handoffs, in ns."""
    return sorted({event.t_ns for event in context.events if event.kind == "roam"})
