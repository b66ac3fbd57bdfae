# SPDX-License-Identifier: MIT
"""Kinds of nodes and events in the guest: ``lab/nodes/<kind>/guest.py`` and ``lab/events/<kind>/guest.py``.

Each has one class, found when a plan needs it (docs/extend/registry.md).
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import IntEnum
from typing import ClassVar, TypeVar

from lab.guest import commands
from lab.guest.errors import GuestError
from lab.guest.steps import RunCommand, Step
from lab.shared import registry, types

T = TypeVar("T")


class Phase(IntEnum):
    """When nodes of a kind start: all nodes of a phase, in the plan's order, before those of the next phase."""

    LISTEN = 0  # before any node sends
    CONTROL = 1  # what programs switches
    FORWARD = 2  # what other nodes are connected to
    SERVE = 3  # what other nodes join
    JOIN = 4


class NodeKind:
    """A kind of node in the guest; the defaults are for a node with wired links."""

    class_name: ClassVar[str] = "LabNode"  # Mininet's name for the class of such nodes
    lists: ClassVar[tuple[str, ...]] = ("hosts",)  # the attributes of Mininet's network that such nodes are in
    phase: ClassVar[Phase | None] = None  # None: there is nothing to start

    def lines(self, node: types.Node, phy: int | None) -> list[str]:
        """Return ``ip -batch`` lines for inside the container that bring its interfaces up."""
        return commands.radio_lines(node, phy) + commands.wired_lines(node)

    def further_lines(self, node: types.Node, phy: int | None) -> list[str]:
        """Return those for a radio of this kind that a node has after its first."""
        return commands.radio_lines(node, phy)

    def settings(self, node: types.Node, phy: int | None) -> Iterator[Step]:
        """Yield steps for settings beyond addresses: those of the radio that no daemon sets."""
        threshold_bytes = node.radio.settings.get("rts_threshold") if node.radio else None
        if threshold_bytes is not None:
            yield RunCommand(["iw", "phy", f"phy{phy}", "set", "rts", str(threshold_bytes)], node.home)

    def start(self, plan: types.Plan, node: types.Node) -> Iterator[Step]:
        """Start its daemons."""
        return iter(())

    def wait(self, plan: types.Plan, node: types.Node) -> Iterator[Step]:
        """Wait until it is up, once all nodes of its phase have been started."""
        return iter(())

    def lose_power(self, node: types.Node) -> Iterator[Step]:
        """Forget what a power cut takes away besides daemons, which are dead, and interfaces, which are down."""
        return iter(())


class EventSteps:
    """What the guest does at an event."""

    keeps_output: ClassVar[bool] = False  # in raw/KIND/NUMBER-TARGET.out

    def steps(self, plan: types.Plan, event: types.Event) -> Iterator[Step]:
        """Yield the steps of an event; raise GuestError if it cannot be done."""
        raise NotImplementedError


def node_kind(name: str) -> NodeKind:
    """Return the kind of that name."""
    return _made("nodes", name, NodeKind)


def keeps_output(kind: str) -> bool:
    """Check whether what events of that kind print is kept in a file."""
    return _made("events", kind, EventSteps).keeps_output


def event_steps(plan: types.Plan, event: types.Event) -> Iterator[Step]:
    """Return the steps of an event; raise GuestError if it cannot be done."""
    return _made("events", event.kind, EventSteps).steps(plan, event)


def _made(room: str, name: str, base: type[T]) -> T:
    module = registry.module(room, name)
    try:
        return registry.only(module, base)()
    except registry.RuleError as error:
        raise GuestError(f"{module.__file__} {error}") from None
