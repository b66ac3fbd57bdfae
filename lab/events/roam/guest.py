# SPDX-License-Identifier: MIT
"""A station is handed off: wpa_supplicant scans where the new access point is, and then reassociates."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from lab.guest.handoff import Handover, roam_request, scan_request
from lab.guest.steps import Step
from lab.shared import types

if TYPE_CHECKING:
    from lab.guest.live import LiveGuest


class HandOver(NamedTuple):
    """Begins a handoff; what it comes to is seen later, and a failure then ends the run."""

    station: types.Node
    ap: types.Node

    def describe(self) -> Iterator[str]:
        """What wpa_supplicant is asked to do."""
        name = self.station.name
        yield f"# to wpa_supplicant on {name}: {scan_request(self.ap)}"
        yield f"# to wpa_supplicant on {name}, when it has scanned: {roam_request(self.ap)}"

    def execute(self, guest: LiveGuest) -> str:
        """Ask for the scan; returns the answer."""
        return Handover(guest.controls[self.station.name], self.station, self.ap, guest.guard).start()


def steps(plan: types.Plan, event: types.Event) -> Iterator[Step]:
    """The handoff."""
    yield HandOver(plan.node(event.target), plan.node(event.params["to"]))
