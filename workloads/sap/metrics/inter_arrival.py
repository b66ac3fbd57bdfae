# SPDX-License-Identifier: MIT
"""Inter-arrival time: from one datagram to the next."""

from __future__ import annotations

import math

from lab.metrics.base import Context, Metric, MetricValues, all_found
from lab.shared import types
from lab.units import DURATION

from ..probes._results import Gaps

_VALUE = {"deviation": "deviation", "longest": "max"}  # of a row, by ``per``
_KEYS = ("mean", "min", "p50", "p90", "p95", "p99", "max")


class InterArrival(Metric):
    """Time between arrivals of datagrams or points at the receiving program.

    Per ``process`` (default): their mean. Per ``deviation``: their sample standard deviation, the square root of the
    variance that papers report. Per ``longest``: the longest. Rows have all three, and percentiles by nearest rank.
    """

    about = "time from one arrival at a sink of SAP to the next: mean, standard deviation or longest"
    takes = (Gaps,)
    per = ("process", "deviation", "longest")
    dimension = DURATION
    unit = "ns"
    columns = (*_KEYS, "deviation")

    def compute(self, metric: types.PlannedMetric, context: Context) -> MetricValues:
        """Return one row per sink that received at least three datagrams."""
        computed = MetricValues()
        for _, gaps in all_found(metric, context, Gaps):
            row = {key: gaps.percentiles_ns[key] for key in _KEYS} | {"deviation": math.sqrt(gaps.variance_ns2)}
            computed.rows.append({"process": gaps.name, "gaps": gaps.count, **row})
            computed.values.append(row[_VALUE.get(metric.per or "process", "mean")])
        return computed
