# SPDX-License-Identifier: MIT
"""Transfer time: duration of a download."""

from __future__ import annotations

from lab.metrics.base import Context, Metric, MetricValues, all_found
from lab.probes.base import Transfer
from lab.shared import types
from lab.units import DURATION


class TransferTime(Metric):
    """From the start of a transfer to its last byte, as the program reports it; for curl, from its own start.

    Transfers that did not complete do not count.
    """

    about = "time from the start of a transfer (for curl: its own start) to the last byte"
    takes = (Transfer,)
    dimension = DURATION
    unit = "ns"
    columns = ("first_byte", "total")

    def compute(self, metric: types.PlannedMetric, context: Context) -> MetricValues:
        computed = MetricValues()
        for _, transfer in all_found(metric, context, Transfer):
            if transfer.complete:
                computed.values.append(transfer.duration_ns)
                row = {"bytes": transfer.bytes, "first_byte": transfer.first_byte_ns, "total": transfer.duration_ns}
                computed.rows.append({"process": transfer.name, **row})
        return computed
