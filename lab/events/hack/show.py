# SPDX-License-Identifier: MIT
"""How ``lab show`` and reports describe the event ``hack``."""

from __future__ import annotations

from typing import Any

from lab.model.hack import MODES


def describe(params: dict[str, Any]) -> str:
    """Describe the event's parameters."""
    return MODES[params["mode"]]
