# SPDX-License-Identifier: MIT
"""How ``lab show`` and reports describe the event ``netem``."""

from __future__ import annotations

from typing import Any

from lab.shared.types import Netem
from lab.show.words import shape


def describe(params: dict[str, Any]) -> str:
    """Describe the event's parameters."""
    return shape(Netem(**params))
