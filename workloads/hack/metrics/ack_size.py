# SPDX-License-Identifier: MIT
"""What a compressed TCP ACK is of its packet."""

from __future__ import annotations

from lab.metrics.base import MEDIUM, Context, Figures, Metric
from lab.shared import types
from lab.units import PERCENT

from ._peers import row, sent


class AckSize(Metric):
    """Bytes of a node's compressed TCP ACKs, as a percentage of their IP packets; 100 % / 12 is a ratio of 12.

    Salameh et al., "HACK: Hierarchical ACKs for Efficient Wireless Medium Utilization", table 2. No value for a node of
    which no ACK was compressed.
    """

    about = "size of the compressed TCP ACKs of a role's nodes, of their IP packets (hack:)"
    takes = (MEDIUM,)
    dimension = PERCENT
    unit = "%"
    columns = ("share",)

    def figures(self, metric: types.Metric, context: Context) -> Figures:
        """Return one row per node."""
        figures = Figures()
        for name, counts in sent(metric, context):
            if counts.get("acks"):
                share = 100 * (counts["bytes"] + counts["payloads"]) / counts["packet_bytes"]
                figures.rows.append(row(name, counts, share=share))
                figures.values.append(share)
        return figures


METRIC = AckSize()
