# SPDX-License-Identifier: MIT
"""Speed error: how far what a receiver of positions finds is from the truth."""

from __future__ import annotations

from collections.abc import Mapping

from lab.metrics.base import Context, Figures, Metric
from lab.shared import types
from lab.units import PERCENT

from ..probes._kinds import WalkArrived, WalkSent
from ._pairs import pairs


class SpeedError(Metric):
    """Percent by which the mean speed of a sap-track-sink is off the mean speed of what its sap-tracker sent.

    Positive either way. The two belong together by their port.
    """

    about = "how far the mean speed of a sap-track-sink is off that of what its sap-tracker sent"
    takes = (WalkSent, WalkArrived)
    dimension = PERCENT
    unit = "%"
    columns = ("error",)

    def check(self, of: Mapping[str, str | None], unit: str, per: str | None) -> None:
        """As every metric; and ValueError: one side is missing."""
        super().check(of, unit, per)
        self.needs(of, WalkSent, WalkArrived)

    def figures(self, metric: types.Metric, context: Context) -> Figures:
        """One row per pair of which both sides know a speed."""
        figures = Figures()
        for sent, arrived in pairs(metric, context, WalkSent, WalkArrived):
            truth, found = sent.speed_m_s, arrived.speed_m_s
            percent = 100 * abs(found - truth) / truth
            figures.rows.append({"process": arrived.name, "truth_m_s": truth, "found_m_s": found, "error": percent})
            figures.values.append(percent)
        return figures


METRIC = SpeedError()
