# SPDX-License-Identifier: MIT
"""Recovery time: how long a flow needs after a gap until it carries as much as before."""

from __future__ import annotations

import itertools
import statistics
from collections.abc import Iterator
from typing import Any

from lab.metrics.base import Context, Metric, MetricValues, chosen, series_of
from lab.probes.base import Samples, TimeSeries
from lab.shared import types
from lab.units import DURATION

_SECOND_NS = 1_000_000_000
_BEFORE_NS = 5 * _SECOND_NS  # what the rest is compared with
_SHARE = 0.5


class RecoveryTime(Metric):
    """Time from the event ``connect`` until an interval of a ``flow-sink`` carries half of what it did before the gap.

    That is the mean of the 5 s before the event ``disconnect``. The time includes the scan and the association. If the
    flow never comes that far, it is that until the end of the run. The sink's intervals (``every``) are its resolution.
    No value if nothing arrived before.
    """

    about = "time from the event connect until a flow carries half of what it did before disconnect"
    takes = (Samples("goodput"),)
    dimension = DURATION
    unit = "ns"
    columns = ("recovery",)

    def compute(self, metric: types.PlannedMetric, context: Context) -> MetricValues:
        computed = MetricValues()
        gaps = list(_gaps(context))
        for source in chosen(metric, context, self.takes[0]):
            for row in _rows(series_of(source, "goodput"), gaps, context.end_ns):
                computed.rows.append({"process": source.id, **row})
                computed.values.append(row["recovery"])
        return computed


def _gaps(context: Context) -> Iterator[tuple[int, int]]:
    """Yield (begin, end) of each gap, in ns: from a disconnect to the next connect."""
    moments = [(event.t_ns, event.kind) for event in context.events if event.kind in ("connect", "disconnect")]
    for (begin_ns, first), (end_ns, second) in itertools.pairwise(moments):
        if (first, second) == ("disconnect", "connect"):
            yield begin_ns, end_ns


def _rows(goodput: TimeSeries, gaps: list[tuple[int, int]], end_ns: int) -> Iterator[dict[str, Any]]:
    stamped = list(zip(goodput.t_ns, goodput.values, strict=True))
    for begin_ns, back_ns in gaps:
        before = [value for t_ns, value in stamped if begin_ns - _BEFORE_NS < t_ns <= begin_ns]
        if not before or not any(before):
            continue
        enough = _SHARE * statistics.fmean(before)
        again = (t_ns for t_ns, value in stamped if t_ns > back_ns and value >= enough)
        yield {"at_s": back_ns / _SECOND_NS, "recovery": next(again, end_ns) - back_ns}
