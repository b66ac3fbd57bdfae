# SPDX-License-Identifier: MIT
"""Repeated frames: frames that were sent more than once."""

from __future__ import annotations

from typing import Any

from lab.metrics._frames import FrameShare
from lab.shared.medium_types import FrameCounts


class FramesRepeated(FrameShare):
    """Percentage of MPDUs, counting each only once, that were sent more than once.

    Frames that are sent without retries, such as approximate ones, never are.
    """

    about = "frames of a role's nodes that were sent more than once"
    columns = ("repeated",)

    def row(self, counts: FrameCounts) -> dict[str, Any]:
        frames = counts.sent - counts.retries
        return {"frames": frames, "repeated": 100 * counts.repeated / frames if frames else 0.0}
