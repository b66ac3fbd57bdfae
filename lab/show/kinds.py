# SPDX-License-Identifier: MIT
"""Names and colours of kinds of nodes, and descriptions of events; the default is the name of the kind."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import ModuleType
from typing import Any

from lab.shared.kinds import EVENTS, NODES, part_or_none

_OTHER = 4  # default colour


@cache
def _show(room: str, kind: str) -> ModuleType | None:
    return part_or_none(room, kind, "show")


def noun(kind: str) -> str:
    """Return a kind of node in words: ``access point``."""
    return getattr(_show(NODES, kind), "NOUN", kind)


def colour(kind: str) -> int:
    """Return the colour of a kind of node, as an index into the palette of reports."""
    return getattr(_show(NODES, kind), "COLOUR", _OTHER)


def describe(kind: str, params: Mapping[str, Any]) -> str:
    """Return what an event of that kind does to its target."""
    module = _show(EVENTS, kind)
    if module is not None:
        return str(module.describe(params))
    return ", ".join(f"{key}: {value}" for key, value in params.items())
