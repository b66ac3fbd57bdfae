# SPDX-License-Identifier: MIT
"""Total time of a stream or a trace."""

from __future__ import annotations

from lab.metrics.base import Context, Figures, Metric, chosen
from lab.shared import types
from lab.units import DURATION


class TotalTime(Metric):
    """From the opening of a stream or a trace to its end, at the side that is named.

    A receiver has it from the arrival of the opening to that of the end; a sender from when it hands the opening over
    until the end is acknowledged (TCP: until the receiver has closed). A transfer that did not end counts nothing.
    """

    about = "time from the opening of a stream or trace of SAP to its end"
    of = ("sap-stream-sink", "sap-track-sink", "sap-streamer", "sap-tracker")
    dimension = DURATION
    unit = "ns"
    columns = ("total",)

    def figures(self, metric: types.Metric, context: Context) -> Figures:
        """One row per process that came to the end."""
        figures = Figures()
        for source in chosen(metric, context):
            values = source.parsed.values
            if "elapsed_ns" in values and values.get("complete", True):
                figures.values.append(values["elapsed_ns"])
                figures.rows.append({"process": source.id, "total": values["elapsed_ns"]})
        return figures


METRIC = TotalTime()
