# SPDX-License-Identifier: MIT
"""Retransmits: segments that TCP retransmitted."""

from __future__ import annotations

from lab.metrics.base import Context, Metric, MetricValues, chosen
from lab.probes.base import Retransmissions
from lab.shared import types


class Retransmits(Metric):
    """Retransmitted segments, counted by the sender: from iperf3, or from ``ss`` for each connection.

    ss has to run on the sender (the server of a download). Its last sample counts.
    """

    about = "segments that TCP retransmitted, from iperf3 or from ss on the sender"
    takes = (Retransmissions,)
    per = ("process", "connection")
    unit = "segments"

    def compute(self, metric: types.PlannedMetric, context: Context) -> MetricValues:
        """Return one row per connection (ss) or test (iperf3)."""
        computed = MetricValues()
        for source in chosen(metric, context):
            counted = {one.connection: one.count for one in source.found(Retransmissions)}
            for which, count in counted.items():
                computed.rows.append({"node": source.node.name, "connection": which, "retransmits": count})
            if counted:
                computed.values += counted.values() if metric.per == "connection" else [sum(counted.values())]
        return computed
