# SPDX-License-Identifier: MIT
"""Loss: packets that did not arrive."""

from __future__ import annotations

from lab.metrics.base import Context, Metric, MetricValues, all_found, unheard
from lab.probes.base import Flow
from lab.shared import types
from lab.units import PERCENT


class Loss(Metric):
    """Percentage of ping requests without a reply, or of a sender's packets that did not reach the receiver.

    What a udp-sender sent after the last datagram that arrived does not count. If nothing of it arrived, all is lost.
    If a receiver knows in advance what to expect, all of that counts, each packet once, without repetitions.
    """

    about = "packets that did not arrive: pings without reply, datagrams of iperf3, udp-sender and others"
    takes = (Flow,)
    dimension = PERCENT
    unit = "%"
    columns = ("loss",)

    def compute(self, metric: types.PlannedMetric, context: Context) -> MetricValues:
        """Return one row per flow with at least one packet sent."""
        computed = MetricValues()
        silent = [Flow(flow.name, flow.packets, flow.packets) for flow in unheard(metric, context)]
        for flow in [flow for _, flow in all_found(metric, context, Flow)] + silent:
            if flow.sent:
                percent = 100 * flow.lost / flow.sent
                computed.values.append(percent)
                computed.rows.append({"process": flow.name, "sent": flow.sent, "lost": flow.lost, "loss": percent})
        return computed
