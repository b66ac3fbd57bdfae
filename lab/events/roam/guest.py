# SPDX-License-Identifier: MIT
"""Hands a station off: wpa_supplicant scans the channel of the new access point, and then reassociates."""

from __future__ import annotations

from collections.abc import Iterator

from lab.guest.handoff import StationHandoff, bss_request, roam_request, scan_request
from lab.guest.kinds import EventSteps
from lab.guest.steps import Do, Step
from lab.shared import types


class Roam(EventSteps):
    """The event ``roam``."""

    def steps(self, plan: types.Plan, event: types.Event) -> Iterator[Step]:
        """Start a handoff without waiting for its end; if it fails later, the run fails."""
        station, ap = plan.node(event.target), plan.node(event.params["to"])
        to = f"# to wpa_supplicant on {station.name}"
        lines = [
            f"{to}: {scan_request(station, ap)}",
            f"{to}, after the scan: {bss_request(station, ap)}",
            f"{to}, if it has heard the access point: {roam_request(station, ap)}",
        ]
        yield Do(lines, lambda guest: StationHandoff(guest.controls[station.name], station, ap, guest.guard).start())
