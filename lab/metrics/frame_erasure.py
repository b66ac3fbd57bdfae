# SPDX-License-Identifier: MIT
"""Frame erasure: frames that do not arrive at all."""

from __future__ import annotations

from typing import Any

from lab.metrics._frames import FrameShare, missing
from lab.shared.medium_types import FrameCounts


class FrameErasure(FrameShare):
    """Percentage of MPDUs, counting every attempt, that did not arrive: neither correct, nor accepted as damaged.

    At a receiver that accepts no damaged frames (key approximate) this equals frame-loss. At one that does, it is the
    rest of frame-loss, which papers on such receivers call FLR/B.
    """

    about = "frames of a role's nodes that did not arrive, not even damaged (approximate:); every retry counts"
    columns = ("lost",)

    def row(self, counts: FrameCounts) -> dict[str, Any]:
        return {"sent": counts.sent, "lost": 100 * (missing(counts) - counts.approximate) / counts.sent}
