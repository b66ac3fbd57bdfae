# SPDX-License-Identifier: MIT
"""How ``lab show`` and reports describe the event ``power``."""

from __future__ import annotations

from typing import Any


def describe(params: dict[str, Any]) -> str:
    """Describe the event's parameters."""
    return "on" if params["on"] else "off"
