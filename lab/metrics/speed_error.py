# SPDX-License-Identifier: MIT
"""Speed error: how far what a receiver of positions finds is from the truth."""

from __future__ import annotations

from collections.abc import Mapping

from lab.metrics._pairs import needs_both, pairs
from lab.metrics.base import Context, Figures, Metric
from lab.shared import types
from lab.units import PERCENT

_SENDER, _RECEIVER = "sap-tracker", "sap-track-sink"


class SpeedError(Metric):
    """Percent by which the mean speed of a sap-track-sink is off the mean speed of what its sap-tracker sent.

    Positive either way. The two belong together by their port.
    """

    about = "how far the mean speed of a sap-track-sink is off that of what its sap-tracker sent"
    of = (_SENDER, _RECEIVER)
    dimension = PERCENT
    unit = "%"
    columns = ("error",)

    def check(self, of: Mapping[str, str | None], unit: str, per: str | None) -> None:
        """As every metric; and ValueError: one side is missing."""
        super().check(of, unit, per)
        needs_both(dict(of), _SENDER, _RECEIVER)

    def figures(self, metric: types.Metric, context: Context) -> Figures:
        """One row per pair of which both sides know a speed."""
        figures = Figures()
        for sender, receiver in pairs(metric, context, _SENDER, _RECEIVER):
            truth, found = sender.parsed.values.get("speed_m_s"), receiver.parsed.values.get("speed_m_s")
            if truth and found is not None:
                percent = 100 * abs(found - truth) / truth
                figures.rows.append({"process": receiver.id, "truth_m_s": truth, "found_m_s": found, "error": percent})
                figures.values.append(percent)
        return figures


METRIC = SpeedError()
