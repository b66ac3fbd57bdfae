# SPDX-License-Identifier: MIT
"""Kinds of nodes and events in the guest: the guest.py of their folders, loaded when a plan needs it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import IntEnum
from functools import cache
from typing import ClassVar

from lab.guest import commands
from lab.guest.steps import Run, Step
from lab.shared import types
from lab.shared.kinds import EVENTS, NODES, part


class Phase(IntEnum):
    """When nodes of a kind start: all nodes of a phase, in the plan's order, before those of the next phase."""

    LISTEN = 0  # before any node sends
    FORWARD = 1  # what other nodes are connected to
    SERVE = 2  # what other nodes join
    JOIN = 3


class NodeKind:
    """A kind of node in the guest; the defaults are for a node with wired links.

    lab/nodes/<kind>/guest.py has an instance of it, ``KIND``.
    """

    class_name: ClassVar[str] = "LabNode"  # Mininet's name for the class of such nodes
    lists: ClassVar[tuple[str, ...]] = ("hosts",)  # the attributes of Mininet's network that such nodes are in
    phase: ClassVar[Phase | None] = None  # None: there is nothing to start

    def lines(self, node: types.Node, phy: int | None) -> list[str]:
        """``ip -batch`` lines inside the container that bring its interfaces up."""
        return commands.radio_lines(node, phy) + commands.wired_lines(node)

    def settings(self, node: types.Node, phy: int | None) -> Iterator[Step]:
        """Settings beyond addresses: those of the radio that no daemon sets."""
        threshold_bytes = node.radio.settings.get("rts_threshold") if node.radio else None
        if threshold_bytes is not None:
            yield Run(["iw", "phy", f"phy{phy}", "set", "rts", str(threshold_bytes)], node.name)

    def start(self, plan: types.Plan, node: types.Node) -> Iterator[Step]:
        """Start its daemons."""
        return iter(())

    def wait(self, plan: types.Plan, node: types.Node) -> Iterator[Step]:
        """Wait until it is up, once all nodes of its phase have been started."""
        return iter(())


@cache
def node_kind(name: str) -> NodeKind:
    """The kind of that name."""
    kind: NodeKind = part(NODES, name, "guest").KIND
    return kind


def event_steps(plan: types.Plan, event: types.Event) -> Iterable[Step]:
    """The steps of an event.

    Raises:
        GuestError: it cannot be done.
    """
    found: Iterable[Step] = part(EVENTS, event.kind, "guest").steps(plan, event)
    return found
