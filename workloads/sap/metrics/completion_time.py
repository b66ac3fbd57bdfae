# SPDX-License-Identifier: MIT
"""Completion time of a stream or a trace."""

from __future__ import annotations

from lab.metrics.base import Context, Figures, Metric, all_found
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

    def figures(self, metric: types.PlannedMetric, context: Context) -> Figures:
        figures = Figures()
        for _, completion in all_found(metric, context, Completion):
            figures.values.append(completion.elapsed_ns)
            figures.rows.append({"process": completion.name, "total": completion.elapsed_ns})
        return figures
