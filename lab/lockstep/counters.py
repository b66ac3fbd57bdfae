# SPDX-License-Identifier: MIT
"""The counters of the medium at one moment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lab.errors import suggestion
from lab.lockstep.errors import CallError

__tracebackhide__ = True  # pytest shows the line of the caller


@dataclass(frozen=True)
class Counters:
    """What happened on the medium since the guest's start, at ``at_s`` of the timeline.

    ``links``: frames ``from`` one node ``to`` another, by what became of them (``sent``, ``retries``, …). ``radios``:
    attempts of each ``node`` by access category. ``channels``: use of air time of each ``frequency_mhz``, in ns.
    docs/reference/files.md and docs/model.md describe what is counted.
    """

    at_s: float
    links: list[dict[str, Any]]
    radios: list[dict[str, Any]]
    channels: list[dict[str, Any]]

    def link(self, sender: str, receiver: str) -> Mapping[str, Any]:
        """Return the frames from one node to another: ``net.counters().link("sta1", "ap1")["sent"]``.

        Raises:
            CallError: If nothing has been sent there; lists the links that have frames.
        """
        by_ends = {(link["from"], link["to"]): link for link in self.links}
        if (sender, receiver) not in by_ends:
            known = ", ".join(f"{one} to {other}" for one, other in by_ends) or "none"
            raise CallError(f"no frame went from {sender} to {receiver}; links with frames: {known}")
        return by_ends[sender, receiver]

    def radio(self, node: str) -> Mapping[str, Any]:
        """Return the attempts of a node's radio, by access category (``vo``, ``vi``, ``be``, ``bk``).

        Raises:
            CallError: If it has no radio; lists those that have one.
        """
        by_node = {radio["node"]: radio for radio in self.radios}
        if node not in by_node:
            raise CallError(
                f"{node} has no radio on the medium{suggestion(node, by_node)}; radios: {', '.join(by_node)}"
            )
        return by_node[node]
