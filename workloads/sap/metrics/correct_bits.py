# SPDX-License-Identifier: MIT
"""Correct bits: how much of what arrives is as it was sent."""

from __future__ import annotations

from lab.metrics.base import Context, Figures, Metric, all_found
from lab.shared import types
from lab.units import PERCENT

from ..probes._kinds import Payload


class CorrectBits(Metric):
    """Percent of the payload's bits that are correct, of all that arrived, in damaged and clean datagrams.

    What was lost does not count. A sap-get knows only with ``compare:``.
    """

    about = "correct bits among all that arrived of a sap-streamer, or at a sap-get"
    takes = (Payload,)
    formerly = ("right-bits",)
    dimension = PERCENT
    unit = "%"
    columns = ("correct",)

    def figures(self, metric: types.Metric, context: Context) -> Figures:
        """One row per sink to which anything came."""
        figures = Figures()
        for _, payload in all_found(metric, context, Payload):
            if payload.correct_share is not None:
                percent = 100 * payload.correct_share
                row = {"bits": payload.bits, "wrong_bits": payload.wrong_bits, "correct": percent}
                figures.rows.append({"process": payload.name, **row})
                figures.values.append(percent)
        return figures


METRIC = CorrectBits()
