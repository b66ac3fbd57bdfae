# SPDX-License-Identifier: MIT
"""Files that are copied out of nodes when a run has ended."""

from __future__ import annotations

from collections.abc import Iterator

from lab.model.document import Keys
from lab.model.workload import Collected, Workload
from lab.plan.problems import Problems, Source
from lab.plan.workload.processes import Processes
from lab.shared.types import Collect


def resolve(source: Source[Workload], processes: Processes, problems: Problems) -> list[Collect]:
    """Return what processes and the workload want of each node, in file order, each once."""
    found: dict[tuple[str, str], Collect] = {}
    for keys, roles, wanted in _wanted(source.model):
        nodes = {node.name: node for role in roles for node in processes.nodes_of(role, (*keys, "on"))}
        for node in nodes.values():
            path = processes.names.fill(wanted.path, node, problems.at(source, (*keys, "path")))
            entry = Collect(node.name, path, wanted.optional, wanted.at_most, source.document.where(keys))
            found.setdefault((node.name, path), entry)
    return list(found.values())


def _wanted(workload: Workload) -> Iterator[tuple[Keys, list[str], Collected]]:
    """Yield each entry with its location and the roles of its nodes."""
    for index, process in enumerate(workload.processes):
        for number, kept in enumerate(process.collect):
            yield ("processes", index, "collect", number), [process.on], kept
    for index, entry in enumerate(workload.collect):
        yield ("collect", index), entry.on, entry
