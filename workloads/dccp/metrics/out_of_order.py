# SPDX-License-Identifier: MIT
"""Out of order: packets that were overtaken."""

from __future__ import annotations

from lab.metrics.base import Context, Metric, MetricValues, all_found
from lab.shared import types
from lab.units import PERCENT

from ..probes._results import Order


class OutOfOrder(Metric):
    """Percentage of the packets of each flow that arrived behind one with a higher number."""

    about = "packets of a flow that arrived behind one that was sent later"
    takes = (Order,)
    dimension = PERCENT
    unit = "%"
    columns = ("share",)

    def compute(self, metric: types.PlannedMetric, context: Context) -> MetricValues:
        computed = MetricValues()
        for _, found in all_found(metric, context, Order):
            share = 100 * found.out_of_order / found.arrived
            computed.values.append(share)
            computed.rows.append({"process": found.name, "out_of_order": found.out_of_order, "share": share})
        return computed
