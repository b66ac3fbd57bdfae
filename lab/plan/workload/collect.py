# SPDX-License-Identifier: MIT
"""Files that are copied out of nodes when a run has ended."""

from __future__ import annotations

from collections.abc import Iterator

from lab.model.document import Keys
from lab.model.workload import Collected, Workload
from lab.plan.problems import Problems, ValidatedFile
from lab.plan.workload.processes import PlannedProcesses
from lab.shared.types import Collect, Node


def resolve(source: ValidatedFile[Workload], processes: PlannedProcesses, problems: Problems) -> list[Collect]:
    """Return what processes and the workload want of each node, in file order, each once."""
    found: dict[tuple[str, str], Collect] = {}
    for keys, nodes, wanted in _wanted(source.model, processes):
        for node in {node.name: node for node in nodes}.values():
            path = processes.names.fill(wanted.path, node, problems.at(source, (*keys, "path")))
            entry = Collect(node.name, path, wanted.optional, wanted.at_most, source.document.where(keys))
            found.setdefault((node.name, path), entry)
    return list(found.values())


def _wanted(workload: Workload, processes: PlannedProcesses) -> Iterator[tuple[Keys, list[Node], Collected]]:
    for index, process in enumerate(workload.processes):
        for number, kept in enumerate(process.collect):
            # an unknown name is reported with the process
            yield ("processes", index, "collect", number), processes.names.nodes_of(process.on) or [], kept
    for index, entry in enumerate(workload.collect):
        keys: Keys = ("collect", index)
        yield keys, [node for role in entry.on for node in processes.nodes_of(role, (*keys, "on"))], entry
