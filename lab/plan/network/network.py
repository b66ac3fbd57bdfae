# SPDX-License-Identifier: MIT
"""Nodes and links of a topology, resolved."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from lab.errors import unknown
from lab.model import links
from lab.model.document import Keys
from lab.model.names import INTERFACE_LENGTH_MAX
from lab.model.node import MEMORY_BYTES, WithRadio
from lab.model.node import Node as NodeModel
from lab.model.openflow import OpenFlowBridge
from lab.model.topology import Topology
from lab.nodes.switch.file import Switch
from lab.plan.network import bridging, control, meshes, radius
from lab.plan.network.addresses import Ips, Macs, generated_mac, with_ipv6
from lab.plan.network.radios import PlannedRadios
from lab.plan.network.segments import is_segmented
from lab.plan.network.subnetting import subnetted
from lab.plan.network.wires import carried, pairs, vlans
from lab.plan.problems import Problems, ValidatedFile
from lab.shared.types import Interface, Link, Netem, Node, Sysctl, Wlan, radios

_PORTS_MAX = 250  # the last byte of a MAC address is the port number
RADIOS_MAX = 1024  # HWSIM_MEDIUM_MAX_RADIOS


def unknown_position(name: str, known: Collection[str]) -> str:
    """Return what a message says of a text that is neither coordinates nor a name of positions:."""
    other = "needs three coordinates, such as [30 m, 0 m, 2 m], or a name of positions:"
    return unknown("position", name, known) if known else other


@dataclass
class PlannedNetwork:
    """Nodes and links, in file order."""

    nodes: list[Node]
    links: list[Link]
    source: ValidatedFile[Topology] = field(repr=False)

    def find(self, name: str) -> Node | None:
        """Return the node of that name, or with the radio of that name."""
        return next((node for node in (*self.nodes, *radios(self.nodes)) if node.name == name), None)


def network(source: ValidatedFile[Topology], problems: Problems, *, ipv6: bool = False) -> PlannedNetwork:
    """Assign addresses, names and defaults to everything in a topology; ``ipv6``: all nodes have IPv6 addresses."""
    return _Builder(source, problems, ipv6).build()


class _Builder:
    """State shared by the steps: node numbers, addresses, ports."""

    def __init__(self, source: ValidatedFile[Topology], problems: Problems, ipv6: bool) -> None:
        self.source = source
        self.problems = problems
        self.ipv6 = ipv6
        self.topology = source.model
        self.indexes = {name: index for index, name in enumerate(self.topology.nodes, 1)}
        self.refuse = problems.of(source)
        self.macs = Macs(source, self.refuse)
        self.ips = Ips(source, self.refuse)
        self.radios = PlannedRadios(source, self.refuse, self.macs, self.indexes)
        self.interfaces: dict[str, list[Interface]] = {name: [] for name in self.topology.nodes}
        self.vlans = vlans(self.topology)
        self.wlan_ips: dict[tuple[str, int], str] = {}

    def build(self) -> PlannedNetwork:
        several = is_segmented(self.topology)
        for name, model in self.topology.nodes.items() if not several else ():
            self._claim_given(name, model)
        resolved_links = self._links()
        bridging.check(self.source, self.interfaces, self.problems)
        control.check(self.source, self.refuse)
        radius.check(self.source, self.refuse, resolved_links)
        meshes.check(self.source, self.refuse)
        self._count_radios()
        nodes = [self._node(name, model) for name, model in self.topology.nodes.items()]
        bridging.check_channels(nodes)
        if several:
            nodes = subnetted(self.source, self.refuse, nodes, resolved_links, self.ipv6)
        else:
            made = self.ips.fill([node.name for node in nodes if node.ip is None and self._model(node).has_address])
            nodes = [
                _with_ip(node, made.get(node.name)) if self._model(node).addressed or node.name in made else node
                for node in nodes
            ]
            nodes = with_ipv6(nodes) if self.ipv6 else nodes
        nodes = radius.introduced(self.source, self.refuse, nodes)
        nodes = control.connected(self.source, nodes, resolved_links)
        control.check_rules(self.source, self.refuse, nodes)
        return PlannedNetwork(nodes, resolved_links, self.source)

    def _count_radios(self) -> None:
        """Refuse what the guest's kernel has no room for."""
        models = self.topology.nodes.values()
        radios = sum(1 + len(model.further) for model in models if isinstance(model, WithRadio))
        if radios > RADIOS_MAX:
            self.refuse(("nodes",), f"{radios} radios; a guest has room for {RADIOS_MAX}: use fewer")

    def _model(self, node: Node) -> NodeModel:
        return self.topology.nodes[node.name]

    def _claim_given(self, name: str, model: NodeModel) -> None:
        """Record given addresses first, so that generated ones avoid them."""
        if model.given_ip is not None:
            self.ips.claim(model.given_ip, name, ("nodes", name, "ip"))
        for number, wlan in enumerate(model.further if isinstance(model, WithRadio) else ()):
            if wlan.given_ip is not None:
                self.wlan_ips[name, number] = self.ips.claim(
                    wlan.given_ip, name, ("nodes", name, "wlans", number, "ip")
                )

    def _wlans(self, name: str, model: WithRadio) -> list[Wlan]:
        """Resolve the radios of a node after its first; in a topology of several subnets, addresses follow later."""
        found = enumerate(self.radios.further(name, model))
        return [replace(one, ip=self.wlan_ips.get((name, number), one.ip)) for number, one in found]

    def _links(self) -> list[Link]:
        names = Counter[str]()
        found = []
        for index, model in enumerate(self.topology.links):
            netem = model.applied_to(Netem())
            wrong = links.complaint(netem)
            if wrong is not None:
                self.refuse(("links", index, wrong[0]), wrong[1])
            where = self.source.document.where(("links", index))
            pairs = self._pairs(index, model)
            for number, ends in enumerate(pairs, 1):
                name = model.name or "-".join(ends)
                if model.name is not None and pairs != [model.between]:
                    name = f"{model.name}{number}"
                names[name] += 1
                if names[name] > 1:
                    if model.name is not None:
                        self.refuse(("links", index, "name"), f'another link is called "{name}"')
                    name = f"{name}-{names[name]}"
                given = carried(self.topology, model, self.vlans) if self.vlans else (None, [])
                a, b = (self._port(end, name, ("links", index), model.ip, *given) for end in ends)
                found.append(Link(name, a, b, ends[0], ends[1], netem, where))
        for controller, bridge in control.implied(self.topology):
            name, keys = f"{controller}-{bridge}", ("nodes", bridge, "controller")
            a, b = (self._port(end, name, keys, {}) for end in (controller, bridge))
            found.append(Link(name, a, b, controller, bridge, Netem(), self.source.document.where(keys)))
        return found

    def _pairs(self, index: int, model: links.Link) -> list[tuple[str, str]]:
        """Return the ends of each link of an entry: one link, or one to each node of a group (``count:``)."""
        if not self._valid_ends(index, model):
            return []
        groups = self.topology.groups
        grouped = [end for end in model.between if end in groups]
        if len(grouped) > 1:
            self.refuse(
                ("links", index, "between"),
                f"{grouped[0]} and {grouped[1]} are both groups (count:), so it is unclear which nodes to connect; "
                f"name the nodes, such as [{groups[grouped[0]][0]}, {groups[grouped[1]][0]}]",
            )
            return []
        if grouped and model.ip:
            self.refuse(
                ("links", index, "ip"),
                f"is for a single link, but {grouped[0]} is a group (count:); write a link for each node, "
                f"such as [{groups[grouped[0]][0]}, …]",
            )
            return []
        return pairs(self.topology, model)

    def _valid_ends(self, index: int, model: links.Link) -> bool:
        valid = True
        known = [*self.topology.groups, *self.topology.nodes]
        for end, name in enumerate(model.between):
            node = self.topology.nodes.get(self.topology.groups.get(name, (name,))[0])
            if node is None:
                self.refuse(("links", index, "between", end), unknown("node", name, known, "known nodes"))
                valid = False
            elif not node.wired:
                self.refuse(
                    ("links", index, "between", end),
                    f"{name} has only a radio (kind: {node.kind}), no wired interface; remove this link",
                )
                valid = False
        if valid and model.between[0] == model.between[1]:
            self.refuse(("links", index, "between"), "connects a node to itself; name two different nodes")
            valid = False
        nodes = self.topology.nodes
        hosts = [name for name in model.between if name in nodes and nodes[name].addressed]
        tagged = [f"{name}.{vlan}" for name in hosts for vlan in model.vlans]
        for name in model.ip:
            if name not in (*model.between, *tagged):
                self.refuse(
                    ("links", index, "ip", name),
                    f"is not an end of this link; write {' or '.join(tagged or model.between)}",
                )
        groups = self.topology.groups
        bridged = valid and any(self.topology.nodes[groups.get(end, (end,))[0]].bridges for end in model.between)
        if valid and model.vlan is not None and not bridged:
            other = f"write vlans: {model.vlan} for interfaces that tag their frames, or remove this"
            self.refuse(("links", index, "vlan"), f"neither end is a switch or an access point; {other}")
        return valid

    def _port(
        self,
        name: str,
        link: str,
        keys: Keys,
        ips: Mapping[str, str],
        vlan: int | None = None,
        tagged: Sequence[int] = (),
    ) -> str:
        """Add the next wired interface to a node, and those for tagged frames; return its name."""
        node = self.topology.nodes[name]
        ports = self.interfaces[name]
        number = node.first_port + sum(port.parent is None for port in ports)
        if number > _PORTS_MAX:
            self.refuse(keys, f"{name} has more than {_PORTS_MAX} links")
        given = node.wired_mac if not ports else None
        mac = given or generated_mac(self.indexes[name], number & 0xFF)
        self.macs.claim(mac, name, ("nodes", name, "mac") if given else ("nodes", name), "MAC address")
        made = Interface(f"{name}-eth{number}", mac, link, None, vlan=vlan, vlans=[*tagged])
        if name in ips and node.addressed and not made.addressed:
            self.refuse((*keys, "ip", name), f"all frames are tagged there; write {name}.{tagged[0]} instead of {name}")
        else:
            made = replace(made, ip=self._link_ip(name, node, (*keys, "ip", name), ips.get(name)))
        ports.append(made)
        for one in tagged:
            if not isinstance(node, Switch):  # which needs no interfaces for tagged frames
                self._check_length(f"{made.name}.{one}", name, keys)
            if not node.bridges:
                own = self._link_ip(name, node, (*keys, "ip", f"{name}.{one}"), ips.get(f"{name}.{one}"))
                ports.append(Interface(f"{made.name}.{one}", mac, link, own, vlan=one, parent=made.name))
        return made.name

    def _check_length(self, interface: str, node: str, keys: Keys) -> None:
        if len(interface) > INTERFACE_LENGTH_MAX:
            most = len(node) - (len(interface) - INTERFACE_LENGTH_MAX)
            self.refuse((*keys, "vlans"), f"{node} would have an interface {interface}, and Linux allows "
                        f"{INTERFACE_LENGTH_MAX} characters; give it a name of at most {most}")  # fmt: skip

    def _link_ip(self, name: str, node: NodeModel, keys: Keys, text: str | None) -> str | None:
        if text is None:
            return None
        if not node.addressed:
            self.refuse(keys, f"{name} is a bridge (kind: {node.kind}), whose ports have no address; remove it")
        elif not self.interfaces[name] and node.radio_number is None:
            other = f"write ip: in nodes.{name} instead"
            if "ip" not in type(node).model_fields:
                other = f"it gets the next free address; remove this, or write another link of {name} before this one"
            self.refuse(keys, f"this is {name}'s first interface; {other}")
        else:
            return text if is_segmented(self.topology) else self.ips.claim(text, name, keys)
        return None

    def _memory_bytes(self, model: NodeModel) -> int:
        """Return the memory limit of a node: its own, or that of its image."""
        if model.memory is not None:
            return model.memory
        image = self.source.images.get(model.image or "")
        return image.file.memory if image else MEMORY_BYTES

    def _position(self, name: str, model: WithRadio) -> tuple[float, float, float] | None:
        """Return the coordinates of a node, which may have the name of a position."""
        named, known = model.position, self.topology.positions
        if not isinstance(named, str):
            return named
        if named not in known:
            self.refuse(("nodes", name, "position"), unknown_position(named, known))
        return known.get(named)

    def _node(self, name: str, model: NodeModel) -> Node:
        """Resolve one node; its IP address is assigned later unless given."""
        interfaces = self.interfaces[name]
        ip = model.given_ip
        if ip is not None and "/" not in ip:
            ip = f"{ip}/{self.ips.subnet.prefixlen}"
        position = self._position(name, model) if isinstance(model, WithRadio) else None
        docker = self.source.docker.get(model.image or "")
        return Node(
            name=name,
            kind=model.kind,
            roles=list(model.roles),
            ip=ip,
            memory_bytes=self._memory_bytes(model),
            image=docker.layers if docker else model.image,
            docker=docker.of(model) if docker else None,
            pids_max=model.pids,
            privileged=model.privileged,
            position_m=list(position) if position is not None else None,
            interfaces=interfaces,
            radio=self.radios.radio(name, model) if isinstance(model, WithRadio) else None,
            wlans=self._wlans(name, model) if isinstance(model, WithRadio) else [],
            index=self.indexes[name],
            source=self.source.document.where(("nodes", name)),
            vlan=(model.vlan or 0) if isinstance(model, OpenFlowBridge) and model.has_address else 0,
            sysctls=[
                Sysctl(key, value, self.source.document.where(("nodes", name, "sysctls", key)))
                for key, value in model.sysctls.items()
            ],
        )


def _with_ip(node: Node, made: str | None) -> Node:
    """Return the node with its address, which its first wired interface gets too if it has no radio."""
    ip = node.ip or made
    interfaces = node.interfaces
    if ip is not None and node.radio is None and interfaces:
        interfaces = [replace(interfaces[0], ip=ip), *interfaces[1:]]
    return replace(node, ip=ip, interfaces=interfaces)
