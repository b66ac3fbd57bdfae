# SPDX-License-Identifier: MIT
"""Delay: how long datagrams take one way."""

from __future__ import annotations

from lab.metrics.base import Context, Figures, Metric, chosen, instances
from lab.probes.base import Series
from lab.shared import types
from lab.units import DURATION

_MILLISECOND = 1_000_000


class Delay(Metric):
    """One-way delay of the flows of a udp-sink, from the sender's call to the receiver's.

    Per ``process`` (default): the mean of each flow, named after its sender. Per ``interval``: the mean of each
    interval.
    """

    about = "one-way delay of the datagrams of each flow of a udp-sink"
    of = ("udp-sink",)
    per = ("process", "interval")
    dimension = DURATION
    unit = "ns"
    columns = ("mean", "min", "max")

    def figures(self, metric: types.Metric, context: Context) -> Figures:
        """One row and one series per flow."""
        figures = Figures()
        for source in chosen(metric, context):
            means = instances(source, "delay")
            for name, flow in source.parsed.values.get("flows", {}).items():
                values = [value * _MILLISECOND for value in means[name].values]
                row = {key: flow[f"delay_{key}_ns"] for key in self.columns}
                figures.series.append(Series(name, "ns", means[name].t_ns, values))
                figures.rows.append({"process": name, "packets": flow["packets"], **row})
                figures.values += values if metric.per == "interval" else [row["mean"]]
        return figures


METRIC = Delay()
