# SPDX-License-Identifier: MIT
"""How ``lab show`` and reports describe the event ``exec``."""

from __future__ import annotations

import shlex
from typing import Any


def describe(params: dict[str, Any]) -> str:
    """Describe the event's parameters."""
    return shlex.join(params["argv"])
