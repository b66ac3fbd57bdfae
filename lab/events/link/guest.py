# SPDX-License-Identifier: MIT
"""Takes a wired link down or up: both ends lose or regain their carrier."""

from __future__ import annotations

from collections.abc import Iterator

from lab.guest.kinds import EventSteps
from lab.guest.steps import Configure, Step
from lab.shared import types


class Link(EventSteps):
    """The event ``link``."""

    def steps(self, plan: types.Plan, event: types.Event) -> Iterator[Step]:
        state = "up" if event.params["up"] else "down"
        for node, interface in plan.link(event.target).ends():
            yield Configure(["ip", "link", "set", interface, state], node)
