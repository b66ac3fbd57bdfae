# SPDX-License-Identifier: MIT
"""Bridges, grouped by the links between them."""

from __future__ import annotations

from lab.model.topology import Topology


class Wires:
    """Bridges, grouped by the wired segment that they are on."""

    def __init__(self, topology: Topology) -> None:
        self._next = {name: name for name, node in topology.nodes.items() if node.bridges}

    def are_bridges(self, a: str, b: str) -> bool:
        """Return whether both are bridges, and different ones."""
        return a in self._next and b in self._next and a != b

    def of(self, name: str) -> str:
        """Return the segment of a bridge, named after one of its bridges."""
        while self._next[name] != name:
            name = self._next[name]
        return name

    def connect(self, a: str, b: str) -> bool:
        """Join the segments of two nodes if both are bridges; return whether they were one segment before."""
        if not self.are_bridges(a, b):
            return False
        joined = self.of(a) == self.of(b)
        self._next[self.of(a)] = self.of(b)
        return joined
