# SPDX-License-Identifier: MIT
"""Checks of the bridged network: no loops, a wired path between access points that exchange keys, and its VLANs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lab.errors import warn
from lab.model.openflow import OpenFlowBridge
from lab.model.topology import Topology
from lab.plan.network.wires import Wires, carried, pairs, vlans
from lab.plan.problems import Problems, ValidatedFile
from lab.shared.types import Interface, Node


def check(source: ValidatedFile[Topology], interfaces: Mapping[str, list[Interface]], problems: Problems) -> None:
    """Report loops of bridges, access points that cannot exchange keys, and VLANs that lead nowhere."""
    wires = Wires(source.model)
    known = vlans(source.model)
    loops = []
    for index, model in enumerate(source.model.links):
        bridged = [(a, b) for a, b in pairs(source.model, model) if wires.are_bridges(a, b)]
        untagged, tagged = carried(source.model, model, known) if bridged else (None, [])
        closed = [
            (index, a, b, one)
            for a, b in bridged
            for one in (untagged, *tagged)
            if one is not None and wires.connect(a, b, one, untagged=one == untagged)
        ]
        loops += closed[:1]
    for index, a, b, vlan in loops:  # frames would loop forever without a spanning tree
        without = [
            name
            for name, node in source.model.nodes.items()
            if node.bridges and wires.of(name, vlan) == wires.of(a, vlan) and not getattr(node, "stp", False)
        ]
        if without:
            problems.add(
                source,
                ("links", index),
                f"closes a loop: {a} and {b} are already connected{f' in VLAN {vlan}' if vlan else ''}, and "
                f"{without[0]} runs no spanning tree protocol; remove one link, or write stp: true at all of these",
            )
    _check_keys(source, wires, problems)
    if known:
        _check_vlans(source, interfaces, problems)


def check_channels(nodes: Sequence[Node]) -> None:
    """Warn of radios of an access point on one channel, which is allowed, but rarely meant."""
    for node in nodes:
        first: dict[int | None, str] = {}
        for radio in (one.radio for one in node.radios() if one.kind == "ap" and one.radio):
            other = first.setdefault(radio.frequency_mhz, radio.interface)
            if other != radio.interface:
                warn(
                    f"{other} and {radio.interface} share the air time of channel {radio.channel}; if that is not what "
                    "you want, write another channel:, or bss: for a further network of one radio",
                    node.source,
                )


def _check_keys(source: ValidatedFile[Topology], wires: Wires, problems: Problems) -> None:
    """Check that access points can pass each other the keys of a fast transition over the wired network.

    With a passphrase of WPA2, each computes them.
    """
    first: dict[tuple[str, str], tuple[str, int]] = {}
    for name, node in source.model.nodes.items():
        for cell in node.cells:
            if cell.mobility_domain is None or cell.encrypt == "wpa2":
                continue
            other = first.setdefault((cell.ssid, cell.mobility_domain), (name, cell.vlan))
            if wires.of(*other) == wires.of(name, cell.vlan):
                continue
            problems.add(
                source,
                ("nodes", name, "fast_transition"),
                f"with {cell.encrypt}, access points exchange keys over the wired network, but {other[0]} and {name} "
                "are not connected; link both to a switch, or write another mobility_domain: or encrypt: wpa2",
            )


def _check_vlans(
    source: ValidatedFile[Topology], interfaces: Mapping[str, list[Interface]], problems: Problems
) -> None:
    """Report VLANs at a bridge whose controller would ignore them; warn of a network whose VLAN no link carries."""
    at_links = {
        end
        for link in source.model.links
        if link.vlan or link.vlans
        for ends in pairs(source.model, link)
        for end in ends
    }
    for name, node in source.model.nodes.items():
        own = [cell.vlan for cell in node.cells if cell.vlan]
        if node.uplinks and (own or name in at_links):
            at = "its networks" if own else "its links"
            problems.add(
                source, ("nodes", name, "wlans"),
                f"a repeater carries no VLANs; remove the radio of kind: sta, or vlan: and vlans: at {at}",
            )  # fmt: skip
        if isinstance(node, OpenFlowBridge) and node.controller is not None and (own or name in at_links):
            problems.add(
                source,
                ("nodes", name, "controller"),
                f"the flows of {node.controller} send frames from one VLAN to another; remove this, or vlan: and "
                f"vlans: at {name}",
            )
        carried_there = [vlan for one in interfaces[name] for vlan in one.carries()]
        for vlan in dict.fromkeys(cell.vlan for cell in node.cells) if carried_there else ():
            if vlan not in carried_there:
                what, write = f"VLAN {vlan}", f"vlan: {vlan} or vlans: [{vlan}] in a link"
                if not vlan:
                    what, write = "untagged frames", f"vlan: {carried_there[0]} at {name}, too"
                warn(
                    f"no link of {name} carries {what}, so its stations reach only each other; write {write}",
                    source.document.where(("nodes", name, "vlan" if vlan else "ssid")),
                )
