# SPDX-License-Identifier: MIT
"""Has the hostapd with which a station is associated suggest another access point."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from lab.guest.errors import GuestError
from lab.guest.handoff import network
from lab.guest.kinds import EventSteps
from lab.guest.neighbour import suggest
from lab.guest.steps import Do, Step, ask
from lab.shared import types

if TYPE_CHECKING:
    from lab.guest.live import LiveGuest


class Steer(EventSteps):
    """The event ``steer``."""

    def steps(self, plan: types.Plan, event: types.Event) -> Iterator[Step]:
        station, target = plan.node(event.target), plan.node(event.params["to"])
        if station.radio is None:
            raise GuestError(f"{station.name} has no radio")
        suggested = network(station, target)
        request = suggest(station.radio, suggested, event.params["leaves"])
        access_points = types.names_by_mac(plan.nodes, "ap")

        def send(guest: LiveGuest) -> bytes | None:
            status = guest.controls[station.name].request("STATUS").splitlines()
            here = next((line.removeprefix("bssid=") for line in status if line.startswith("bssid=")), None)
            if here in access_points and not guest.controls[access_points[here]].task.alive:
                return b"its access point has no power"  # which the station has not noticed yet
            if here in access_points and here != suggested.mac:
                return ask(access_points[here], "hostapd", request).execute(guest)
            return b"already there" if here else b"not associated"

        yield Do([f"# to hostapd of the access point of {station.name}, unless it is {target.name}: {request}"], send)
