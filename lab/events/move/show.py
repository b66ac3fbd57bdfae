# SPDX-License-Identifier: MIT
"""How ``lab show`` and reports describe the event ``move``."""

from __future__ import annotations

from typing import Any

from lab import units
from lab.show.words import position


def describe(params: dict[str, Any]) -> str:
    """Describe the event's parameters."""
    speed = f" at {units.SPEED.format(params['speed_m_s'])}" if "speed_m_s" in params else ""
    return f"to {position(params['position_m'])}{speed}"
