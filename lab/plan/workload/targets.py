# SPDX-License-Identifier: MIT
"""What a probe knows about its node, and where it writes its files."""

from __future__ import annotations

from lab.probes.base import Target
from lab.shared.paths import RAW_IN_NODE
from lab.shared.types import Node


def raw_prefix(process_id: str) -> str:
    """Return the path of the tool's own files as the node sees it, without the suffix."""
    return f"{RAW_IN_NODE}/{process_id}"


def target(node: Node, medium: bool) -> Target:
    """Return the node as probes see it; it has an interface. ``medium``: the topology has an 802.11 medium."""
    radio = node.radio.interface if node.radio else None
    wired = [interface.name for interface in node.interfaces]
    first = radio if radio and (node.kind == "sta" or not wired) else wired[0]
    return Target(node=node.name, interface=first, radio=radio, ip=node.ip, medium=medium)
