# SPDX-License-Identifier: MIT
"""Checks of meshes: what keeps nodes that name the same mesh apart, and gates without a wire."""

from __future__ import annotations

from lab.model.topology import Topology
from lab.nodes.mesh.file import Mesh
from lab.plan.network.wires import pairs
from lab.plan.problems import RefuseAt, ValidatedFile


def check(source: ValidatedFile[Topology], refuse: RefuseAt) -> None:
    """Report what is wrong or probably a mistake."""
    first: dict[str, tuple[str, Mesh]] = {}
    linked = {end for link in source.model.links for ends in pairs(source.model, link) for end in ends}
    for name, node in source.model.nodes.items():
        if not isinstance(node, Mesh):
            continue
        if node.gate and name not in linked:
            refuse(
                ("nodes", name, "gate"), f"a gate needs a link; write links: [{{between: [{name}, …]}}], or root: true"
            )
        other, model = first.setdefault(node.mesh_id, (name, node))
        if node.awaited and model.awaited:
            _compare(refuse, name, node, other, model)


def _compare(refuse: RefuseAt, name: str, node: Mesh, other: str, model: Mesh) -> None:
    """Report a node that cannot be a peer of the first one of its mesh."""
    found = {
        "channel": (node.channel, model.channel),
        "encrypt": (node.encrypt or "open", model.encrypt or "open"),
        "passwd": (node.passwd, model.passwd),
    }
    for key, (own, its) in found.items():
        if own != its:
            refuse(
                ("nodes", name, key),
                f"{other} has {its}, so both are never peers; write the same, or awaited: false if you want that",
            )
            return
