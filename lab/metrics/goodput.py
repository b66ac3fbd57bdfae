# SPDX-License-Identifier: MIT
"""Goodput: payload delivered to the application per time."""

from __future__ import annotations

from lab.metrics.base import Context, Metric, MetricValues, all_found, unheard, within
from lab.probes.base import Delivery
from lab.shared import types
from lab.units import RATE


class Goodput(Metric):
    """Bits delivered, divided by the time that took.

    Per ``process`` (default): the mean over the whole transfer, from the start of the process to its last byte. Per
    ``interval``: the value of each interval between two samples. For curl it is measured from the size of the written
    file, for iperf3 from its own intervals. Each flow of a udp-sink counts separately, named after its sender; its mean
    is from the first datagram to the last, without the bytes of the first; 0 for a flow of which nothing arrived.
    """

    about = "payload delivered per time: mean of a transfer, and of its intervals"
    takes = (Delivery,)
    per = ("process", "interval")
    dimension = RATE
    unit = "bit/s"
    columns = ("goodput",)

    def compute(self, metric: types.PlannedMetric, context: Context) -> MetricValues:
        """Return one row and one series per transfer or flow."""
        computed = MetricValues()
        silent = [Delivery(flow.name, 0, 0) for flow in unheard(metric, context)]
        for delivery in [delivery for _, delivery in all_found(metric, context, Delivery)] + silent:
            mean = delivery.goodput_bps()
            rate = within(delivery.rate, context.end_ns) if delivery.rate else None
            computed.series += [rate] if rate else []
            computed.values += (rate.values if rate else []) if metric.per == "interval" else [mean]
            computed.rows.append(
                {
                    "process": delivery.name,
                    "bytes": delivery.bytes,
                    "duration_ns": delivery.duration_ns,
                    "goodput": mean,
                }
            )
        return computed
