# SPDX-License-Identifier: MIT
"""Right bits: how much of what arrives is as it was sent."""

from __future__ import annotations

from lab.metrics.base import Context, Figures, Metric, chosen
from lab.shared import types
from lab.units import PERCENT


class RightBits(Metric):
    """Percent of the payload's bits that are right, of all that arrived, in damaged and clean datagrams.

    What was lost does not count. A sap-get knows only with ``compare:``.
    """

    about = "right bits among all that arrived of a sap-streamer, or at a sap-get"
    of = ("sap-stream-sink", "sap-get")
    dimension = PERCENT
    unit = "%"
    columns = ("right",)

    def figures(self, metric: types.Metric, context: Context) -> Figures:
        """One row per sink to which anything came."""
        figures = Figures()
        for source in chosen(metric, context):
            share = source.parsed.values.get("right_share")
            if share is not None:
                row = {"bits": source.parsed.values["arrived_bits"], "wrong_bits": source.parsed.values["wrong_bits"]}
                figures.rows.append({"process": source.id, **row, "right": 100 * share})
                figures.values.append(100 * share)
        return figures


METRIC = RightBits()
