# SPDX-License-Identifier: MIT
"""Addresses, routes and servers in a topology of several subnets.

In each segment, routers get the first free addresses, then the others in file order. The lab makes the routes that a
network engineer would write: on each node, to every subnet over the fewest routers, and on nodes that are not routers a
default route instead. What a router hides (``nat:``) has no routes from outside.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from ipaddress import IPv4Address, IPv4Interface, IPv4Network, ip_address
from itertools import pairwise
from typing import Protocol, cast

from lab.errors import suggestion, warn
from lab.model.addressing import DHCP, NONE, SLAAC, Server, StaticRoute
from lab.model.document import Keys
from lab.model.topology import Topology
from lab.nodes.sta.file import Station
from lab.plan.network.addresses import address6
from lab.plan.network.segments import BridgedSegment, Port, Segments
from lab.plan.problems import RefuseAt, ValidatedFile
from lab.shared.types import Addressing, DhcpPool, Link, Node, Route, RouterAdvertisement, Sysctl

_WAYS6 = {DHCP: ["dhcp6"], SLAAC: ["slaac"]}
_LEASES_MOST = 1000  # of a pool: dnsmasq's own limit
_ROUTERS6 = 0x8000_0000  # number of IPv6 addresses without an IPv4 address
_FORWARDING = ("net.ipv4.ip_forward", "net.ipv6.conf.all.forwarding")
_ACCEPTING = "net.ipv6.conf.default.accept_ra"  # whether the kernel takes addresses and routes from advertisements


def subnetted(
    source: ValidatedFile[Topology], refuse: RefuseAt, nodes: list[Node], links: list[Link], ipv6: bool
) -> list[Node]:
    """Return the nodes with addresses of their segments' subnets, with routes and servers.

    ``ipv6``: all segments have IPv6 subnets, and nodes with ``ip: dhcp`` IPv6 addresses from advertisements.
    """
    return _Subnetting(source, refuse, Segments(source, refuse, nodes, links), nodes, ipv6).nodes()


class _Written(Protocol):
    """What a file says of the addresses of an interface."""

    @property
    def ip(self) -> str | None: ...
    @property
    def ip6(self) -> str | None: ...


class _Addressed(_Written, Protocol):
    """What the lab has to know of a node with addresses; a bridge has one of its own."""

    @property
    def given_ip(self) -> str | None: ...
    @property
    def routes(self) -> list[StaticRoute] | None: ...
    @property
    def routes_packets(self) -> bool: ...


@dataclass
class _Subnetting:
    source: ValidatedFile[Topology]
    refuse: RefuseAt
    segments: Segments
    before: list[Node]
    ipv6: bool
    ips: dict[Port, IPv4Address] = field(default_factory=dict)
    ip6s: dict[Port, str] = field(default_factory=dict)
    advertised: bool = False  # whether some node takes its IPv6 address from advertisements

    def nodes(self) -> list[Node]:
        self.segments.name_subnets()
        self._take_given_networks()
        self.segments.fill_subnets()
        if any(segment.network is None for segment in self.segments.all):
            return self.before
        if self.ipv6:
            self.segments.fill_subnets6()
        for segment in self.segments.all:
            self._fill(segment)
        addressed = [node.name for node in self.before if self.source.model.nodes[node.name].has_address]
        self.advertised = any(self._ip6(port) in _WAYS6 for segment in self.segments.all for port in segment.ports)
        return [self._node(node) if node.name in addressed else node for node in self.before]

    # addresses

    def _model(self, name: str) -> _Addressed:
        return cast(_Addressed, self.source.model.nodes[name])

    def _own(self, port: Port) -> tuple[_Written | None, Keys]:
        """Return what the file says of the address of an interface besides links, and its keys."""
        node: Keys = ("nodes", port.node)
        if port.first:
            return self._model(port.node), node
        further = enumerate(next(one for one in self.before if one.name == port.node).wlans)
        number = next((number for number, wlan in further if wlan.radio.interface == port.interface), None)
        model = self.source.model.nodes[port.node]
        if number is None or not isinstance(model, Station):
            return None, node
        return model.wlans[number], (*node, "wlans", number)

    def _ip(self, port: Port) -> str | None:
        """Return the IPv4 address that the file gives an interface, or the way to one."""
        own, _ = self._own(port)
        return own.ip if own is not None else None

    def _ip6(self, port: Port) -> str | None:
        """Return the same for IPv6; with ``ipv6``, an interface with ``ip: dhcp`` has it from advertisements."""
        own, _ = self._own(port)
        if own is None:
            return None
        asks = self.ipv6 and own.ip6 is None and own.ip == DHCP and not self._model(port.node).routes_packets
        return SLAAC if asks else own.ip6

    def _given(self, segment: BridgedSegment) -> Iterator[tuple[Port, str, tuple[str | int, ...]]]:
        """Yield the addresses that the file gives in a segment, and their keys."""
        nodes = {node.name: node for node in self.before}
        for port in segment.ports:
            if port.first and (ip := self._model(port.node).given_ip):
                yield port, ip, ("nodes", port.node, "ip")
            for number, wlan in enumerate(nodes[port.node].wlans):
                if wlan.radio.interface == port.interface and wlan.ip:
                    yield port, wlan.ip, ("nodes", port.node, "wlans", number, "ip")
            interface = next((one for one in nodes[port.node].interfaces if one.name == port.interface), None)
            if interface is not None and interface.ip:
                end = f"{port.node}.{interface.vlan}" if interface.parent else port.node
                number = next(index for index, link in enumerate(self.source.model.links)
                              if link.ip.get(end) == interface.ip)  # fmt: skip
                yield port, interface.ip, ("links", number, "ip", end)

    def _take_given_networks(self) -> None:
        """Give a segment without a named subnet that of the first address with a prefix length in it."""
        for segment in self.segments.all:
            for _, ip, _ in self._given(segment):
                if segment.network is None and "/" in ip:
                    segment.network = IPv4Interface(ip).network

    def _fill(self, segment: BridgedSegment) -> None:
        network = segment.network
        assert network is not None
        for port, text, keys in self._given(segment):
            interface = IPv4Interface(text)
            if interface.ip not in network or ("/" in text and interface.network != network):
                self.refuse(keys, f'"{text}" is not in {network}, the subnet of {segment.name}; write an address there')
            elif (other := segment.taken.setdefault(interface.ip, port.node)) != port.node:
                self.refuse(keys, f"{interface.ip} is already {other}'s address; write another one")
            else:
                self.ips[port] = interface.ip
        routers = list(segment.routers(self.source.model))
        free = (ip for ip in network.hosts() if ip not in segment.taken)
        for port in [*routers, *(port for port in segment.ports if port not in routers)]:
            if port not in self.ips and self._ip(port) not in (NONE, DHCP):
                address = next(free, None)
                if address is None:
                    self.refuse(("subnets", segment.name), f"{network} has no free address for {port.node}; write a "
                                "larger network")  # fmt: skip
                    return
                segment.taken[address] = port.node
                self.ips[port] = address
        if segment.network6 is not None:
            self._fill6(segment)

    def _fill6(self, segment: BridgedSegment) -> None:
        """Give IPv6 addresses: of the same number in the subnet as the IPv4 address."""
        network, network6 = segment.network, segment.network6
        assert network is not None
        assert network6 is not None
        for port in segment.ports:
            given = self._ip6(port)
            if given in (NONE, SLAAC, DHCP):
                continue
            if given is not None and ip_address(given) not in network6:
                self.refuse((*self._own(port)[1], "ip6"), f"{given} is not in {network6}, the subnet of "
                            f"{segment.name}; write an address there")  # fmt: skip
            elif given is not None:
                self.ip6s[port] = given
            elif port in self.ips:
                self.ip6s[port] = address6(IPv4Interface((self.ips[port], network.prefixlen)), network6)
            elif (
                self.ipv6 and self._model(port.node).routes_packets
            ):  # with ip: dhcp; others need to know it for their routes
                self.ip6s[port] = str(network6[_ROUTERS6 + segment.ports.index(port)])

    # nodes

    def _node(self, node: Node) -> Node:
        model = self._model(node.name)
        at = self.segments.of_node(node.name)
        own = next((port for port, _ in at if port.first), None)
        texts = {port.interface: (self._text(port, segment), self._text6(port)) for port, segment in at}
        interfaces = [
            replace(one, ip=texts[one.name][0], ip6=texts[one.name][1]) if one.name in texts else one
            for one in node.interfaces
        ]
        wlans = [
            replace(one, ip=texts[one.radio.interface][0], ip6=texts[one.radio.interface][1])
            if one.radio.interface in texts
            else one
            for one in node.wlans
        ]
        ip, ip6 = texts[own.interface] if own else (None, None)
        if own is None and (model.ip is not None or model.ip6 is not None):
            self.refuse(("nodes", node.name, "ip"), f"{node.name} has no interface; write a link, or remove this")
        return replace(node, ip=ip, ip6=ip6, interfaces=interfaces, wlans=wlans,
                       addressing=self._addressing(node, model, at),
                       sysctls=[*self._sysctls(node, model, at), *node.sysctls])  # fmt: skip

    def _text(self, port: Port, segment: BridgedSegment) -> str | None:
        return f"{self.ips[port]}/{segment.network.prefixlen}" if port in self.ips and segment.network else None

    def _text6(self, port: Port) -> str | None:
        return f"{self.ip6s[port]}/64" if port in self.ip6s else None

    def _sysctls(self, node: Node, model: _Addressed, at: list[tuple[Port, BridgedSegment]]) -> Iterator[Sysctl]:
        """Yield what makes a router forward, and others ignore advertisements that are not for them.

        What the file of a node sets takes precedence.
        """
        given = {one.name for one in node.sysctls}
        wanted = dict.fromkeys(_FORWARDING, "1") if model.routes_packets else {}
        asks = [self._ip6(port) in _WAYS6 for port, _ in at if self._own(port)[0] is not None]
        if not model.routes_packets and self.advertised and not all(asks):
            wanted = {_ACCEPTING: "0"}
        yield from (Sysctl(name, value, node.source) for name, value in wanted.items() if name not in given)

    def _addressing(self, node: Node, model: _Addressed, at: list[tuple[Port, BridgedSegment]]) -> Addressing:
        for port, segment in at:
            self._check_ways(port, segment)
        for radio in node.radios():
            aps = self.segments.access_points(radio)
            own = next((port for port, _ in at if port.interface == radio.first_interface), None)
            if len(aps) > 1 and own is not None and self._ip(own) not in (NONE, DHCP):
                warn(f"{radio.name} keeps its address when it roams from {aps[0]} to {aps[1]}, which is in another "
                     "subnet; write ip: dhcp, and dhcp: server for both", node.source)  # fmt: skip
        return Addressing(
            asks={port.interface: ways for port, _ in at if (ways := list(self._ways(port)))},
            routes=list(self._routes(node.name, model, at)),
            nat=[port.interface for port, segment in at if segment in self._hidden_from(node.name)],
            nameserver=self._nameserver(model, at),
            pools=list(self._pools(model, node.name, at)),
            advertisements=list(self._advertisements(model, at)),
        )

    def _ways(self, port: Port) -> Iterator[str]:
        """Yield how an interface gets addresses from others."""
        if self._ip(port) == DHCP:
            yield "dhcp"
        yield from _WAYS6.get(self._ip6(port) or "", [])

    def _check_ways(self, port: Port, segment: BridgedSegment) -> None:
        """Report a way to an address that nobody serves in that segment."""
        keys, ip6 = self._own(port)[1], self._ip6(port)
        if self._ip(port) == DHCP and not any(self._serves(one.node, segment) for one in segment.ports):
            self.refuse((*keys, "ip"), f"{segment.name} has no DHCP server; write dhcp: server at a host "
                        "or router there, or remove this")  # fmt: skip
        if ip6 in (DHCP, SLAAC) and not any(segment.routers(self.source.model)):
            self.refuse((*keys, "ip6"), f"{segment.name} has no router; link one to it, or remove this")
        elif ip6 not in (None, NONE) and segment.network6 is None:
            self.refuse((*keys, "ip6"), f"{segment.name} has no IPv6 subnet; write subnets: "
                        f"{{{segment.name}: {{ip6: 2001:db8:1::/64}}}}, or remove this")  # fmt: skip

    # servers

    def _serves(self, node: str, segment: BridgedSegment) -> bool:
        model = self.source.model.nodes[node]
        if not isinstance(model, Server) or model.dhcp is None:
            return False
        if not any(port in self.ips for port in segment.ports if port.node == node):
            return False
        return model.dhcp == "server" or any(name in segment.names for name in model.dhcp)

    def _pools(self, model: _Addressed, node: str, at: list[tuple[Port, BridgedSegment]]) -> Iterator[DhcpPool]:
        if isinstance(model, Server) and isinstance(model.dhcp, list):
            for index, name in enumerate(model.dhcp):
                segment = self.segments.find(name, "nodes", node, "dhcp", index)
                if segment is not None and segment not in [one for _, one in at]:
                    self.refuse(("nodes", node, "dhcp", index), f"{node} has no interface in {name}'s segment; write a "
                                "link, or remove this")  # fmt: skip
        for port, segment in at:
            if not self._serves(node, segment):
                continue
            free = _largest_gap(segment.network, list(segment.taken)) if segment.network else []
            if not free:
                self.refuse(("nodes", node, "dhcp"), f"{segment.network} has no free address to lease; write a larger "
                            f"network in subnets: for {segment.name}")  # fmt: skip
                continue
            gateway = next((self.ips[one] for one in self._gateways(segment)), None)
            yield DhcpPool(port.interface, str(free[0]), str(free[-1]), segment.network.prefixlen if segment.network
                           else 0, str(gateway) if gateway else None)  # fmt: skip

    def _nameserver(self, model: _Addressed, at: list[tuple[Port, BridgedSegment]]) -> str | None:
        """Return the DHCP server of its segments, which knows all names; None: it asks nobody, or learns it by DHCP.

        A server that gets its own address by DHCP asks itself first.
        """
        for own, segment in at:
            for port in segment.ports if model.ip != DHCP else (own,):
                if port in self.ips and self._serves(port.node, segment):
                    return str(self.ips[port])
        return None

    def _advertisements(
        self, model: _Addressed, at: list[tuple[Port, BridgedSegment]]
    ) -> Iterator[RouterAdvertisement]:
        """Yield what a router advertises: where some node takes its IPv6 address from that."""
        for port, segment in at:
            ways = {self._ip6(visitor) for visitor in self._visitors(segment)}
            if model.routes_packets and segment.network6 and ways & {SLAAC, DHCP}:
                yield RouterAdvertisement(port.interface, str(segment.network6), DHCP in ways, SLAAC in ways)

    def _visitors(self, segment: BridgedSegment) -> Iterator[Port]:
        """Yield the interfaces that may be in a segment: at the start, or after a roam."""
        yield from segment.ports
        radios = {one.radio.interface: one for node in self.before for one in node.radios() if one.radio}
        for port in (port for other in self.segments.all for port in other.ports if other is not segment):
            if port.interface in radios and self.segments.reaches(radios[port.interface], segment):
                yield port

    # routes

    def _hidden_from(self, router: str) -> list[BridgedSegment]:
        """Return the segments from which a router hides all others; report unknown ones."""
        names: list[str] = getattr(self.source.model.nodes[router], "nat", [])
        found = [self.segments.find(name, "nodes", router, "nat", index) for index, name in enumerate(names)]
        at = [segment for _, segment in self.segments.of_node(router)]
        for index, segment in enumerate(found):
            if segment is not None and segment not in at:
                self.refuse(("nodes", router, "nat", index), f"{router} has no interface in {names[index]}'s segment; "
                            "write a link, or remove this")  # fmt: skip
        return [segment for segment in found if segment is not None]

    def _gateways(self, segment: BridgedSegment, *, ipv6: bool = False) -> Iterator[Port]:
        """Yield the routers of a segment that forward for its nodes; ``nat:`` hides nothing from IPv6."""
        for port in segment.routers(self.source.model):
            if (port in self.ip6s) if ipv6 else (port in self.ips and segment not in self._hidden_from(port.node)):
                yield port

    def _routes(self, node: str, model: _Addressed, at: list[tuple[Port, BridgedSegment]]) -> Iterator[Route]:
        if model.routes is not None:
            yield from self._given_routes(node, model, at)
        elif model.routes_packets:
            yield from self._to_all(at)
            yield from self._to_all(at, ipv6=True)
        else:
            yield from self._default(at)

    def _default(self, at: list[tuple[Port, BridgedSegment]]) -> Iterator[Route]:
        """Yield default routes, unless a server or router gives them."""
        own = [segment for port, segment in at if port in self.ips]
        via = next((port for segment in own for port in self._gateways(segment)), None)
        if via is not None and all(self._ip(port) != DHCP for port, _ in at):
            yield Route("default", str(self.ips[via]))
        own6 = [segment for port, segment in at if port in self.ip6s]
        via6 = next((port for segment in own6 for port in self._gateways(segment, ipv6=True)), None)
        if via6 is not None and all(self._ip6(port) not in (DHCP, SLAAC) for port, _ in at):
            yield Route("default", self.ip6s[via6])

    def _to_all(self, at: list[tuple[Port, BridgedSegment]], *, ipv6: bool = False) -> Iterator[Route]:
        """Yield routes to all subnets, over the fewest routers; breadth first, in file order."""
        addresses: Mapping[Port, IPv4Address | str] = self.ip6s if ipv6 else self.ips
        reached = [segment for _, segment in at]
        ways: deque[tuple[BridgedSegment, Port | None]] = deque(
            (segment, None) for port, segment in at if port in addresses
        )
        while ways:
            here, via = ways.popleft()
            network = here.network6 if ipv6 else here.network
            if via is not None and network is not None:
                yield Route(str(network), str(addresses[via]))
            for port in self._gateways(here, ipv6=ipv6):
                for _, beyond in self.segments.of_node(port.node):
                    if beyond not in reached:
                        reached.append(beyond)
                        ways.append((beyond, via or port))

    def _given_routes(self, node: str, model: _Addressed, at: list[tuple[Port, BridgedSegment]]) -> Iterator[Route]:
        for index, route in enumerate(model.routes or []):
            keys = "nodes", node, "routes", index, "via"
            where = self.source.document.where(keys[:-1])
            neighbours = {port.node: port for _, segment in at for port in segment.ports if port.node != node}
            if route.via in self.source.model.nodes:
                port = neighbours.get(route.via)
                if port is None or port not in self.ips:
                    self.refuse(keys, f"{route.via} has no address in a segment of {node}; name a node that has")
                elif ":" not in route.to:
                    yield Route(route.to, str(self.ips[port]), where)
                elif port in self.ip6s:
                    yield Route(route.to, self.ip6s[port], where)
                else:
                    self.refuse(keys, f"{route.via} has no IPv6 address there; write ip6: for the segment in subnets:")
                continue
            try:
                yield Route(route.to, str(ip_address(route.via)), where)
            except ValueError:
                meant = suggestion(route.via, neighbours)
                self.refuse(keys, f'"{route.via}" is neither a node nor an address{meant}')


def _largest_gap(network: IPv4Network | None, taken: list[IPv4Address]) -> list[IPv4Address]:
    """Return the longest run of addresses that no node has, at most as many as a pool can lease."""
    if network is None:
        return []
    ends = sorted([network.network_address, *taken, network.broadcast_address])
    gaps = [(int(after) - int(before) - 1, before) for before, after in pairwise(ends)]
    size, before = max(gaps, key=lambda gap: (gap[0], -int(gap[1])))
    return [before + 1 + number for number in range(min(size, _LEASES_MOST))]
