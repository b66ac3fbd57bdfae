# SPDX-License-Identifier: MIT
"""Wired links: veth pairs between containers, shaped by tc/netem in each direction."""

from __future__ import annotations

from typing import Any

from mininet.link import Link as MininetLink

from lab.guest.nodes import LabIntf, LabNode
from lab.guest.tasks import run
from lab.plan import types


class WiredLink(MininetLink):
    """Mininet's Link over interfaces that exist already."""

    def __init__(self, spec: types.Link, node_a: LabNode, node_b: LabNode) -> None:
        self.spec = spec
        self.intf1: LabIntf = node_a.nameToIntf[spec.a]
        self.intf2: LabIntf = node_b.nameToIntf[spec.b]
        self.intf1.link = self.intf2.link = self

    def ends(self) -> list[LabIntf]:
        """Both interfaces."""
        return [self.intf1, self.intf2]

    def set_up(self, up: bool) -> None:
        """Plug or unplug: both ends lose or regain their carrier."""
        for end in self.ends():
            end.node.container.run("ip", "link", "set", end.name, "up" if up else "down")

    def set_netem(self, netem: types.Netem) -> None:
        """Shape both directions anew."""
        for end in self.ends():
            words = netem_words(netem)
            verb = ["replace", "dev", end.name, "root", *words] if words else ["delete", "dev", end.name, "root"]
            end.node.container.run("tc", "qdisc", *verb)


def netem_words(netem: types.Netem) -> list[str]:
    """Arguments of ``tc qdisc … root``; empty when there is nothing to emulate.

    Reordering in netem means: this share of packets skips the delay, so it needs one.
    """
    words: list[str] = []
    if netem.delay_ns or netem.jitter_ns:
        words += ["delay", f"{netem.delay_ns}ns"]
        if netem.jitter_ns:
            words += [f"{netem.jitter_ns}ns"]
    if netem.reorder_percent:
        words += ["reorder", f"{netem.reorder_percent:.12g}%"]
    if netem.loss_percent:
        words += ["loss", f"{netem.loss_percent:.12g}%"]
    if netem.rate_bps:
        words += ["rate", f"{netem.rate_bps}bit"]
    return ["netem", *words, "limit", str(netem.limit_packets)] if words else []


def create_pairs(links: list[types.Link], nodes: dict[str, LabNode], macs: dict[str, str]) -> None:
    """Make all veth pairs at once, each end born in its container."""
    lines = [
        f"link add name {link.a} address {macs[link.a]} netns {nodes[link.node_a].pid} "
        f"type veth peer name {link.b} address {macs[link.b]} netns {nodes[link.node_b].pid}"
        for link in links
    ]
    if lines:
        run(["ip", "-batch", "-"], "\n".join(lines) + "\n")


def shaping_commands(node: str, links: list[types.Link]) -> list[str]:
    """Lines for ``tc -batch`` inside that node's container."""
    lines = []
    for link in links:
        words = netem_words(link.netem)
        for owner, interface in ((link.node_a, link.a), (link.node_b, link.b)):
            if owner == node and words:
                lines.append(f"qdisc add dev {interface} root {' '.join(words)}")
    return lines


def describe(link: Any) -> str:
    """How ``links`` in the shell shows it."""
    words = netem_words(link.spec.netem)
    return f"{link.intf1}<->{link.intf2} {' '.join(words[1:]) if words else 'unshaped'}"
