# SPDX-License-Identifier: MIT
"""A monitor in the guest: its radio listens, and no daemon runs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from lab.guest import commands
from lab.guest.kinds import NodeKind, Phase
from lab.guest.steps import Configure, Step
from lab.shared import types


class Monitor(NodeKind):
    """A radio that only listens."""

    class_name: ClassVar[str] = "Monitor"
    lists: ClassVar[tuple[str, ...]] = ()  # Mininet has no such nodes, and they have no address
    phase: ClassVar[Phase | None] = Phase.LISTEN

    def lines(self, node: types.Node, phy: int | None) -> list[str]:
        """Leave the radio's interface down until it is in monitor mode."""
        return ["link set lo up", *commands.radio_lines(node, phy)]

    def start(self, plan: types.Plan, node: types.Node) -> Iterator[Step]:
        """Switch the radio to monitor mode; the regulatory domain is already set."""
        if node.radio is None:
            return
        name = node.radio.interface
        width = f"HT40{node.radio.ht40_secondary}" if node.radio.ht40_secondary else "HT20"
        yield Configure(["iw", "dev", name, "set", "type", "monitor"], node.home)
        yield Configure(["ip", "link", "set", name, "up"], node.home)
        yield Configure(["iw", "dev", name, "set", "freq", str(node.radio.frequency_mhz), width], node.home)
