# SPDX-License-Identifier: MIT
"""References to nodes in texts: ``{server.ip}``, ``{client[2].name}``, ``{self.interface}``.

Only a name, a dot and a word in braces form a reference, so ``%{http_code}`` and the braces of configuration files stay
unchanged; ``{{server.ip}}`` gives the text ``{server.ip}``. An IPv6 address is in brackets in a URL and before a port.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from lab.errors import suggestion
from lab.plan.problems import Refuse
from lab.shared.types import WAYS, Node, radios

_NAME = r"[A-Za-z_][A-Za-z0-9_-]*"
_REFERENCE = re.compile(rf"\{{(?P<name>{_NAME})(?:\[(?P<number>\d{{1,6}})\])?\.(?P<what>{_NAME})\}}")
_QUOTED = re.compile(rf"\{{(\{{{_NAME}(?:\[\d+\])?\.{_NAME}\}})\}}")


def _mac(node: Node) -> str | None:
    if node.radio is not None:
        return node.radio.mac
    return node.interfaces[0].mac if node.interfaces else None


_WHAT: dict[str, Callable[[Node], str | None]] = {
    "ip": lambda node: node.ip.split("/")[0] if node.ip else None,
    "ip6": lambda node: node.ip6.split("/")[0] if node.ip6 else None,
    "name": lambda node: node.name,
    "mac": _mac,
    "interface": lambda node: node.first_interface,
}


def _without(node: Node, what: str) -> str:
    """Explain why a node lacks something."""
    for way in node.addressing.asks.get(node.first_interface or "", ()) if node.addressing else ():
        if (what, way) in (("ip", "dhcp"), ("ip6", "dhcp6"), ("ip6", "slaac")):
            known = f"; write {node.name}, its name, which DNS knows" if way == "dhcp" else ""
            return f"{node.name} gets its address during the run, by {WAYS[way]}{known}"
    return f"{node.name} has no {what}"


@dataclass(frozen=True)
class Names:
    """Names allowed in references: roles of the workload, then groups, nodes, roles and kinds of the topology."""

    roles: dict[str, list[Node]]
    nodes: dict[str, Node]
    groups: dict[str, list[Node]] = field(default_factory=dict)  # those written with count:
    offered: dict[str, list[Node]] = field(default_factory=dict)  # roles that the topology names, and kinds
    ipv6: bool = False  # whether ``ip`` is the IPv6 address

    def nodes_of(self, name: str) -> list[Node] | None:
        """Return the nodes of a role, group or kind, or the node of that name, or with the radio of that name."""
        single = {name: [self.nodes[name]]} if name in self.nodes else {}
        sources = (self.roles, self.groups, single, self.offered)
        found = next((source[name] for source in sources if name in source), None)
        return found or [one for one in radios(self.nodes.values()) if one.name == name] or found

    def network(self, name: str) -> list[Node]:
        """Return the network of an access point after the first one of its radio that has that interface, as a node."""
        return [one for node in self.nodes.values() for one in node.further_networks() if one.name == name]

    def known(self) -> list[str]:
        """Return roles, groups and nodes."""
        return list(dict.fromkeys([*self.roles, *self.groups, *self.nodes]))

    def suggestion(self, name: str) -> str:
        """Return what may be meant by an unknown name: rather a node than a kind."""
        return suggestion(name, self.known()) or suggestion(name, self.offered)

    def fill(self, text: str, self_node: Node, refuse: Refuse) -> str:
        """Replace the references in ``text`` by their values for ``self_node``."""
        pieces = _QUOTED.split(text)
        for index, piece in enumerate(pieces):
            if index % 2 == 0:
                pieces[index] = _REFERENCE.sub(lambda match: self._meaning(match, self_node, refuse), piece)
        return "".join(pieces)

    def _meaning(self, match: re.Match[str], self_node: Node, refuse: Refuse) -> str:
        """Return the value of a reference; report an invalid one and return it unchanged."""
        name, number, what = match["name"], match["number"], match["what"]
        nodes = [self_node] if name == "self" else self.nodes_of(name)
        if nodes is None:
            known = ["self", *self.known()]
            meant = suggestion(name, known) or self.suggestion(name)
            refuse(f"{match[0]}: unknown role or node {name}{meant}; known: {', '.join(known)}")
            return match[0]
        if what not in _WHAT:
            refuse(f"{match[0]}: a node has no {what}{suggestion(what, _WHAT)}; known: {', '.join(_WHAT)}")
            return match[0]
        if not nodes:
            refuse(f"{match[0]}: no node of this topology has the role {name}")
            return match[0]
        if number is None and len(nodes) != 1:
            refuse(f"{match[0]}: {name} stands for {len(nodes)} nodes; write {{{name}[1].{what}}} for the first")
            return match[0]
        index = int(number) if number is not None else 1
        if not 1 <= index <= len(nodes):
            refuse(f"{match[0]}: {name} stands for {len(nodes)} nodes; write a number from 1 to {len(nodes)}")
            return match[0]
        what = "ip6" if what == "ip" and self.ipv6 else what
        value = _WHAT[what](nodes[index - 1])
        if value is None:
            refuse(f"{match[0]}: {_without(nodes[index - 1], what)}")
            return match[0]
        beside = match.string[: match.start()].endswith("//") or re.match(r":[\d{]", match.string[match.end() :])
        return f"[{value}]" if what == "ip6" and beside else value
