# SPDX-License-Identifier: MIT
"""Damaged frames that a receiver accepts."""

from __future__ import annotations

from typing import Any

from lab.metrics._frames import FrameShare
from lab.shared.medium_types import FrameCounts


class FramesDamaged(FrameShare):
    """Percentage of MPDUs, counting every attempt, that an approximate receiver accepted with a wrong FCS.

    This plus frame-erasure is frame-loss. At a receiver that is not approximate it is 0.
    """

    about = "frames of a role's nodes that arrived damaged and were accepted (approximate:); every retry counts"
    columns = ("damaged",)

    def row(self, counts: FrameCounts) -> dict[str, Any]:
        return {"sent": counts.sent, "damaged": 100 * counts.approximate / counts.sent}
