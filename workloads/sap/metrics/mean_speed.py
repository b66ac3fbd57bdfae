# SPDX-License-Identifier: MIT
"""Mean speed: what the positions of a sap-tracker amount to where they arrive."""

from __future__ import annotations

from lab.metrics.base import Context, Figures, Metric, all_found
from lab.shared import types
from lab.units import SPEED

from ..probes._kinds import WalkArrived


class MeanSpeed(Metric):
    """The mean speed that a sap-track-sink finds: its cumulative moving average at the end."""

    about = "mean speed that a sap-track-sink finds"
    takes = (WalkArrived,)
    dimension = SPEED
    unit = "m/s"
    columns = ("speed",)

    def figures(self, metric: types.Metric, context: Context) -> Figures:
        """One row per sink that has an average."""
        figures = Figures()
        for _, walk in all_found(metric, context, WalkArrived):
            row = {"expected": walk.expected, "lost": walk.lost, "discarded": walk.discarded}
            figures.rows.append({"process": walk.name, **row, "speed": walk.speed_m_s})
            figures.values.append(walk.speed_m_s)
        return figures


METRIC = MeanSpeed()
