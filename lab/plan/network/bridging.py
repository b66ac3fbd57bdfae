# SPDX-License-Identifier: MIT
"""Checks of the bridged network: no loops, and a wired path between access points that exchange keys."""

from __future__ import annotations

from lab.model.topology import Topology
from lab.plan.network.wires import Wires
from lab.plan.problems import Problems, ValidatedFile


def check(source: ValidatedFile[Topology], problems: Problems) -> None:
    """Report loops of bridges, and access points that cannot exchange keys."""
    wires = Wires(source.model)
    loops = []
    for index, model in enumerate(source.model.links):
        a, b = model.between
        if wires.connect(a, b):
            loops.append((index, a, b))
    for index, a, b in loops:  # frames would loop forever without a spanning tree
        without = [
            name
            for name, node in source.model.nodes.items()
            if node.bridges and wires.of(name) == wires.of(a) and not getattr(node, "stp", False)
        ]
        if without:
            problems.add(
                source,
                ("links", index),
                f"closes a loop: {a} and {b} are already connected, and {without[0]} runs no spanning tree protocol; "
                "remove one link, or write stp: true at all switches",
            )
    _check_keys(source, wires, problems)


def _check_keys(source: ValidatedFile[Topology], wires: Wires, problems: Problems) -> None:
    """Check that access points can pass each other the keys of a fast transition over the wired network.

    With a passphrase of WPA2, each computes them.
    """
    first: dict[tuple[str, str], str] = {}
    for name, node in source.model.nodes.items():
        cell = node.cell
        if cell is None or cell.mobility_domain is None or cell.encrypt == "wpa2":
            continue
        other = first.setdefault((cell.ssid, cell.mobility_domain), name)
        if wires.of(other) != wires.of(name):
            problems.add(
                source,
                ("nodes", name, "fast_transition"),
                f"with {cell.encrypt}, access points exchange keys over the wired network, but {other} and {name} are "
                "not connected; link both to a switch, or write another mobility_domain: or encrypt: wpa2",
            )
