# SPDX-License-Identifier: MIT
"""Which switches and access points are on one wire: no loops, and a wire where keys have to go."""

from __future__ import annotations

from lab.model.topology import Topology
from lab.plan.problems import Problems, Source


class _Wires:
    """Bridges by the wire that they are on."""

    def __init__(self, topology: Topology) -> None:
        self._next = {name: name for name, node in topology.nodes.items() if node.bridges}

    def are_bridges(self, a: str, b: str) -> bool:
        """Whether both are bridges, and two."""
        return a in self._next and b in self._next and a != b

    def of(self, name: str) -> str:
        """The wire of a bridge, by the name of one of those on it."""
        while self._next[name] != name:
            name = self._next[name]
        return name

    def join(self, a: str, b: str) -> None:
        """Make the wires of two bridges one."""
        self._next[self.of(a)] = self.of(b)


def check(source: Source[Topology], problems: Problems) -> None:
    """Complain about loops of bridges, and about access points whose keys do not reach each other."""
    wires = _Wires(source.model)
    for index, model in enumerate(source.model.links):
        a, b = model.between
        if not wires.are_bridges(a, b):
            continue
        if wires.of(a) == wires.of(b):  # frames would circle for ever, since there is no spanning tree
            problems.add(
                source,
                ("links", index),
                f"closes a loop: {a} and {b} are connected already, and switches have no spanning tree; "
                "leave one link out",
            )
        wires.join(a, b)
    _check_keys(source, wires, problems)


def _check_keys(source: Source[Topology], wires: _Wires, problems: Problems) -> None:
    """With SAE, keys of a fast transition go from one access point to the other by wire."""
    first: dict[tuple[str, str], str] = {}
    for name, node in source.model.nodes.items():
        cell = node.cell
        if cell is None or cell.mobility_domain is None or cell.encrypt != "wpa3":
            continue
        other = first.setdefault((cell.ssid, cell.mobility_domain), name)
        if wires.of(other) != wires.of(name):
            problems.add(
                source,
                ("nodes", name, "fast_transition"),
                f"keys of wpa3 go from access point to access point by wire, and {other} and {name} have none between "
                "them; link both to a switch, or write another mobility_domain:, or encrypt: wpa2",
            )
