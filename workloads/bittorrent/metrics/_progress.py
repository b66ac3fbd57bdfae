# SPDX-License-Identifier: MIT
"""A part of the torrent's size, over time: common code of have and playable."""

from __future__ import annotations

from lab.metrics.base import Context, Metric, MetricValues, chosen, series_of
from lab.probes.base import TimeSeries
from lab.shared import types
from lab.units import PERCENT


class Progress(Metric):
    """A subclass sets ``takes`` and ``quantity``. The value of a peer is that at the end of the run."""

    per = ("process", "sample")
    dimension = PERCENT
    unit = "%"
    columns = ("share",)
    quantity = ""  # a series of the probe, in B

    def compute(self, metric: types.PlannedMetric, context: Context) -> MetricValues:
        computed = MetricValues()
        for source in chosen(metric, context):
            sampled, size = series_of(source, self.quantity), source.parsed.values.get("size")
            if not sampled.values or not size:
                continue
            shares = [100 * value / size for value in sampled.values]
            computed.series.append(TimeSeries(source.id, self.unit, sampled.t_ns, shares))
            computed.values += shares if metric.per == "sample" else shares[-1:]
            computed.rows.append({"process": source.id, "bytes": sampled.values[-1], "share": shares[-1]})
        return computed
