# SPDX-License-Identifier: MIT
"""A warning about what has no effect without a medium: places, movements, powers and gains of radios.

A topology that writes ``medium: perfect`` means it, and gets none.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from lab.errors import warn
from lab.model.document import Keys, dotted
from lab.model.event import EVENTS
from lab.model.topology import Topology
from lab.model.workload import Workload
from lab.numbers import count
from lab.plan.problems import Source

_OF_NODES = ("position", "txpower", "antenna_gain")
_EVENT = "move"


def warn_of_idle_keys(topology: Source[Topology], workload: Source[Workload] | None = None) -> None:
    """Print one warning on stderr if a topology without ``medium:``, or the workload on it, has such keys."""
    if "medium" in topology.model.model_fields_set:
        return
    found: list[tuple[Source[Any], Keys]] = [(topology, keys) for keys in _of_nodes(topology.model)]
    found += [(topology, ("mobility", index)) for index in range(len(topology.model.mobility))]
    sources: list[Source[Any]] = [topology, *([workload] if workload is not None else [])]
    found += [(source, keys) for source in sources for keys in _moves(source)]
    if not found:
        return
    source, keys = found[0]
    others = f" (and {count(len(found) - 1, 'more such key')})" if len(found) > 1 else ""
    warn(
        f"{dotted(keys)}: has no effect{others}, since without a medium every frame arrives at any distance; write "
        "medium: {} in the topology for one in which distance and power count, or medium: perfect if that is meant",
        source.document.where(keys),
    )


def _of_nodes(topology: Topology) -> Iterator[Keys]:
    """Yield the keys of nodes; those of a group (``count:``) once."""
    written = {member: group for group, members in topology.groups.items() for member in members}
    for name, key in dict.fromkeys(
        (written.get(name, name), key)
        for name, node in topology.nodes.items()
        for key in _OF_NODES
        if getattr(node, key, None) is not None
    ):
        yield "nodes", name, key


def _moves(source: Source[Any]) -> Iterator[Keys]:
    for index, event in enumerate(source.model.timeline):
        if EVENTS.name_of(type(event)) == _EVENT:
            yield "timeline", index, _EVENT
