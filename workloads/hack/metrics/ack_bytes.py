# SPDX-License-Identifier: MIT
"""Bytes of a TCP ACK that goes with a link-layer ACK."""

from __future__ import annotations

from lab.metrics.base import MEDIUM, Context, Figures, Metric
from lab.shared import types
from lab.units import SIZE

from ._peers import row, sent


class AckBytes(Metric):
    """Mean bytes by which a compressed TCP ACK makes an ACK or BlockAck frame longer.

    Salameh et al., "HACK: Hierarchical ACKs for Efficient Wireless Medium Utilization", table 2. The byte that begins
    each payload counts, too. No value for a node of which no ACK was compressed.
    """

    about = "mean bytes of a compressed TCP ACK of a role's nodes (hack:)"
    takes = (MEDIUM,)
    dimension = SIZE
    unit = "B"
    columns = ("bytes",)

    def figures(self, metric: types.Metric, context: Context) -> Figures:
        """Return one row per node."""
        figures = Figures()
        for name, counts in sent(metric, context):
            if counts.get("acks"):
                mean = (counts["bytes"] + counts["payloads"]) / counts["acks"]
                figures.rows.append(row(name, counts, bytes=mean))
                figures.values.append(mean)
        return figures


METRIC = AckBytes()
