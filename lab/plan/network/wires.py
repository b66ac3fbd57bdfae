# SPDX-License-Identifier: MIT
"""Bridges, grouped by the links and meshes between them, in each VLAN; and which VLANs a link carries."""

from __future__ import annotations

from lab.model import links
from lab.model.node import Node
from lab.model.openflow import OpenFlowBridge
from lab.model.topology import Topology

Point = tuple[str, int]  # a bridge, and a VLAN there; 0: untagged frames


def vlans(topology: Topology) -> list[int]:
    """Return the VLANs that a topology names."""
    found = {one for link in topology.links for one in (link.vlan, *link.vlans) if one is not None}
    for node in topology.nodes.values():
        own = node.vlan if isinstance(node, OpenFlowBridge) else None
        found |= {one for one in (own, *(cell.vlan for cell in node.cells)) if one}
    return sorted(found)


def pairs(topology: Topology, link: links.Link) -> list[tuple[str, str]]:
    """Return the ends of each link of an entry: one link, or one to each node of a group (``count:``)."""
    a, b = (topology.groups.get(name, (name,)) for name in link.between)
    return [(one, other) for one in a for other in b]


def carried(topology: Topology, link: links.Link, known: list[int]) -> tuple[int | None, list[int]]:
    """Return the VLAN of a link's untagged frames, 0 for none, None if it has no such frames; and those of tagged ones.

    ``known``: the VLANs of the topology.
    """
    if link.vlan is not None or link.vlans:
        return link.vlan, link.vlans
    bridges = [topology.nodes[name].bridges for name in pairs(topology, link)[0]]
    return 0, known if all(bridges) else []


def _repeats(node: Node, ssid: str) -> bool:
    return any(cell.ssid == ssid and cell.four_address for cell in node.cells)


class Wires:
    """Bridges, grouped by the segment that they are on, in each VLAN."""

    def __init__(self, topology: Topology) -> None:
        self._bridges = {name for name, node in topology.nodes.items() if node.bridges}
        self._gates = {name for name in self._bridges if topology.nodes[name].backhaul is not None}
        self._next: dict[Point, Point] = {}
        self._on_air: dict[str, str] = {}  # a bridge of each wireless network
        for name, node in topology.nodes.items():
            if node.bridges and node.backhaul is not None:
                for vlan in (0, *vlans(topology)):
                    self.connect(self._on_air.setdefault(node.backhaul, name), name, vlan)

        for name, node in topology.nodes.items():
            for ssid in node.uplinks:
                home = next(
                    (one for one, other in topology.nodes.items() if other is not node and _repeats(other, ssid)), name
                )
                self.connect(home, name)

    def are_bridges(self, a: str, b: str) -> bool:
        """Return whether both are bridges, and different ones."""
        return a in self._bridges and b in self._bridges and a != b

    def of(self, name: str, vlan: int = 0) -> Point:
        """Return the segment of a bridge in a VLAN, named after one of its bridges."""
        point = name, vlan
        while self._next.get(point, point) != point:
            point = self._next[point]
        return point

    def on_air(self, network: str) -> Point | None:
        """Return the segment of the bridges of a wireless network, if it has any."""
        return self.of(self._on_air[network]) if network in self._on_air else None

    def at(self, name: str, vlan: int, *, untagged: bool) -> Point:
        """Return the segment of a bridge that frames from a wire are in; a gate of a mesh knows no VLANs, only tags."""
        return self.of(name, 0 if untagged and name in self._gates else vlan)

    def connect(self, a: str, b: str, vlan: int = 0, *, untagged: bool = False) -> bool:
        """Join the segments of two nodes if both are bridges; return whether they were one segment before.

        ``untagged``: between them, frames of that VLAN have no tag.
        """
        if not self.are_bridges(a, b):
            return False
        one, other = (self.at(name, vlan, untagged=untagged) for name in (a, b))
        self._next[one] = other
        return one == other
