# SPDX-License-Identifier: MIT
"""Retransmits: segments that TCP sent again."""

from __future__ import annotations

from lab.metrics.base import Context, Figures, Metric, chosen
from lab.probes.base import Retransmissions
from lab.shared import types


class Retransmits(Metric):
    """Segments sent more than once, as the sending side counts them: by iperf3, or of each connection that ``ss`` saw.

    ss has to run where the data comes from (the server of a download). What it sampled last counts.
    """

    about = "segments that TCP sent again, of iperf3 or of ss on the sender"
    takes = (Retransmissions,)
    per = ("process", "connection")
    unit = "segments"

    def figures(self, metric: types.Metric, context: Context) -> Figures:
        """One row per connection (ss) or test (iperf3)."""
        figures = Figures()
        for source in chosen(metric, context):
            counted = {one.connection: one.count for one in source.found(Retransmissions)}
            for which, count in counted.items():
                figures.rows.append({"node": source.node.name, "connection": which, "retransmits": count})
            figures.values += counted.values() if metric.per == "connection" else [sum(counted.values())]
        return figures


METRIC = Retransmits()
