# SPDX-License-Identifier: MIT
"""Addresses of nodes."""

from __future__ import annotations

import ipaddress

from lab.shared import types

Address = ipaddress.IPv4Address | ipaddress.IPv6Address


def address(text: str) -> Address | None:
    """Return an address; None of another text."""
    try:
        return ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return None


def of(plan: types.Plan, name: str) -> set[Address]:
    """Return the addresses of a node, or of the nodes with a role; or the one that is written."""
    if (written := address(name)) is not None:
        return {written}
    nodes = [node for node in plan.nodes if name == node.name or name in node.roles]
    texts = [text for node in nodes for text in _of_node(node)]
    return {found for text in texts if text and (found := address(text.partition("/")[0])) is not None}


def _of_node(node: types.Node) -> list[str | None]:
    own = [node.ip, node.ip6]
    own += [text for end in node.interfaces for text in (end.ip, end.ip6)]
    return own + [text for end in node.wlans for text in (end.ip, end.ip6)]


def names(plan: types.Plan) -> list[str]:
    """Return what ``of`` knows."""
    return list(
        dict.fromkeys([*(node.name for node in plan.nodes), *(role for node in plan.nodes for role in node.roles)])
    )
