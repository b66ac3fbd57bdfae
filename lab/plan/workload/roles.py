# SPDX-License-Identifier: MIT
"""Assigns nodes of a topology to the roles of a workload."""

from __future__ import annotations

from lab.errors import suggestion
from lab.model.workload import Workload
from lab.numbers import count
from lab.plan.network.network import PlannedNetwork
from lab.plan.problems import Problems, ValidatedFile
from lab.shared.types import Node


def offered(network: PlannedNetwork) -> dict[str, list[Node]]:
    """Return nodes by role, in file order: roles that the topology names, then the kinds of its nodes."""
    found: dict[str, list[Node]] = {}
    for node in network.nodes:
        for role in dict.fromkeys(node.roles):
            found.setdefault(role, []).append(node)
    for node in network.nodes:
        if node.kind not in node.roles:
            found.setdefault(node.kind, []).append(node)
    return found


def bind(network: PlannedNetwork, workload: ValidatedFile[Workload], problems: Problems) -> dict[str, list[Node]]:
    """Return the nodes of each role that the workload declares: as many as it asks for, in file order."""
    there = offered(network)
    name = network.source.model.name
    written_for = workload.model.needs.topologies
    hint = f"it is written for {' and '.join(written_for)}" if written_for else None
    bound: dict[str, list[Node]] = {}
    if workload.model.needs.medium and network.source.model.medium is None:
        message = f"topology {name} has the perfect medium; write medium: {{}} in it, or --set medium={{}}"
        problems.add(workload, ("needs", "medium"), message)
        problems.raise_all()  # all else follows from that
    for role, (least, most) in workload.model.roles.items():
        nodes = there.get(role, [])
        if role not in there:
            offers = ", ".join(f"{known} ({listed(owners)})" for known, owners in there.items())
            problems.add(
                workload,
                ("roles", role),
                f'topology {name} offers no role "{role}"{suggestion(role, there)}; it offers {offers}',
                hint,
            )
        elif len(nodes) < least:
            problems.add(
                workload,
                ("roles", role),
                f"needs {count(least, 'node')}, but topology {name} offers {len(nodes)} ({listed(nodes)})",
                hint,
            )
        bound[role] = nodes if most is None else nodes[:most]
    return bound


def listed(nodes: list[Node]) -> str:
    """List the names of nodes, only the first of many."""
    shown = [node.name for node in nodes[:4]]
    return ", ".join(shown) + (", …" if len(nodes) > len(shown) else "")
