# SPDX-License-Identifier: MIT
"""Has wpa_supplicant disconnect."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from lab.guest.handoff import interrupt
from lab.guest.kinds import EventSteps
from lab.guest.steps import Ask, Step
from lab.shared import types

if TYPE_CHECKING:
    from lab.guest.live import LiveGuest


class Disconnect(NamedTuple):
    """Has a station disconnect, and stay so; a handoff in progress ends, unfinished."""

    station: str

    def describe(self) -> Iterator[str]:
        yield from self._ask().describe()

    def execute(self, guest: LiveGuest) -> str:
        interrupt(guest.controls[self.station])
        return self._ask().execute(guest)

    def _ask(self) -> Ask:
        return Ask(self.station, "wpa_supplicant", "DISCONNECT")


class DisconnectEvent(EventSteps):
    """The event ``disconnect``."""

    def steps(self, plan: types.Plan, event: types.Event) -> Iterator[Step]:
        yield Disconnect(event.target)
