# SPDX-License-Identifier: MIT
"""Presses the buttons of hostapd and wpa_supplicant."""

from __future__ import annotations

from collections.abc import Iterator

from lab.guest.handoff import network
from lab.guest.kinds import EventSteps
from lab.guest.steps import Step, ask
from lab.shared import types


class Wps(EventSteps):
    """The event ``wps``."""

    def steps(self, plan: types.Plan, event: types.Event) -> Iterator[Step]:
        """Press the access point's button first: it has to be pressed when the station finds it."""
        ap = plan.node(event.params["to"])
        joined = network(plan.node(event.target), ap)
        yield ask(ap.name if joined is ap.radio else joined.interface, "hostapd", "WPS_PBC")
        yield ask(event.target, "wpa_supplicant", f"WPS_PBC {joined.mac}")
