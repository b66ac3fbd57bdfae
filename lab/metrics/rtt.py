# SPDX-License-Identifier: MIT
"""Round-trip time."""

from __future__ import annotations

from lab.metrics.base import Context, Metric, MetricValues, chosen, instances, series_of, summary
from lab.probes.base import Samples, TimeSeries
from lab.shared import types
from lab.units import DURATION

_MILLISECOND = 1_000_000


class Rtt(Metric):
    """Round-trip times: of each ping reply, or TCP's smoothed estimate in each sample of ss or iperf3.

    Per ``sample`` (default): each value. Per ``process``: the mean of each source.
    """

    about = "round-trip time of ping replies, or TCP's estimate (ss, iperf3)"
    takes = (Samples("rtt"),)
    per = ("sample", "process")
    dimension = DURATION
    unit = "ns"
    columns = ("mean", "median", "min", "max")

    def compute(self, metric: types.PlannedMetric, context: Context) -> MetricValues:
        """Return one row and series per source; for ss, per connection."""
        computed = MetricValues()
        for source in chosen(metric, context):
            found = {source.id: series_of(source, "rtt")}
            found |= {f"{source.id} {instance}": series for instance, series in instances(source, "rtt").items()}
            for name, series in found.items():
                if not series.values:
                    continue
                values = [value * _MILLISECOND for value in series.values]
                computed.series.append(TimeSeries(name, "ns", series.t_ns, values))
                row = summary(values)
                row.pop("sum")
                computed.rows.append({"source": name, **row})
                computed.values += values if metric.per != "process" else [row["mean"] or 0.0]
        return computed
