# SPDX-License-Identifier: MIT
"""Jitter: variation of one-way delay."""

from __future__ import annotations

from lab.metrics.base import Context, Metric, MetricValues, all_found
from lab.probes.base import TimeSeries
from lab.shared import types
from lab.units import DURATION

from ..probes._results import Variation

_VALUE = {"process": "packets", "intervals": "intervals", "smoothed": "smoothed"}  # of a row, by ``per``
_MILLISECOND_NS = 1_000_000


class Jitter(Metric):
    """Variation of the one-way delay of each flow that a ``flow-sink`` received.

    Per ``process`` (default): the difference between the delays of a packet and the one before, its mean in each
    interval, and the mean of these. This is how de Sales et al. describe it ("Measuring DCCP for Linux against TCP and
    UDP with wireless mobile devices", 2008, equation 7). Per ``intervals``: the difference between the mean delays of
    one interval and the next. Per ``smoothed``: as iperf prints it (RFC 3550 6.4.1), meaned over intervals. Rows have
    all three.
    """

    about = "variation of the one-way delay of a flow: between packets, between intervals, or as iperf smooths it"
    takes = (Variation,)
    per = tuple(_VALUE)
    dimension = DURATION
    unit = "ns"
    columns = ("packets", "intervals", "smoothed")

    def compute(self, metric: types.PlannedMetric, context: Context) -> MetricValues:
        """Return one row and one series per flow of which enough arrived."""
        computed = MetricValues()
        for _, found in all_found(metric, context, Variation):
            row = {"packets": found.packets_ns, "intervals": found.intervals_ns, "smoothed": found.smoothed_ns}
            value = row[_VALUE[metric.per or "process"]]
            if value is None:
                continue
            computed.values.append(value)
            computed.rows.append({"process": found.name, **row})
            over_time = found.over_time
            values = [value * _MILLISECOND_NS for value in over_time.values]
            computed.series.append(TimeSeries(found.name, "ns", over_time.t_ns, values))
        return computed
