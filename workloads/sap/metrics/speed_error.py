# SPDX-License-Identifier: MIT
"""Speed error: error of the mean speed at a receiver of positions."""

from __future__ import annotations

from collections.abc import Mapping

from lab.metrics.base import Context, Metric, MetricValues
from lab.shared import types
from lab.units import PERCENT

from ..probes._results import WalkArrived, WalkSent
from ._pairs import pairs


class SpeedError(Metric):
    """Relative error, in percent, of the mean speed of a sap-track-sink against that of its sap-tracker.

    It is always positive. Sender and sink are paired by port.
    """

    about = "relative error of the mean speed of a sap-track-sink against that of its sap-tracker"
    takes = (WalkSent, WalkArrived)
    dimension = PERCENT
    unit = "%"
    columns = ("error",)

    def check(self, of: Mapping[str, str | None], unit: str, per: str | None) -> None:
        """Check as in the base class; also refuse a missing sender or sink."""
        super().check(of, unit, per)
        self.needs(of, WalkSent, WalkArrived)

    def compute(self, metric: types.PlannedMetric, context: Context) -> MetricValues:
        computed = MetricValues()
        for sent, arrived in pairs(metric, context, WalkSent, WalkArrived):
            truth, found = sent.speed_m_s, arrived.speed_m_s
            percent = 100 * abs(found - truth) / truth
            computed.rows.append({"process": arrived.name, "truth_m_s": truth, "found_m_s": found, "error": percent})
            computed.values.append(percent)
        return computed
