# SPDX-License-Identifier: MIT
"""Cuts the power of an access point: its programs are killed, its interfaces go down. Later they start again."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from lab.guest.kinds import EventSteps, node_kind
from lab.guest.steps import UP_TIMEOUT_NS, Configure, Step
from lab.shared import types

if TYPE_CHECKING:
    from lab.guest.live import LiveGuest


class KillDaemons(NamedTuple):
    """Kill the daemons of a node."""

    node: str

    def describe(self) -> Iterator[str]:
        yield "# SIGKILL to its daemons"

    def execute(self, guest: LiveGuest) -> None:
        """Kill them, and wait for their end; the node may start them again."""
        tasks = [task for (owner, _), task in guest.daemons.items() if owner == self.node]
        for task in tasks:
            task.send(signal.SIGKILL)
        what = f"the daemons of {self.node} to end"
        guest.loop.wait_for(lambda: not any(task.alive for task in tasks), UP_TIMEOUT_NS, what, culprit=self.node)
        if self.node in guest.controls:
            guest.controls[self.node].close()


class Power(EventSteps):
    """The event ``power``."""

    def steps(self, plan: types.Plan, event: types.Event) -> Iterator[Step]:
        """Kill everything and take all interfaces down, or the reverse.

        hostapd must die first: it would send deauthentication frames. The kernel sends none when an interface goes
        down.
        """
        node = plan.node(event.target)
        wired = [interface.name for interface in node.interfaces]
        if event.params["on"]:
            if wired:
                yield Configure(["ip", "-batch", "-"], node.name, [f"link set {name} up" for name in wired])
            yield from node_kind(node.kind).start(plan, node)
            return
        yield KillDaemons(node.name)
        radio = [node.radio.interface] if node.radio else []
        yield Configure(["ip", "-batch", "-"], node.name, [f"link set {name} down" for name in (*radio, *wired)])
