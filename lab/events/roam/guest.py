# SPDX-License-Identifier: MIT
"""Hands a station off: wpa_supplicant scans the channel of the new access point, and then reassociates."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from lab.guest.handoff import Handoff, bss_request, roam_request, scan_request
from lab.guest.kinds import EventSteps
from lab.guest.steps import Step
from lab.shared import types

if TYPE_CHECKING:
    from lab.guest.live import LiveGuest


class StartHandoff(NamedTuple):
    """Starts a handoff without waiting for its end; if it fails later, the run fails."""

    station: types.Node
    ap: types.Node

    def describe(self) -> Iterator[str]:
        name = self.station.name
        yield f"# to wpa_supplicant on {name}: {scan_request(self.ap)}"
        yield f"# to wpa_supplicant on {name}, after the scan: {bss_request(self.ap)}"
        yield f"# to wpa_supplicant on {name}, if it has heard the access point: {roam_request(self.ap)}"

    def execute(self, guest: LiveGuest) -> str:
        return Handoff(guest.controls[self.station.name], self.station, self.ap, guest.guard).start()


class Roam(EventSteps):
    """The event ``roam``."""

    def steps(self, plan: types.Plan, event: types.Event) -> Iterator[Step]:
        yield StartHandoff(plan.node(event.target), plan.node(event.params["to"]))
