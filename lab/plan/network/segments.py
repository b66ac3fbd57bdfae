# SPDX-License-Identifier: MIT
"""Segments: what switches, access points, meshes and ad hoc networks connect. Each has subnets of its own.

Only topologies with a router, or with ``subnets:``, are seen so; in others, all nodes are in one subnet.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from ipaddress import IPv4Address, IPv4Network, IPv6Network

from lab.errors import unknown
from lab.model.addressing import Addressed, Subnet
from lab.model.topology import Topology
from lab.plan.network.addresses import free_networks6
from lab.plan.network.wires import Point, Wires, vlans
from lab.plan.problems import RefuseAt, ValidatedFile
from lab.shared.types import Interface, Link, Node


@dataclass(frozen=True)
class Port:
    """An interface of a node with addresses."""

    node: str
    interface: str
    first: bool  # the one with the node's own address


@dataclass
class BridgedSegment:
    """Nodes that reach each other without a router."""

    names: list[str]  # by which files name it; the first one in messages
    ports: list[Port] = field(default_factory=list)
    network: IPv4Network | None = None
    network6: IPv6Network | None = None
    taken: dict[IPv4Address, str] = field(default_factory=dict)  # addresses that do not come from DHCP

    @property
    def name(self) -> str:
        """The name in messages."""
        return self.names[0]

    def routers(self, topology: Topology) -> Iterator[Port]:
        """Yield the interfaces of routers."""
        return (port for port in self.ports if topology.nodes[port.node].routes_packets)


def is_segmented(topology: Topology) -> bool:
    """Check whether a topology has segments with subnets of their own: it uses any key of this."""
    return bool(topology.subnets or vlans(topology)) or any(
        node.routes_packets or (isinstance(node, Addressed) and node.uses_subnets) for node in topology.nodes.values()
    )


class Segments:
    """The segments of a topology, in the order of their first nodes."""

    def __init__(self, source: ValidatedFile[Topology], refuse: RefuseAt, nodes: list[Node], links: list[Link]) -> None:
        self.topology = source.model
        self.refuse = refuse
        self._wires = Wires(source.model)
        self._links = {link.name: link for link in links}
        self._interfaces = {interface.name: interface for node in nodes for interface in node.interfaces}
        for link in links:
            wire = self._interfaces[link.a]
            for vlan in wire.carries():
                self._wires.connect(link.node_a, link.node_b, vlan, untagged=vlan not in wire.vlans)
        found: dict[Point, BridgedSegment] = {}
        for node in nodes:
            for port, key in self._ports(node):
                found.setdefault(key, BridgedSegment([])).ports.append(port)
        self._found = found
        self._by_name = dict(self._names(found))
        self.all = list(found.values())

    def _ports(self, node: Node) -> Iterator[tuple[Port, Point]]:
        """Yield the interfaces of a node that have addresses, and the keys of their segments; the radio first.

        Of a bridge, it is the bridge itself.
        """
        model = self.topology.nodes[node.name]
        if model.bridges and model.has_address and not model.addressed:
            yield Port(node.name, node.name, first=True), self._wires.of(node.name, node.vlan)
        if not model.addressed:
            return
        if node.radio is not None:
            yield Port(node.name, str(node.first_interface), first=True), self._on_air(node)
            for one in node.radios()[1:]:
                yield Port(node.name, str(one.first_interface), first=False), self._on_air(one)
        for interface in () if model.bridges else node.interfaces:
            if interface.addressed:
                first = interface.name == node.first_interface
                yield Port(node.name, interface.name, first), self._on_wire(node.name, interface)

    def _on_wire(self, node: str, interface: Interface) -> Point:
        link = self._links[interface.link]
        other = link.node_b if link.node_a == node else link.node_a
        vlan = interface.vlan or 0
        if self.topology.nodes[other].bridges:
            return self._wires.at(other, vlan, untagged=interface.parent is None)
        return f"link {link.name}{f'.{vlan}' if vlan else ''}", 0

    def _on_air(self, node: Node) -> Point:
        """Return the segment of a radio: that of the first access point of its network."""
        assert node.radio is not None
        if node.radio.mesh is not None and (gate := self._wires.on_air(node.radio.ssid)):
            return gate
        home = next(iter(self._homes(node)), None)
        return home if home is not None else (f"ssid {node.radio.ssid}", 0)

    def _of(self, access_point: str) -> Point:
        """Return the segment of the first network of an access point; of a switch: of its untagged frames."""
        cells = self.topology.nodes[access_point].cells
        return self._wires.of(access_point, cells[0].vlan if cells else 0)

    def _homes(self, node: Node) -> dict[Point, str]:
        """Return the segments that the network of a station reaches, and an access point of each."""
        found: dict[Point, str] = {}
        if node.radio is not None and not node.radio.alone:
            for name, one in self.topology.nodes.items():
                for cell in one.cells:
                    if cell.ssid == node.radio.ssid:
                        found.setdefault(self._wires.of(name, cell.vlan), name)
        return found

    def access_points(self, node: Node) -> list[str]:
        """Return an access point of each segment that the network of a station reaches."""
        return list(self._homes(node).values())

    def reaches(self, node: Node, segment: BridgedSegment) -> bool:
        """Check whether the network of a station reaches a segment."""
        return any(self._found.get(key) is segment for key in self._homes(node))

    def _names(self, found: Mapping[Point, BridgedSegment]) -> Iterator[tuple[str, BridgedSegment]]:
        """Yield the names by which files name segments; each is also a name of its segment."""
        bridges = [name for name, node in self.topology.nodes.items() if node.bridges]
        names: list[tuple[str, Point]] = []
        for vlan in vlans(self.topology):
            there = [(f"{name}.{vlan}", self._wires.of(name, vlan)) for name in bridges]
            if len({key for _, key in there if key in found}) == 1 and f"vlan{vlan}" not in bridges:
                names += [(f"vlan{vlan}", next(key for _, key in there if key in found))]
            names += there
        names += [(name, self._of(name)) for name in bridges]
        names += [(f"{name}.0", self._wires.of(name)) for name in bridges if self._of(name) != self._wires.of(name)]
        names += [(name, key) for key in found for kind, _, name in [key[0].partition(" ")] if kind in ("link", "ssid")]
        for name, key in names:
            if name and key in found:
                found[key].names.append(name)
                yield name, found[key]

    def find(self, name: str, *keys: str | int) -> BridgedSegment | None:
        """Return the segment of that name; report an unknown one."""
        segment = self._by_name.get(name)
        if segment is None:
            known = "known (VLANs, switches, access points, links)"
            self.refuse(keys, unknown("segment", name, list(self._by_name), known))
        return segment

    def of_node(self, node: str) -> list[tuple[Port, BridgedSegment]]:
        """Return the interfaces of a node, with their segments; the first one is that with its address."""
        found = [(port, segment) for segment in self.all for port in segment.ports if port.node == node]
        return sorted(found, key=lambda pair: not pair[0].first)

    def name_subnets(self) -> None:
        """Give segments the networks that the topology names; report those that do not fit."""
        first: dict[int, str] = {}
        for name, given in self.topology.subnets.items():
            keys = "subnets", name
            segment = self.find(name, *keys)
            if segment is None:
                continue
            if (other := first.setdefault(id(segment), name)) != name:
                self.refuse(keys, f"{other} and {name} are in one segment, which has one subnet; remove one of them")
                continue
            ip, ip6 = (given.ip, given.ip6) if isinstance(given, Subnet) else (given, None)
            segment.network = IPv4Network(ip) if ip else None
            segment.network6 = IPv6Network(ip6) if ip6 else None
            for old in self.all:
                if old is not segment and (clash := _overlap(old, segment)):
                    self.refuse(keys, f"{clash} overlaps a subnet of {old.name}; write another network")

    def fill_subnets(self) -> None:
        """Give the other segments networks out of ``subnet:``, a /24 each, or larger ones where nodes are many."""
        used = [segment.network for segment in self.all if segment.network]
        for segment in self.all:
            if segment.network is not None:
                continue
            pool = IPv4Network(self.topology.subnet)
            size = min(24, 32 - (len(segment.ports) + 2).bit_length()) if len(self.all) > 1 else pool.prefixlen
            free = () if pool.prefixlen > size else pool.subnets(new_prefix=size)
            segment.network = next((net for net in free if not any(net.overlaps(one) for one in used)), None)
            if segment.network is None:
                self.refuse(
                    ("subnet",), f"{pool} has no room for a /{size} for each segment; write a larger one, or subnets:"
                )
                return
            used.append(segment.network)

    def fill_subnets6(self) -> None:
        """Give the other segments IPv6 networks."""
        free = free_networks6([segment.network6 for segment in self.all if segment.network6])
        for segment in self.all:
            segment.network6 = segment.network6 or next(free)


def _overlap(one: BridgedSegment, other: BridgedSegment) -> IPv4Network | IPv6Network | None:
    """Return the network of ``other`` that overlaps one of ``one``, if any."""
    if one.network and other.network and one.network.overlaps(other.network):
        return other.network
    if one.network6 and other.network6 and one.network6.overlaps(other.network6):
        return other.network6
    return None
