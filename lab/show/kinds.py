# SPDX-License-Identifier: MIT
"""Names of kinds of nodes, descriptions of events, and the colours of nodes."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import ModuleType
from typing import Any

from lab.shared.kinds import EVENTS, NODES, part_or_none
from lab.shared.types import Plan


@cache
def _show(room: str, kind: str) -> ModuleType | None:
    return part_or_none(room, kind, "show")


def noun(kind: str) -> str:
    """Return a kind of node in words: ``access point``."""
    return getattr(_show(NODES, kind), "NOUN", kind)


def colours(plan: Plan) -> dict[str, int]:
    """Return the colour of each node in pictures, stations first: the number of a series (lab.drawing.palette)."""
    names = sorted(plan.nodes, key=lambda node: node.kind != "sta")
    return {node.name: number for number, node in enumerate(names)}


def describe(kind: str, params: Mapping[str, Any]) -> str:
    """Return what an event of that kind does to its target."""
    module = _show(EVENTS, kind)
    if module is not None:
        return str(module.describe(params))
    return ", ".join(f"{key}: {value}" for key, value in params.items())
