# SPDX-License-Identifier: MIT
"""Frames that arrive damaged, and are taken so."""

from __future__ import annotations

from lab.metrics._frames import shares
from lab.metrics.base import MEDIUM, Context, Figures, Metric
from lab.shared import types
from lab.units import PERCENT


class FramesDamaged(Metric):
    """Percent of MPDUs, each attempt by itself, that arrived with a wrong FCS and went up at an approximate receiver.

    What frame-erasure tells and this add up to frame-loss. A receiver that is not approximate has none.
    """

    about = "frames of a role's nodes that arrived damaged and were taken so (approximate:), each retry by itself"
    takes = (MEDIUM,)
    per = ("link", "node")
    dimension = PERCENT
    unit = "%"
    columns = ("damaged",)

    def figures(self, metric: types.Metric, context: Context) -> Figures:
        """One row per link, or per sender."""
        return shares(metric, context, "damaged", lambda link: int(link["approximate"]))


METRIC = FramesDamaged()
