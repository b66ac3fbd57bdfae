# SPDX-License-Identifier: MIT
"""Nodes and links of a topology, resolved."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace

from lab.errors import near
from lab.model import channels, links, rates
from lab.model.nodes import ap, sta
from lab.model.nodes.base import Node as NodeModel
from lab.model.nodes.base import Wireless
from lab.model.topology import Topology
from lab.plan.addresses import Ips, Macs, made_mac
from lab.plan.problems import Problems, Source
from lab.plan.types import Interface, Link, Netem, Node, Radio

_PORTS_MAX = 250  # the last byte of a MAC address counts them


@dataclass
class Network:
    """Nodes and links, in order of listing."""

    nodes: list[Node]
    links: list[Link]
    source: Source[Topology] = field(repr=False)

    def find(self, name: str) -> Node | None:
        """The node of that name."""
        return next((node for node in self.nodes if node.name == name), None)


def network(source: Source[Topology], problems: Problems) -> Network:
    """Give everything in a topology its address, name and defaults."""
    return _Builder(source, problems).build()


class _Builder:
    """Holds what the steps share: numbers, addresses, ports."""

    def __init__(self, source: Source[Topology], problems: Problems) -> None:
        self.source = source
        self.problems = problems
        self.topology = source.model
        self.indexes = {name: index for index, name in enumerate(self.topology.nodes, 1)}
        self.macs = Macs(source, problems)
        self.ips = Ips(source, problems)
        self.interfaces: dict[str, list[Interface]] = {name: [] for name in self.topology.nodes}

    def build(self) -> Network:
        for name, model in self.topology.nodes.items():
            self._claim_given(name, model)
        resolved_links = self._links()
        self._refuse_loops()
        nodes = [self._node(name, model) for name, model in self.topology.nodes.items()]
        addressed = self.ips.fill([node.name for node in nodes if node.ip is None and self._addressed(node)])
        nodes = [_with_ip(node, addressed.get(node.name)) for node in nodes]
        return Network(nodes, resolved_links, self.source)

    def _addressed(self, node: Node) -> bool:
        return self.topology.nodes[node.name].addressed

    def _claim_given(self, name: str, model: NodeModel) -> None:
        """Given addresses come first, so that made ones avoid them or are blamed on them."""
        if model.given_ip is not None:
            self.ips.claim(model.given_ip, name, ("nodes", name, "ip"))

    def _links(self) -> list[Link]:
        """The links between nodes that exist."""
        names = Counter[str]()
        found = []
        for index, model in enumerate(self.topology.links):
            ends = self._ends(index, model)
            if ends is None:
                continue
            name = model.name or "-".join(model.between)
            names[name] += 1
            if names[name] > 1:
                if model.name is not None:
                    self.problems.add(self.source, ("links", index, "name"), f'two links are called "{name}"')
                name = f"{name}-{names[name]}"
            netem = model.applied_to(Netem())
            wrong = links.complaint(netem)
            if wrong is not None:
                self.problems.add(self.source, ("links", index, wrong[0]), wrong[1])
            a, b = (self._port(end, name, index, model) for end in ends)
            where = self.source.document.where(("links", index))
            found.append(Link(name, a, b, ends[0], ends[1], netem, where))
        return found

    def _ends(self, index: int, model: links.Link) -> tuple[str, str] | None:
        """Both ends, if they are nodes and two."""
        fine = True
        for end, name in enumerate(model.between):
            if name not in self.topology.nodes:
                known = ", ".join(self.topology.nodes)
                self.problems.add(
                    self.source,
                    ("links", index, "between", end),
                    f'there is no node "{name}"{near(name, self.topology.nodes)}; known nodes: {known}',
                )
                fine = False
        if fine and model.between[0] == model.between[1]:
            self.problems.add(self.source, ("links", index, "between"), "both ends are the same node")
            fine = False
        for name in model.ip:
            if name not in model.between:
                self.problems.add(
                    self.source,
                    ("links", index, "ip", name),
                    f"is no end of this link; {' and '.join(model.between)} are",
                )
        return model.between if fine else None

    def _port(self, name: str, link: str, index: int, model: links.Link) -> str:
        """Add the next wired interface to a node; returns its name."""
        node = self.topology.nodes[name]
        ports = self.interfaces[name]
        number = node.first_port + len(ports)
        if number > _PORTS_MAX:
            self.problems.add(self.source, ("links", index), f"{name} has more than {_PORTS_MAX} links")
        given = node.wired_mac if not ports else None
        mac = given or made_mac(self.indexes[name], number & 0xFF)
        self.macs.claim(mac, name, ("nodes", name, "mac") if given else ("nodes", name), "MAC address")
        ip = self._link_ip(name, node, index, model)
        ports.append(Interface(f"{name}-eth{number}", mac, link, ip))
        return ports[-1].name

    def _link_ip(self, name: str, node: NodeModel, index: int, model: links.Link) -> str | None:
        """The address that a link gives to one of its ends."""
        keys = ("links", index, "ip", name)
        text = model.ip.get(name)
        if text is None:
            return None
        if not node.addressed:
            self.problems.add(self.source, keys, f"{name} is a bridge (kind: {node.kind}); its ports have no address")
        elif not self.interfaces[name] and node.radio_number is None:
            self.problems.add(self.source, keys, f"this is {name}'s first interface; write ip: in nodes.{name} instead")
        else:
            return self.ips.claim(text, name, keys)
        return None

    def _refuse_loops(self) -> None:
        """Frames would circle for ever in a loop of bridges, since there is no spanning tree."""
        group = {name: name for name, node in self.topology.nodes.items() if node.bridges}

        def root(name: str) -> str:
            while group[name] != name:
                name = group[name]
            return name

        for index, model in enumerate(self.topology.links):
            a, b = model.between
            if a not in group or b not in group or a == b:
                continue
            if root(a) == root(b):
                self.problems.add(
                    self.source,
                    ("links", index),
                    f"closes a loop: {a} and {b} are connected already, and switches have no spanning tree; "
                    "leave one link out",
                )
            group[root(a)] = root(b)

    def _node(self, name: str, model: NodeModel) -> Node:
        """One node; its IP address still open unless given."""
        interfaces = self.interfaces[name]
        ip = model.given_ip
        if ip is not None and "/" not in ip:
            ip = f"{ip}/{self.ips.subnet.prefixlen}"
        position = model.position if isinstance(model, Wireless) else None
        return Node(
            name=name,
            kind=model.kind,
            roles=list(model.roles),
            ip=ip,
            memory_bytes=model.memory,
            pids_max=model.pids,
            position_m=list(position) if position is not None else None,
            interfaces=interfaces,
            radio=self._radio(name, model) if isinstance(model, Wireless) else None,
            index=self.indexes[name],
            source=self.source.document.where(("nodes", name)),
        )

    def _radio(self, name: str, model: Wireless) -> Radio:
        """The radio of an access point or station."""
        given = model.radio_mac
        mac = given or made_mac(self.indexes[name], None)
        access_point = isinstance(model, ap.AccessPoint)
        key, what = ("bssid", "BSSID") if access_point else ("mac", "MAC address")
        self.macs.claim(mac, name, ("nodes", name, key) if given else ("nodes", name), what)
        if isinstance(model, ap.AccessPoint):
            radio = self._access_point(name, model, mac)
        else:
            radio = self._station(name, model, mac)
        if model.rate is not None:
            self._check_rate(name, model.rate, radio)
        return replace(radio, txpower_dbm=model.txpower, antenna_gain_dbi=model.antenna_gain, rate=model.rate)

    def _check_rate(self, name: str, rate: str, radio: Radio) -> None:
        """Complain about a fixed rate that its network does not have, or that nothing would heed."""
        keys = ("nodes", name, "rate")
        if self.topology.medium is None:
            self.problems.add(
                self.source,
                keys,
                "the perfect medium has no rates; write medium: {} in the topology, or leave this out",
            )
        modes = [cell.mode for cell in self._cells(radio.ssid)]
        wrong = next((mode for mode in modes if rate not in rates.MODES[mode]), None)
        if wrong is not None:
            self.problems.add(
                self.source, keys, f"mode {wrong} of {radio.ssid} has no {rate}; it has {rates.listed(wrong)}"
            )

    def _cells(self, ssid: str) -> list[ap.AccessPoint]:
        """The access points of a network."""
        nodes = self.topology.nodes.values()
        return [node for node in nodes if isinstance(node, ap.AccessPoint) and node.ssid == ssid]

    def _access_point(self, name: str, model: ap.AccessPoint, mac: str) -> Radio:
        country = self.topology.country
        wrong = channels.complaint(model.channel, model.mode, country)
        if wrong is not None:
            self.problems.add(self.source, ("nodes", name, "channel"), wrong)
        elif model.width == "40 MHz" and channels.second_half(model.channel) is None:
            message = f"channel {model.channel} has no room for 40 MHz; choose another channel, or write width: 20 MHz"
            self.problems.add(self.source, ("nodes", name, "width"), message)
        return Radio(
            interface=f"{name}-wlan{model.radio_number}",
            mac=mac,
            ssid=model.ssid,
            mode=model.mode,
            channel=model.channel,
            frequency_mhz=channels.frequency_mhz(model.channel),
            scan_mhz=[],
            country=country,
            encrypt=model.encrypt or "open",
            passwd=model.passwd,
            width_mhz=_width_mhz(model),
            second_half=channels.second_half(model.channel) if _width_mhz(model) == 40 else None,
            short_gi=model.guard_interval == "short",
            wmm=bool(model.wmm) and model.mode != "n",
            mobility_domain=_mobility_domain(model),
        )

    def _station(self, name: str, model: Wireless, mac: str) -> Radio:
        """A station takes from its network what it does not say itself."""
        ssid = self._ssid(name, model)
        cells = self._cells(ssid)
        first = cells[0] if cells else None
        encrypt, passwd = model.encrypt, model.passwd
        if encrypt is None and first is not None:
            encrypt, passwd = first.encrypt, first.passwd
        return Radio(
            interface=f"{name}-wlan{model.radio_number}",
            mac=mac,
            ssid=ssid,
            mode=first.mode if first is not None else "g",
            channel=None,
            frequency_mhz=None,
            scan_mhz=sorted({channels.frequency_mhz(cell.channel) for cell in cells}),
            country=self.topology.country,
            encrypt=encrypt or "open",
            passwd=passwd,
            # what it may send with wherever it is in its network
            width_mhz=min(map(_width_mhz, cells), default=20),
            short_gi=bool(cells) and all(cell.guard_interval == "short" for cell in cells),
            mobility_domain=next(filter(None, map(_mobility_domain, cells)), None),
        )

    def _ssid(self, name: str, model: Wireless) -> str:
        """The network a station joins: said, or the only one there is."""
        known = list(
            dict.fromkeys(node.ssid for node in self.topology.nodes.values() if isinstance(node, ap.AccessPoint))
        )
        said = model.ssid if isinstance(model, sta.Station) else None
        keys = ("nodes", name, "ssid")
        if said is None and len(known) == 1:
            return known[0]
        if said is None:
            there = f"there are several networks: {', '.join(known)}" if known else "there is no access point"
            self.problems.add(self.source, keys, f"which network {name} joins is open: {there}; write ssid:")
            return ""
        if said not in known:
            listed = ", ".join(known) or "none"
            self.problems.add(self.source, keys, f'no access point serves "{said}"{near(said, known)}; known: {listed}')
        return said


def _width_mhz(model: ap.AccessPoint) -> int:
    return int(model.width.split()[0])


def _mobility_domain(model: ap.AccessPoint) -> str | None:
    return (model.mobility_domain or ap.DEFAULT_MOBILITY_DOMAIN) if model.fast_transition else None


def _with_ip(node: Node, made: str | None) -> Node:
    """The node with its address, which is also that of its first wired interface where it has no radio."""
    ip = node.ip or made
    interfaces = node.interfaces
    if ip is not None and node.radio is None and interfaces:
        interfaces = [replace(interfaces[0], ip=ip), *interfaces[1:]]
    return replace(node, ip=ip, interfaces=interfaces)
