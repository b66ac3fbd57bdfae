# SPDX-License-Identifier: MIT
"""Warnings about what has no effect: without a medium, positions, movements, powers and gains; with one, powers
and gains where levels are given.

A topology that writes ``medium: perfect`` means it, and gets none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from lab.errors import warn
from lab.model.document import Keys, dotted
from lab.model.event import EVENTS
from lab.model.topology import Topology
from lab.model.workload import Workload
from lab.numbers import count
from lab.plan.problems import ValidatedFile

_OF_NODES = ("position", "txpower", "antenna_gain")
_EVENT = "move"


def warn_of_idle_keys(topology: ValidatedFile[Topology], workload: ValidatedFile[Workload] | None = None) -> None:
    """Print one warning on stderr if a topology without ``medium:``, or the workload on it, has such keys."""
    if "medium" in topology.model.model_fields_set:
        return
    found: list[tuple[ValidatedFile[Any], Keys]] = [(topology, keys) for keys in _of_nodes(topology.model)]
    found += [(topology, ("mobility", index)) for index in range(len(topology.model.mobility))]
    sources: list[ValidatedFile[Any]] = [topology, *([workload] if workload is not None else [])]
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


def warn_of_idle_powers(
    topology: ValidatedFile[Topology], names: list[str], fixed: Mapping[tuple[int, int], float]
) -> None:
    """Print a warning for each radio whose power or gain changes no level.

    ``names``: nodes with a radio; ``fixed``: pairs of them with a given SNR.
    """
    positioned = {name for name, node in topology.model.nodes.items() if getattr(node, "position", None) is not None}
    for name in (name for entry in topology.model.mobility for name in entry.nodes):
        positioned.update(topology.model.groups.get(name, [name]))
    placed = {name: number for number, name in enumerate(names) if name in positioned}
    free = {
        name
        for name, one in placed.items()
        if any({(one, n), (n, one)} - {*fixed} for n in placed.values() if n != one)
    }
    for keys in _of_nodes(topology.model, ("txpower", "antenna_gain")):
        members = topology.model.groups.get(str(keys[1]), [keys[1]])
        if free.isdisjoint(members):
            warn(
                f"{dotted(keys)}: changes no level, since the SNR of {keys[1]} is given (medium.snr, or 40 dB between "
                "nodes without a position); write a position: for it and for others, or remove this",
                topology.document.where(keys),
            )


def _of_nodes(topology: Topology, wanted: tuple[str, ...] = _OF_NODES) -> Iterator[Keys]:
    """Yield the keys of nodes; those of a group (``count:``) once."""
    written = {member: group for group, members in topology.groups.items() for member in members}
    for name, key in dict.fromkeys(
        (written.get(name, name), key)
        for name, node in topology.nodes.items()
        for key in wanted
        if getattr(node, key, None) is not None
    ):
        yield "nodes", name, key


def _moves(source: ValidatedFile[Any]) -> Iterator[Keys]:
    for index, event in enumerate(source.model.timeline):
        if EVENTS.name_of(type(event)) == _EVENT:
            yield "timeline", index, _EVENT
