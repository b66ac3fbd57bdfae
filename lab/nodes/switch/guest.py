# SPDX-License-Identifier: MIT
"""An Open vSwitch in the guest: its daemons run in its own container."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from lab.guest import openflow
from lab.guest.commands import FOLLOW_IN_NODE
from lab.guest.kinds import NodeKind, Phase
from lab.guest.steps import Step, start_daemon
from lab.shared import types


class Switch(NodeKind):
    """A switch."""

    class_name: ClassVar[str] = "Switch"
    lists: ClassVar[tuple[str, ...]] = ("switches",)
    phase: ClassVar[Phase | None] = Phase.FORWARD

    def start(self, plan: types.Plan, node: types.Node) -> Iterator[Step]:
        """Start Open vSwitch and, unless OpenFlow programs it, the program that makes it follow stations that change
        access points (images/initrd/follow.c).
        """
        yield from openflow.start(node, openflow.ports(node))
        if node.openflow is None or not node.openflow.programmed:
            yield start_daemon(node.name, "follow", [FOLLOW_IN_NODE, "switch", openflow.CONTROL, node.name])
