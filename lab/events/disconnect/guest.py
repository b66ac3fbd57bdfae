# SPDX-License-Identifier: MIT
"""Has wpa_supplicant disconnect."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from lab.guest.handoff import interrupt
from lab.guest.kinds import EventSteps
from lab.guest.steps import Do, Step, ask
from lab.shared import types

if TYPE_CHECKING:
    from lab.guest.live import LiveGuest


class Disconnect(EventSteps):
    """The event ``disconnect``."""

    def steps(self, plan: types.Plan, event: types.Event) -> Iterator[Step]:
        """Have a station disconnect, and stay so; a handoff in progress ends, unfinished."""
        asked = ask(event.target, "wpa_supplicant", "DISCONNECT")

        def disconnect(guest: LiveGuest) -> bytes | None:
            interrupt(guest.controls[event.target])
            return asked.execute(guest)

        yield Do(list(asked.describe()), disconnect)
