# SPDX-License-Identifier: MIT
"""Frame erasure: frames that do not arrive at all."""

from __future__ import annotations

from lab.metrics._frames import MISSING, shares
from lab.metrics.base import MEDIUM, Context, Figures, Metric
from lab.shared import types
from lab.units import PERCENT


class FrameErasure(Metric):
    """Percentage of MPDUs, counting every attempt, that did not arrive: neither correct, nor accepted as damaged.

    At a receiver that accepts no damaged frames (key approximate) this equals frame-loss. At one that does, it is the
    rest of frame-loss, which papers on such receivers call FLR/B.
    """

    about = "frames of a role's nodes that did not arrive, not even damaged (approximate:); every retry counts"
    takes = (MEDIUM,)
    per = ("link", "node")
    dimension = PERCENT
    unit = "%"
    columns = ("lost",)

    def figures(self, metric: types.Metric, context: Context) -> Figures:
        return shares(metric, context, "lost", lambda link: sum(link[key] for key in MISSING) - link["approximate"])
