# SPDX-License-Identifier: MIT
"""Intact: share of a file that arrived as it was sent."""

from __future__ import annotations

from lab.metrics.base import Context, Metric, MetricValues, all_found
from lab.shared import types
from lab.units import PERCENT

from ..probes._results import Intact as Kind


class Intact(Metric):
    """Percentage of the bytes of a file that arrived and are correct, for each transfer.

    Bytes of lost datagrams and bytes with a wrong bit are not intact. A sap-get needs ``compare:``.
    """

    about = "share of the bytes of a file that arrived at a sap-get and are correct"
    takes = (Kind,)
    dimension = PERCENT
    unit = "%"
    columns = ("intact",)

    def compute(self, metric: types.PlannedMetric, context: Context) -> MetricValues:
        """Return one row per transfer of a file that is not empty."""
        computed = MetricValues()
        for _, file in all_found(metric, context, Kind):
            if file.bytes:
                percent = 100 * file.intact / file.bytes
                computed.rows.append({"process": file.name, "bytes": file.bytes, "intact": percent})
                computed.values.append(percent)
        return computed
