# SPDX-License-Identifier: MIT
"""Wired links: veth pairs between containers, shaped by tc/netem in each direction."""

from __future__ import annotations

from typing import Any

from mininet.link import Link as MininetLink

from lab.guest.commands import netem_words
from lab.guest.network.nodes import LabIntf, LabNode
from lab.shared import types


class WiredLink(MininetLink):
    """Mininet's Link over interfaces that exist already."""

    def __init__(self, spec: types.Link, node_a: LabNode, node_b: LabNode) -> None:
        self.spec = spec
        self.intf1: LabIntf = node_a.nameToIntf[spec.a]
        self.intf2: LabIntf = node_b.nameToIntf[spec.b]
        self.intf1.link = self.intf2.link = self


def describe(link: Any) -> str:
    """The link as ``links`` in the shell shows it."""
    words = netem_words(link.spec.netem)
    return f"{link.intf1}<->{link.intf2} {' '.join(words[1:]) if words else 'unshaped'}"
