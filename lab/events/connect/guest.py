# SPDX-License-Identifier: MIT
"""Has wpa_supplicant connect again."""

from __future__ import annotations

from collections.abc import Iterator

from lab.guest.kinds import EventSteps
from lab.guest.steps import Step, ask
from lab.shared import types


class Connect(EventSteps):
    """The event ``connect``."""

    def steps(self, plan: types.Plan, event: types.Event) -> Iterator[Step]:
        """Ask wpa_supplicant to look for its network, if it is disconnected."""
        yield ask(event.target, "wpa_supplicant", "RECONNECT")
