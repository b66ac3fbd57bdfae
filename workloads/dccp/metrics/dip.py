# SPDX-License-Identifier: MIT
"""Dip: how far a flow falls at a handoff, and whether it recovers."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence
from typing import Any

from lab.metrics.base import Context, Metric, MetricValues, chosen, series_of
from lab.probes.base import Samples, TimeSeries
from lab.shared import types
from lab.units import PERCENT

from ._windows import BEFORE_S, SECOND_NS, between, fall, handoffs

_AFTER_S = (10, 20)


class Dip(Metric):
    """Goodput of a ``flow-sink`` around each scripted handoff of the run, as a percentage of that in the 10 s before.

    Per ``lowest`` (default): the lowest interval of those that end in the 3 s after it. Per ``recovered``: the mean
    from 10 s to 20 s after. Rows have both. It does not know whose handoffs concern a flow: of one whose sender stays,
    they show nothing special. No value if nothing arrived in the 10 s before.
    """

    about = "goodput of a flow in the worst interval of a handoff, or 10 s later, as a share of that before"
    takes = (Samples("goodput"),)
    per = ("lowest", "recovered")
    dimension = PERCENT
    unit = "%"
    columns = ("lowest", "recovered")

    def compute(self, metric: types.PlannedMetric, context: Context) -> MetricValues:
        """Return one row per flow and moment of handoff."""
        computed = MetricValues()
        for source in chosen(metric, context, self.takes[0]):
            for row in _rows(series_of(source, "goodput"), handoffs(context)):
                computed.rows.append({"process": source.id, **row})
                computed.values.append(row[metric.per or "lowest"])
        return computed


def _rows(goodput: TimeSeries, moments: Sequence[int]) -> Iterator[dict[str, Any]]:
    for moment_ns in moments:
        lowest = fall(goodput, moment_ns)
        after = between(goodput, *(moment_ns + part * SECOND_NS for part in _AFTER_S))
        if lowest is None or not after:
            continue
        before = between(goodput, moment_ns - BEFORE_S * SECOND_NS, moment_ns)
        recovered = 100 * statistics.fmean(after) / statistics.fmean(before)
        yield {"at_s": moment_ns / SECOND_NS, "lowest": lowest, "recovered": recovered}
