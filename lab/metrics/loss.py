# SPDX-License-Identifier: MIT
"""Loss: packets that did not arrive."""

from __future__ import annotations

from lab.metrics.base import Context, Figures, Metric, all_found
from lab.probes.base import Flow
from lab.shared import types
from lab.units import PERCENT


class Loss(Metric):
    """Requests of ping without a reply, or packets of a sender that its receiver missed, in percent.

    What a udp-sender sent after the last datagram that arrived is not counted. Where a receiver knows in advance what
    is to come, all of that counts, each packet once; repetitions do not.
    """

    about = "packets that did not arrive: ping without reply, datagrams of iperf3, udp-sender and others"
    takes = (Flow,)
    dimension = PERCENT
    unit = "%"
    columns = ("loss",)

    def figures(self, metric: types.Metric, context: Context) -> Figures:
        """One row per flow in which anything was sent."""
        figures = Figures()
        for _, flow in all_found(metric, context, Flow):
            if flow.sent:
                percent = 100 * flow.lost / flow.sent
                figures.values.append(percent)
                figures.rows.append({"process": flow.name, "sent": flow.sent, "lost": flow.lost, "loss": percent})
        return figures


METRIC = Loss()
