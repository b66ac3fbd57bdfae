# SPDX-License-Identifier: MIT
"""Repeated frames: frames that were sent more than once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lab.metrics._frames import FrameShare


class FramesRepeated(FrameShare):
    """Percentage of MPDUs, counting each only once, that were sent more than once.

    Frames that are sent without retries, such as approximate ones, never are.
    """

    about = "frames of a role's nodes that were sent more than once"
    columns = ("repeated",)

    def row(self, link: Mapping[str, Any]) -> dict[str, Any]:
        frames = link["sent"] - link["retries"]
        return {"frames": frames, "repeated": 100 * link["repeated"] / frames if frames else 0.0}
