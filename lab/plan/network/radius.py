# SPDX-License-Identifier: MIT
"""RADIUS: which server access points ask, and the addresses by which they know each other.

An access point that asks has an address of its own. Secrets are made from the seed of the run, with the certificates.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from ipaddress import ip_interface

from lab.errors import unknown
from lab.model.document import Keys
from lab.model.topology import Topology
from lab.nodes.ap.file import AccessPoint
from lab.nodes.radius.file import FREERADIUS
from lab.nodes.radius.file import RadiusServer as Server
from lab.plan.network.segments import is_segmented
from lab.plan.network.wires import Wires
from lab.plan.problems import RefuseAt, ValidatedFile
from lab.shared.types import Eap, Link, Node, Radio, RadioOption, RadiusServer


def asked(node: Node) -> list[str]:
    """Return the RADIUS servers that an access point asks for its networks."""
    networks = [one for radio in node.radios() if radio.radio for one in radio.radio.networks()]
    return [one.radius.server for one in networks if one.radius is not None]


def check(source: ValidatedFile[Topology], refuse: RefuseAt, links: list[Link]) -> None:
    """Report access points that ask what is not a RADIUS server, or one that they do not reach."""
    nodes = source.model.nodes
    wires = Wires(source.model)
    for link in links:
        wires.connect(link.node_a, link.node_b)
    for name, keys, server in _questions(source.model):
        if server not in nodes:
            known = [one for one, model in nodes.items() if model.authenticates]
            add = "" if known else "; add a node such as aaa1: {kind: radius}"
            refuse(keys, unknown("RADIUS server", server, known) + add)
        elif not nodes[server].authenticates:
            kind = nodes[server].kind
            refuse(keys, f"{server} is not a RADIUS server (it is a {kind}); name a node of kind: radius")
        elif isinstance(node := nodes[name], AccessPoint) and (node.is_programmed or node.stp):
            refuse(keys, "an access point that OpenFlow programs, or with stp: true, cannot ask others; remove this")
        elif is_segmented(source.model):
            continue  # routers may be between them
        elif wires.of(name) not in [wires.of(one) for one in _next_to(server, links) if nodes[one].bridges]:
            refuse(keys, f"no wire leads from {name} to {server}; link both to a switch, or to each other")


def _questions(topology: Topology) -> Iterator[tuple[str, Keys, str]]:
    """Yield access points with the keys that name a RADIUS server, and its name."""
    for name, node in topology.nodes.items():
        for keys, server in node.servers if isinstance(node, AccessPoint) else ():
            yield name, ("nodes", name, *keys), server


def _next_to(name: str, links: list[Link]) -> Iterator[str]:
    for link in links:
        for one, other in ((link.node_a, link.node_b), (link.node_b, link.node_a)):
            if one == name:
                yield other


def introduced(source: ValidatedFile[Topology], refuse: RefuseAt, nodes: list[Node]) -> list[Node]:
    """Return the nodes with the addresses of those that they ask, and of those that ask them."""
    addresses = {node.name: (node.ip or "").split("/")[0] for node in nodes}
    at = {node.name: node for node in nodes}
    for name, keys, server in _questions(source.model):
        if server in at and not _has_way(at[name], at[server]):
            ways = f"{name} has {at[name].ip} and no default route, {server} has {at[server].ip}"
            refuse(keys, f"no router leads from {name} to {server} ({ways}); link one to the segments of both")
    return [_node(source, node, nodes, addresses) for node in nodes]


def _has_way(node: Node, other: Node) -> bool:
    """Check whether a node is in the subnet of another one, or has a route to others."""
    if node.addressing is None or node.addressing.routes or not node.ip or not other.ip:
        return True
    return ip_interface(other.ip) in ip_interface(node.ip).network


def _node(source: ValidatedFile[Topology], node: Node, nodes: list[Node], addresses: dict[str, str]) -> Node:
    model = source.model.nodes[node.name]
    if isinstance(model, Server):
        where = source.document.where
        options = [
            RadioOption(name, value, where(("nodes", node.name, "hostapd", name)))
            for name, values in model.hostapd.items()
            for value in values
        ]
        clients = [addresses[one.name] for one in nodes if node.name in asked(one)]
        given = {path: source.texts[file] for path, file in model.config.items() if file in source.texts}
        server = RadiusServer(
            Eap("", None, model.certificate, model.users),
            clients,
            hostapd=options,
            freeradius=model.program == FREERADIUS,
            config=given,
        )
        return replace(node, radius=server)
    if not asked(node) or node.radio is None:
        return node

    def introduce(radio: Radio) -> Radio:
        first, *bss = (
            replace(one, radius=replace(one.radius, ip=addresses.get(one.radius.server, ""))) if one.radius else one
            for one in radio.networks()
        )
        return replace(first, bss=bss)

    wlans = [replace(one, radio=introduce(one.radio)) for one in node.wlans]
    return replace(node, radio=introduce(node.radio), wlans=wlans)
