# SPDX-License-Identifier: MIT
"""Damaged frames that a receiver accepts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lab.metrics._frames import FrameShare


class FramesDamaged(FrameShare):
    """Percentage of MPDUs, counting every attempt, that an approximate receiver accepted with a wrong FCS.

    This plus frame-erasure is frame-loss. At a receiver that is not approximate it is 0.
    """

    about = "frames of a role's nodes that arrived damaged and were accepted (approximate:); every retry counts"
    columns = ("damaged",)

    def row(self, link: Mapping[str, Any]) -> dict[str, Any]:
        return {"sent": link["sent"], "damaged": 100 * link["approximate"] / link["sent"]}
