# SPDX-License-Identifier: MIT
"""Frames that do not arrive at all."""

from __future__ import annotations

from lab.metrics._frames import MISSING, shares
from lab.metrics.base import MEDIUM, Context, Figures, Metric
from lab.shared import types
from lab.units import PERCENT


class FrameErasure(Metric):
    """Percent of MPDUs, each attempt by itself, that did not arrive in any way: neither right, nor taken as damaged.

    At a receiver that takes no damaged frames (key approximate) that is frame-loss; at one that does, it is what is
    left of frame-loss, which papers on such receivers call FLR/B.
    """

    about = "frames of a role's nodes that did not arrive even damaged (approximate:), each retry by itself"
    takes = (MEDIUM,)
    formerly = ("frames-lost",)
    per = ("link", "node")
    dimension = PERCENT
    unit = "%"
    columns = ("lost",)

    def figures(self, metric: types.Metric, context: Context) -> Figures:
        """One row per link, or per sender."""
        return shares(metric, context, "lost", lambda link: sum(link[key] for key in MISSING) - link["approximate"])


METRIC = FrameErasure()
