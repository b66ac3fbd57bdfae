# SPDX-License-Identifier: MIT
"""Scatter: how much the goodput of a flow varies from interval to interval."""

from __future__ import annotations

import statistics

from lab.metrics.base import Context, Metric, MetricValues, chosen, series_of
from lab.probes.base import Samples
from lab.shared import types
from lab.units import PERCENT

from ._windows import SECOND_NS, begin_ns, between

_FROM_S = 25  # of the flow: it has found its share of the channel
_UNTIL_S = 280  # what the later flows last (the paper's section 3.3)


class Scatter(Metric):
    """Standard deviation of a ``flow-sink``'s goodput per interval, 25 s to 280 s of the flow, in % of its mean.

    Handoffs are within. No value if the flow is shorter, or if nothing arrives.
    """

    about = "standard deviation of a flow's goodput from interval to interval, as a share of its mean"
    takes = (Samples("goodput"),)
    dimension = PERCENT
    unit = "%"
    columns = ("deviation",)

    def compute(self, metric: types.PlannedMetric, context: Context) -> MetricValues:
        """Return one row per flow."""
        computed = MetricValues()
        for source in chosen(metric, context, self.takes[0]):
            goodput = series_of(source, "goodput")
            start_ns = begin_ns(goodput)
            during = between(goodput, start_ns + _FROM_S * SECOND_NS, start_ns + _UNTIL_S * SECOND_NS)
            if any(during):
                deviation = 100 * statistics.pstdev(during) / statistics.fmean(during)
                computed.rows.append({"process": source.id, "deviation": deviation})
                computed.values.append(deviation)
        return computed
