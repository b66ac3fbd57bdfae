# SPDX-License-Identifier: MIT
"""What a probe sees of the node that it runs on, and where it leaves its files."""

from __future__ import annotations

from lab.probes.base import Target
from lab.shared.paths import RAW_IN_NODE
from lab.shared.types import Node


def raw_prefix(process_id: str) -> str:
    """What the tool's own files are called, as the node sees them, without the suffix."""
    return f"{RAW_IN_NODE}/{process_id}"


def target(node: Node) -> Target:
    """The node as probes see it; it has an interface."""
    radio = node.radio.interface if node.radio else None
    wired = [interface.name for interface in node.interfaces]
    first = radio if radio and (node.kind == "sta" or not wired) else wired[0]
    return Target(node=node.name, interface=first, radio=radio, ip=node.ip)
