# SPDX-License-Identifier: MIT
"""Groups of equal nodes: ``sta: {kind: sta, count: 3}`` stands for sta1, sta2 and sta3."""

from __future__ import annotations

from collections.abc import Mapping

from lab.model.base import refuse
from lab.model.document import Document
from lab.model.names import NODE_LENGTH_MAX
from lab.model.node import Node


class Nodes(dict[str, Node]):
    """Nodes by name, in file order, with groups expanded.

    ``groups`` maps each name that was written with ``count:`` to the names of its nodes.
    """

    groups: Mapping[str, tuple[str, ...]] = {}


def expand(written: dict[str, Node]) -> Nodes:
    """Expand groups into single nodes; refuse names that are taken or too long."""
    groups = {name: _members(name, node.count) for name, node in written.items() if node.count is not None}
    found = Nodes()
    for name, node in written.items():
        for member in groups.get(name, (name,)):
            if member in found or (member != name and member in written):
                refuse(f"count: {node.count} creates a node {member}, but that name is taken; rename either", key=name)
            found[member] = node
    found.groups = groups
    return found


def _members(name: str, count: int) -> tuple[str, ...]:
    """Return the names of the nodes of a group."""
    if len(f"{name}{count}") > NODE_LENGTH_MAX:
        refuse(
            f"count: {count} creates a node {name}{count}; node names have at most {NODE_LENGTH_MAX} characters, "
            "choose a shorter one",
            key=name,
        )
    return tuple(f"{name}{number}" for number in range(1, count + 1))


def place(document: Document, groups: Mapping[str, tuple[str, ...]]) -> None:
    """Record in the document that each node of a group is written where the group is."""
    for group, members in groups.items():
        written = {keys[2:]: where for keys, where in document.places.items() if keys[:2] == ("nodes", group)}
        document.places.update(
            {("nodes", member, *rest): where for member in members for rest, where in written.items()}
        )
