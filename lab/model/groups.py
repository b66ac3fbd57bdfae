# SPDX-License-Identifier: MIT
"""Groups of nodes: ``sta: {kind: sta, count: 3}`` stands for sta1, sta2 and sta3.

They are equal but for keys with an expression of their number, and those of ``each:``, which has a list for each key.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationInfo, ValidatorFunctionWrapHandler

from lab.model.base import refuse
from lab.model.document import Document
from lab.model.names import NODE_LENGTH_MAX
from lab.model.node import COUNT_MAX, Node
from lab.model.varied import for_index, is_varied

_OF_THE_GROUP = ("kind", "count", "each")


class Nodes(dict[str, Node]):
    """Nodes by name, in file order, with groups expanded.

    ``groups`` maps each name that was written with ``count:`` to the names of its nodes.
    """

    groups: Mapping[str, tuple[str, ...]] = {}


@dataclass(frozen=True)
class Varied:
    """The nodes of a group that differ."""

    nodes: tuple[Node, ...]


def vary(value: Any, make: ValidatorFunctionWrapHandler, info: ValidationInfo) -> Any:
    """Make the nodes of an entry that has different values for them; of any other entry, make its node."""
    count = value.get("count") if isinstance(value, dict) else None
    if isinstance(count, bool) or not isinstance(count, int) or not 1 <= count <= COUNT_MAX:
        return make(value)
    if "each" not in value and not is_varied(value):
        return make(value)
    each = _each(value, count)
    common = {key: written for key, written in value.items() if key not in ("each", "count")}
    nodes = []
    for index in range(1, count + 1):
        own = for_index({**common, **{key: values[index - 1] for key, values in each.items()}}, index, count)
        try:
            nodes.append(make(own))
        finally:
            if (
                info.context is not None and id(own) in info.context
            ):  # for messages about the entry as the user wrote it
                info.context[id(value)] = info.context[id(own)]
    return Varied(tuple(nodes))


def _each(value: dict[str, Any], count: int) -> dict[str, list[Any]]:
    """Return the lists of ``each``; refuse one without a value for each node."""
    each = value.get("each", {})
    if not isinstance(each, dict):
        refuse("must be a mapping from keys to lists, such as {channel: [1, 6, 11]}", key="each")
    for key, values in each.items():
        if key in _OF_THE_GROUP:
            refuse(f"{key} is the same for all nodes of a group; write it next to each:", key="each")
        if key in value:
            refuse(f"{key} is also given for all nodes; remove one of them", key="each")
        if not isinstance(values, list) or len(values) != count:
            given = f"{len(values)} values" if isinstance(values, list) else "no list"
            refuse(f"{key} has {given}; write a list with one for each of the {count} nodes", key="each")
    return each


def expand(written: dict[str, Node | Varied]) -> Nodes:
    """Expand groups into single nodes; refuse names that are taken or too long."""
    groups: dict[str, tuple[str, ...]] = {}
    found = Nodes()
    for name, entry in written.items():
        count = len(entry.nodes) if isinstance(entry, Varied) else entry.count
        members: tuple[str, ...] = (name,)
        if count is not None:
            members = groups[name] = _members(name, count)
        nodes = entry.nodes if isinstance(entry, Varied) else (entry,) * len(members)
        for member, node in zip(members, nodes, strict=True):
            if member in found or (member != name and member in written):
                refuse(f"count: {count} creates a node {member}, but that name is taken; rename either", key=name)
            found[member] = node
    found.groups = groups
    return found


def _members(name: str, count: int) -> tuple[str, ...]:
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
        written = {keys[2:]: where for keys, where in document.locations.items() if keys[:2] == ("nodes", group)}
        document.locations.update(
            {("nodes", member, *rest): where for member in members for rest, where in written.items()}
        )
