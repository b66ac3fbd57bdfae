# SPDX-License-Identifier: MIT
"""Frame loss: frames lost on the air."""

from __future__ import annotations

from typing import Any

from lab.metrics._frames import MISSING, FrameShare, missing
from lab.shared.medium_types import FrameCounts


class FrameLoss(FrameShare):
    """Percentage of MPDUs, counting every attempt, that a node sent to another and that did not arrive.

    Noise damaged them (their payload, or the PHY ``header``), they collided, the receiver did not detect them
    (``lost``), or it was ``away`` on another channel. ``dropped`` counts frames that were given up after all retries:
    only these are lost to higher layers. ``approximate`` counts damaged frames that an approximate receiver accepted;
    they are also in ``damaged`` and ``collided``.
    """

    about = "frames that a role's nodes sent and that did not arrive; every retry counts"
    columns = ("loss",)

    def row(self, counts: FrameCounts) -> dict[str, Any]:
        shown = {key: getattr(counts, key) for key in ("sent", *MISSING, "dropped", "approximate")}
        return shown | {"loss": 100 * missing(counts) / counts.sent}
