# SPDX-License-Identifier: MIT
"""Mean speed of the positions of a sap-tracker at their receiver."""

from __future__ import annotations

from lab.metrics.base import Context, Metric, MetricValues, all_found
from lab.shared import types
from lab.units import SPEED

from ..probes._results import WalkArrived


class MeanSpeed(Metric):
    """The mean speed that a sap-track-sink computes: its cumulative moving average at the end."""

    about = "mean speed that a sap-track-sink computes"
    takes = (WalkArrived,)
    dimension = SPEED
    unit = "m/s"
    columns = ("speed",)

    def compute(self, metric: types.PlannedMetric, context: Context) -> MetricValues:
        """Return one row per sink that has an average."""
        computed = MetricValues()
        for _, walk in all_found(metric, context, WalkArrived):
            row = {"expected": walk.expected, "lost": walk.lost, "discarded": walk.discarded}
            computed.rows.append({"process": walk.name, **row, "speed": walk.speed_m_s})
            computed.values.append(walk.speed_m_s)
        return computed
