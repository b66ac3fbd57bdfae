# SPDX-License-Identifier: MIT
"""Completion time of a stream or a trace."""

from __future__ import annotations

from lab.metrics.base import Context, Metric, MetricValues, all_found
from lab.shared import types
from lab.units import DURATION

from ..probes._results import Completion


class CompletionTime(Metric):
    """Time from the opening of a stream or a trace to its end, at the named process.

    A receiver measures from the arrival of the opening to that of the end; a sender from sending the opening to the
    acknowledgement of the end (TCP: until the receiver has closed). Transfers that did not complete do not count.
    """

    about = "time from the opening of a stream or trace of SAP to its end"
    takes = (Completion,)
    dimension = DURATION
    unit = "ns"
    columns = ("total",)

    def compute(self, metric: types.PlannedMetric, context: Context) -> MetricValues:
        computed = MetricValues()
        for _, completion in all_found(metric, context, Completion):
            computed.values.append(completion.elapsed_ns)
            computed.rows.append({"process": completion.name, "total": completion.elapsed_ns})
        return computed
