# SPDX-License-Identifier: MIT
"""How ``lab show`` and reports describe the event ``fault``."""

from __future__ import annotations

from typing import Any

from lab import units

_ENDS = {"from": "from", "to": "to", "listener": "at"}


def describe(params: dict[str, Any]) -> str:
    """Describe the event's parameters."""
    ends = "".join(f" {word} {params[key]}" for key, word in _ENDS.items() if params[key] is not None)
    skipped = f" after {params['skip']}" if params["skip"] else ""
    share = f", {units.PERCENT.format(params['share_percent'])} of them" if params["share_percent"] is not None else ""
    return f"{params['action']} {params['count']}{ends}{skipped}{share}"
