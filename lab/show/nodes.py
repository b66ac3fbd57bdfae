# SPDX-License-Identifier: MIT
"""Names of kinds of nodes, and the colours of nodes."""

from __future__ import annotations

from lab.model.node import NODES
from lab.shared.types import Plan


def noun(kind: str) -> str:
    """Return a kind of node in words: ``access point``."""
    return NODES.get_or_base(kind).noun or kind


def colours(plan: Plan) -> dict[str, int]:
    """Return the number of each node's colour in pictures (lab.drawing.palette): stations, access points, others."""
    names = sorted(plan.nodes, key=lambda node: (node.kind != "sta", node.kind != "ap"))
    return {node.name: number for number, node in enumerate(names)}
