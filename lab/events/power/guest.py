# SPDX-License-Identifier: MIT
"""Cuts the power of a node: its programs are killed, its interfaces go down. Later they start again."""

from __future__ import annotations

import signal
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from lab.guest.kinds import EventSteps, node_kind
from lab.guest.steps import UP_TIMEOUT_NS, Configure, Do, Step
from lab.shared import types

if TYPE_CHECKING:
    from lab.guest.live import LiveGuest


def _kill_daemons(node: str, names: Sequence[str]) -> Step:
    """Kill the daemons of a node, and wait for their end; the node may start them again. ``names``: of its radios."""

    def kill(guest: LiveGuest) -> None:
        tasks = [task for (owner, _), task in guest.daemons.items() if owner == node]
        for task in tasks:
            task.send(signal.SIGKILL)
        what = f"the daemons of {node} to end"
        guest.loop.wait_for(lambda: not any(task.alive for task in tasks), UP_TIMEOUT_NS, what, culprit=node)
        for name in names:
            if name in guest.controls:
                guest.controls[name].close()

    return Do(["# SIGKILL to its daemons"], kill, node)


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
            for one in node.radios():
                yield from node_kind(one.kind).start(plan, one)
            return
        own = [(one.name, one.radio) for one in node.radios() if one.radio]
        further = [bss.interface for _, radio in own for bss in radio.bss]  # interfaces that end with hostapd
        yield _kill_daemons(node.name, [*(name for name, _ in own), *further])
        radio = [radio.interface for _, radio in own]
        yield Configure(["ip", "-batch", "-"], node.name, [f"link set {name} down" for name in (*radio, *wired)])
        yield from node_kind(node.kind).lose_power(node)
