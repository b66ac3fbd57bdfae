# SPDX-License-Identifier: MIT
"""Delay: one-way delay of datagrams."""

from __future__ import annotations

from lab.metrics.base import Context, Metric, MetricValues, all_found, within
from lab.probes.base import Delay as Found
from lab.probes.base import TimeSeries
from lab.shared import types
from lab.units import DURATION

_MILLISECOND = 1_000_000


class Delay(Metric):
    """One-way delay of each flow, from the sender's call to the receiver's.

    Per ``process`` (default): the mean of each flow, named after its sender; so ``delay.max`` is the mean of the
    slowest flow. Per ``interval``: the mean of each interval. Per ``longest``: the longest delay of each flow, so that
    ``delay.max`` is that of a single datagram.
    """

    about = "one-way delay of the datagrams of each flow"
    takes = (Found,)
    per = ("process", "interval", "longest")
    dimension = DURATION
    unit = "ns"
    columns = ("mean", "min", "max")

    def compute(self, metric: types.PlannedMetric, context: Context) -> MetricValues:
        computed = MetricValues()
        for _, delay in all_found(metric, context, Found):
            means = within(delay.means, context.end_ns)
            values = [value * _MILLISECOND for value in means.values]
            row = {"mean": delay.mean_ns, "min": delay.min_ns, "max": delay.max_ns}
            computed.series.append(TimeSeries(delay.name, "ns", means.t_ns, values))
            computed.rows.append({"process": delay.name, "packets": delay.packets, **row})
            of_flow = row["max"] if metric.per == "longest" else row["mean"]
            computed.values += values if metric.per == "interval" else [of_flow]
        return computed
