# SPDX-License-Identifier: MIT
"""Has wpa_supplicant disconnect."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from lab.guest.handoff import interrupt
from lab.guest.kinds import EventSteps
from lab.guest.steps import Ask, Do, Step
from lab.shared import types

if TYPE_CHECKING:
    from lab.guest.live import LiveGuest


class Disconnect(EventSteps):
    """The event ``disconnect``."""

    def steps(self, plan: types.Plan, event: types.Event) -> Iterator[Step]:
        """Have a station disconnect, and stay so; a handoff in progress ends, unfinished."""
        ask = Ask(event.target, "wpa_supplicant", "DISCONNECT")

        def disconnect(guest: LiveGuest) -> bytes:
            interrupt(guest.controls[event.target])
            return ask.execute(guest)

        yield Do(list(ask.describe()), disconnect)
