# SPDX-License-Identifier: MIT
"""Compressed ACKs: TCP ACKs that went with link-layer ACKs."""

from __future__ import annotations

from lab.metrics.base import MEDIUM, Context, Figures, Metric
from lab.shared import types
from lab.units import PERCENT

from ._peers import row, sent


class AcksCompressed(Metric):
    """Percentage of a node's TCP ACKs without data that went compressed with ACK and BlockAck frames.

    Salameh et al., "HACK: Hierarchical ACKs for Efficient Wireless Medium Utilization", table 2. 0 % without ``hack:``.
    """

    about = "TCP ACKs of a role's nodes that went compressed with ACK and BlockAck frames (hack:)"
    takes = (MEDIUM,)
    dimension = PERCENT
    unit = "%"
    columns = ("share",)

    def figures(self, metric: types.Metric, context: Context) -> Figures:
        """Return one row per node."""
        figures = Figures()
        for name, counts in sent(metric, context):
            total = counts.get("acks", 0) + counts.get("natives", 0)
            share = 100 * counts["acks"] / total if total else 0.0
            figures.rows.append(row(name, counts, share=share))
            figures.values.append(share)
        return figures


METRIC = AcksCompressed()
