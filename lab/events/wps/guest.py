# SPDX-License-Identifier: MIT
"""Presses the buttons of hostapd and wpa_supplicant."""

from __future__ import annotations

from collections.abc import Iterator

from lab.guest.errors import GuestError
from lab.guest.kinds import EventSteps
from lab.guest.steps import Step, ask
from lab.shared import types


class Wps(EventSteps):
    """The event ``wps``."""

    def steps(self, plan: types.Plan, event: types.Event) -> Iterator[Step]:
        """Press the access point's button first: it has to be pressed when the station finds it."""
        ap = plan.node(event.params["to"])
        if ap.radio is None:
            raise GuestError(f"{ap.name} has no radio")
        yield ask(ap.name, "hostapd", "WPS_PBC")
        yield ask(event.target, "wpa_supplicant", f"WPS_PBC {ap.radio.mac}")
