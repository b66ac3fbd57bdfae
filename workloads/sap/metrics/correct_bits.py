# SPDX-License-Identifier: MIT
"""Correct bits: correct share of the bits that arrive."""

from __future__ import annotations

from lab.metrics.base import Context, Metric, MetricValues, all_found
from lab.shared import types
from lab.units import PERCENT

from ..probes._results import Payload


class CorrectBits(Metric):
    """Percentage of correct bits in the payload of all datagrams that arrived, damaged or not.

    Lost datagrams do not count. A sap-get needs ``compare:``.
    """

    about = "correct share of the bits that arrived from a sap-streamer, or at a sap-get"
    takes = (Payload,)
    dimension = PERCENT
    unit = "%"
    columns = ("correct",)

    def compute(self, metric: types.PlannedMetric, context: Context) -> MetricValues:
        computed = MetricValues()
        for _, payload in all_found(metric, context, Payload):
            if payload.correct_share is not None:
                percent = 100 * payload.correct_share
                row = {"bits": payload.bits, "wrong_bits": payload.wrong_bits, "correct": percent}
                computed.rows.append({"process": payload.name, **row})
                computed.values.append(percent)
        return computed
