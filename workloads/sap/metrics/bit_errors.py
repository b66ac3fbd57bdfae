# SPDX-License-Identifier: MIT
"""Bit errors: wrong bits in damaged datagrams."""

from __future__ import annotations

from lab.metrics.base import Context, Metric, MetricValues, all_found
from lab.shared import types
from lab.units import PERCENT

from ..probes._results import Payload


class BitErrors(Metric):
    """Percentage of wrong bits in the payload of datagrams that arrived with at least one wrong bit.

    This is the bit error rate in damaged frames of "SAP: an Architecture for Selectively Approximate Wireless
    Communication", figure 3. Lost datagrams, also those with damaged headers, do not count. There is no value if no
    damaged datagram arrived. A sap-get needs ``compare:``.
    """

    about = "bit error rate of the payload of datagrams that arrived damaged"
    takes = (Payload,)
    dimension = PERCENT
    unit = "%"
    columns = ("bit_errors",)

    def compute(self, metric: types.PlannedMetric, context: Context) -> MetricValues:
        """Return one row per sink that received anything; without a value if nothing was damaged."""
        computed = MetricValues()
        for _, payload in all_found(metric, context, Payload):
            if payload.wrong_bits is None:
                continue
            percent = None if payload.bit_error_share is None else 100 * payload.bit_error_share
            row = {"arrived": payload.datagrams, "damaged": payload.damaged, "wrong_bits": payload.wrong_bits}
            computed.rows.append({"process": payload.name, **row, "bit_errors": percent})
            computed.values += [] if percent is None else [percent]
        return computed
