# SPDX-License-Identifier: MIT
"""Mean speed: what the positions of a sap-tracker amount to where they arrive."""

from __future__ import annotations

from lab.metrics.base import Context, Figures, Metric, chosen
from lab.shared import types
from lab.units import SPEED


class MeanSpeed(Metric):
    """The mean speed that a sap-track-sink finds: its cumulative moving average at the end."""

    about = "mean speed that a sap-track-sink finds"
    of = ("sap-track-sink",)
    dimension = SPEED
    unit = "m/s"
    columns = ("speed",)

    def figures(self, metric: types.Metric, context: Context) -> Figures:
        """One row per sink that has an average."""
        figures = Figures()
        for source in chosen(metric, context):
            values = source.parsed.values
            if values.get("speed_m_s") is not None:
                row = {key: values[key] for key in ("expected", "lost", "discarded")}
                figures.rows.append({"process": source.id, **row, "speed": values["speed_m_s"]})
                figures.values.append(values["speed_m_s"])
        return figures


METRIC = MeanSpeed()
