# SPDX-License-Identifier: MIT
"""How much more a flow loses while its station is handed off."""

from __future__ import annotations

import statistics

from lab.metrics.base import Context, Metric, MetricValues, chosen, series_of
from lab.probes.base import Samples, TimeSeries
from lab.shared import types
from lab.units import PERCENT

from ._windows import HANDOFF_S, SECOND_NS, between, handoffs


class LostAtHandoff(Metric):
    """Packets that a ``flow-sink`` missed per interval in the 3 s after each handoff, relative to all other intervals.

    100 % means as many as otherwise. Without a handoff, or if nothing is lost otherwise, there is no value.
    """

    about = "packets lost per interval in the 3 s after handoffs, as a share of those lost otherwise"
    takes = (Samples("lost"),)
    dimension = PERCENT
    unit = "%"
    columns = ("more",)

    def compute(self, metric: types.PlannedMetric, context: Context) -> MetricValues:
        """Return one row per flow."""
        computed = MetricValues()
        for source in chosen(metric, context, self.takes[0]):
            ratio = _ratio(series_of(source, "lost"), handoffs(context))
            if ratio is not None:
                computed.rows.append({"process": source.id, "more": ratio})
                computed.values.append(ratio)
        return computed


def _ratio(lost: TimeSeries, moments: list[int]) -> float | None:
    during = [one for begin_ns in moments for one in between(lost, begin_ns, begin_ns + HANDOFF_S * SECOND_NS)]
    others = len(lost.values) - len(during)
    rest = sum(lost.values) - sum(during)
    return 100 * statistics.fmean(during) * others / rest if during and rest else None
