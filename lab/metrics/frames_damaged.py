# SPDX-License-Identifier: MIT
"""Damaged frames that a receiver accepts."""

from __future__ import annotations

from lab.metrics._frames import shares
from lab.metrics.base import MEDIUM, Context, Figures, Metric
from lab.shared import types
from lab.units import PERCENT


class FramesDamaged(Metric):
    """Percentage of MPDUs, counting every attempt, that an approximate receiver accepted with a wrong FCS.

    This plus frame-erasure is frame-loss. At a receiver that is not approximate it is 0.
    """

    about = "frames of a role's nodes that arrived damaged and were accepted (approximate:); every retry counts"
    takes = (MEDIUM,)
    per = ("link", "node")
    dimension = PERCENT
    unit = "%"
    columns = ("damaged",)

    def figures(self, metric: types.Metric, context: Context) -> Figures:
        return shares(metric, context, "damaged", lambda link: int(link["approximate"]))
