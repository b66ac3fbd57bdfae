# SPDX-License-Identifier: MIT
"""OpenFlow: the wires between bridges and their controllers, and what the guest needs to know of both.

The wires are apart from the network that the bridges carry (out of band), each with two addresses of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from ipaddress import IPv4Network

from lab.errors import unknown
from lab.model.openflow import OpenFlowBridge, unknown_port
from lab.model.topology import Topology
from lab.nodes.controller.file import Controller, own_apps
from lab.plan.network.wires import pairs
from lab.plan.problems import RefuseAt, ValidatedFile
from lab.shared.types import ControllerApp, Link, Node, OpenFlow

_WIRES = IPv4Network("172.31.0.0/16")  # private addresses (RFC 1918) that no default subnet has


def implied(topology: Topology) -> Iterator[tuple[str, str]]:
    """Yield controller and bridge of each wire that the topology does not list as a link."""
    listed = {frozenset(link.between) for link in topology.links}
    for name, node in topology.nodes.items():
        controller = node.controller if isinstance(node, OpenFlowBridge) else None
        if controller is None or frozenset((controller, name)) in listed:
            continue
        if controller in topology.nodes and topology.nodes[controller].controls:
            yield controller, name


def check(source: ValidatedFile[Topology], refuse: RefuseAt) -> None:
    """Report controllers that are none, and links of controllers to others than their bridges."""
    nodes = source.model.nodes
    controllers = [name for name, node in nodes.items() if node.controls]
    for name, node in nodes.items():
        if isinstance(node, OpenFlowBridge) and node.controller is not None and node.controller not in controllers:
            keys = "nodes", name, "controller"
            if node.controller in nodes:
                kind = nodes[node.controller].kind
                refuse(keys, f"{node.controller} is not a controller (it is a {kind}); name a node of kind: controller")
            else:
                add = "; add a node such as c0: {kind: controller}" if not controllers else ""
                refuse(keys, unknown("controller", node.controller, controllers) + add)
    for index, link in enumerate(source.model.links):
        for name, other in (two for ends in pairs(source.model, link) for two in (ends, ends[::-1])):
            if name in controllers and other in nodes and getattr(nodes[other], "controller", None) != name:
                where = "links", index, "between"
                refuse(where, f"{name} is a controller, but not that of {other}; write controller: {name} at {other} "
                       "if it is a switch or access point, or remove this link")  # fmt: skip


def connected(source: ValidatedFile[Topology], nodes: list[Node], links: list[Link]) -> list[Node]:
    """Return the nodes with the addresses of these wires, and what bridges and controllers do."""
    models = source.model.nodes
    wires = [link for link in links if any(models[name].controls for name in (link.node_a, link.node_b))]
    addresses: dict[str, str] = {}
    for link, wire in zip(wires, _WIRES.subnets(new_prefix=30), strict=False):
        for (_, interface), host in zip(link.ends(), wire.hosts(), strict=True):
            addresses[interface] = f"{host}/{wire.prefixlen}"
    return [_node(source, node, addresses, links) for node in nodes]


def _beyond(node: Node, links: list[Link]) -> Iterator[tuple[str, str]]:
    """Yield the wired interfaces of a node, and the nodes at the other end."""
    for link in links:
        for here, there in (link.ends(), link.ends()[::-1]):
            if here[0] == node.name:
                yield here[1], there[0]


def check_rules(source: ValidatedFile[Topology], refuse: RefuseAt, nodes: list[Node]) -> None:
    """Report flow rules that name interfaces which their bridge does not have."""
    for node in nodes:
        model = source.model.nodes[node.name]
        for index, rule in enumerate(model.openflow if isinstance(model, OpenFlowBridge) else ()):
            if (port := unknown_port(rule, node.ports)) is not None:
                refuse(("nodes", node.name, "openflow", index), unknown("port", port, node.ports))


def _node(source: ValidatedFile[Topology], node: Node, addresses: Mapping[str, str], links: list[Link]) -> Node:
    models = source.model.nodes
    model = models[node.name]
    if isinstance(model, Controller):
        node = replace(node, controller=_app(source, model.app))
    elif isinstance(model, OpenFlowBridge) and (model.is_programmed or model.stp or model.fail_mode):
        ends = [dict(one.ends()) for one in links if {one.node_a, one.node_b} == {node.name, model.controller}]
        port = ends[0][model.controller] if model.controller is not None and ends else ""
        ip = addresses[port].split("/")[0] if port in addresses else None  # a mistake has been reported otherwise
        standalone = model.fail_mode == "standalone" or not model.is_programmed
        edges = [port for port, other in _beyond(node, links) if not models[other].bridges]
        edges += [one.interface for owner in node.radios() if owner.radio for one in owner.radio.networks()]
        given = OpenFlow(model.is_programmed, standalone, ip, list(model.openflow))
        node = replace(node, openflow=replace(given, stp=True, edges=edges) if model.stp else given)
    interfaces = [
        replace(one, ip=addresses[one.name], control=True) if one.name in addresses else one for one in node.interfaces
    ]
    return replace(node, interfaces=interfaces)


def _app(source: ValidatedFile[Topology], app: str) -> ControllerApp:
    own = own_apps()
    if f"{app}.py" in own:
        return ControllerApp(f"{app}.py", own)
    if app in source.texts:
        name = app.rpartition("/")[2]
        return ControllerApp(name, {name: source.texts[app]})
    return ControllerApp(app)
