# SPDX-License-Identifier: MIT
"""How tables and pictures show values and nodes."""

from __future__ import annotations

from collections.abc import Iterator

from lab import units
from lab.model.node import NODES
from lab.shared.types import Link, Netem, Plan


def position(position_m: list[float] | None) -> str:
    """Return a position, ``(1, 2, 3) m``; empty without one."""
    return f"({', '.join(f'{x:g}' for x in position_m)}) m" if position_m is not None else ""


def shape(netem: Netem) -> str:
    """Return what a link does to packets."""
    return ", ".join(_parts(netem)) or "no shaping"


def _parts(netem: Netem) -> Iterator[str]:
    if netem.rate_bps is not None:
        yield units.RATE.format(netem.rate_bps)
    if netem.delay_ns:
        jitter = f" ± {units.DURATION.format(netem.jitter_ns)}" if netem.jitter_ns else ""
        yield f"delay {units.DURATION.format(netem.delay_ns)}{jitter}"
    if netem.loss_percent:
        yield f"loss {units.PERCENT.format(netem.loss_percent)}"
    if netem.reorder_percent:
        yield f"reorder {units.PERCENT.format(netem.reorder_percent)}"
    if netem.limit_packets != Netem().limit_packets:
        yield f"limit {units.PACKETS.format(netem.limit_packets)}"


def vlans(plan: Plan, link: Link) -> str:
    """Return which VLANs a link carries; empty for one of untagged frames without VLAN."""
    end = next(one for one in plan.node(link.node_a).interfaces if one.name == link.a)
    if not end.vlans:
        return f"VLAN {end.vlan}" if end.vlan else ""
    untagged = {None: "", 0: ", untagged"}.get(end.vlan, f", {end.vlan} untagged")
    return f"trunk {', '.join(map(str, end.vlans))}{untagged}"


def noun(kind: str) -> str:
    """Return a kind of node in words: ``access point``."""
    return (NODES.get(kind).noun if kind in NODES.known() else "") or kind


def colours(plan: Plan) -> dict[str, int]:
    """Return the number of each node's colour in pictures (lab.drawing.palette): stations, access points, others."""
    names = sorted(plan.nodes, key=lambda node: (node.kind != "sta", node.kind != "ap"))
    return {node.name: number for number, node in enumerate(names)}
