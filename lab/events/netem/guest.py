# SPDX-License-Identifier: MIT
"""Changes the shaping of a wired link, in both directions."""

from __future__ import annotations

from collections.abc import Iterator

from lab.guest.commands import netem_words
from lab.guest.kinds import EventSteps
from lab.guest.steps import Configure, Step
from lab.shared import types


class Netem(EventSteps):
    """The event ``netem``."""

    def steps(self, plan: types.Plan, event: types.Event) -> Iterator[Step]:
        """Replace or remove the queueing discipline at each end."""
        words = netem_words(types.Netem(**event.params))
        for node, interface in plan.link(event.target).ends():
            verb = ["replace", "dev", interface, "root", *words] if words else ["delete", "dev", interface, "root"]
            yield Configure(["tc", "qdisc", *verb], node)
