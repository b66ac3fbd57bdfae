# SPDX-License-Identifier: MIT
"""How ``lab show`` and reports describe the event ``hack``."""

from __future__ import annotations

from typing import Any

_MODES = ("off", "timer", "more-data")  # enum hwsim_medium_hack


def describe(params: dict[str, Any]) -> str:
    """Describe the event's parameters."""
    return _MODES[params["mode"]]
