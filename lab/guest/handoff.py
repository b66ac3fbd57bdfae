# SPDX-License-Identifier: MIT
"""A scripted handoff: scan on the new access point's channel, then have wpa_supplicant reassociate.

The kernel takes a BSS to authenticate with only from a scan not older than 30 s, so a scan is part of every handoff,
as it is of a real one. Scanning the one channel is the shortest that a station can do that knows where it wants to go.
"""

from __future__ import annotations

from collections.abc import Callable

from lab.guest.errors import GuestError
from lab.guest.hostap_socket import Control
from lab.shared import types


def scan_request(ap: types.Node) -> str:
    """What wpa_supplicant is asked first."""
    return f"SCAN freq={_radio(ap).frequency_mhz}"


def roam_request(ap: types.Node) -> str:
    """What it is asked when it has scanned."""
    return f"ROAM {_radio(ap).mac}"


def _radio(ap: types.Node) -> types.Radio:
    if ap.radio is None:
        raise GuestError(f"{ap.name} has no radio")
    return ap.radio


class Handover:
    """One station on its way to one access point. ``done`` once it is connected there."""

    def __init__(
        self,
        control: Control,
        station: types.Node,
        ap: types.Node,
        guard: Callable[[Callable[[], None]], None] = lambda callback: callback(),
    ) -> None:
        """``guard`` runs what happens later, in the loop, and takes care of its GuestError."""
        self.done = False
        self._control = control
        self._station = station
        self._ap = ap
        self._guard = guard
        self._scanned = False

    def start(self) -> str:
        """Ask for the scan; the rest follows from events. Returns wpa_supplicant's answer."""
        self._control.listen(self._on_event)
        answer = self._control.request(scan_request(self._ap)).strip()
        if answer not in ("OK", "FAIL-BUSY"):  # busy: a scan is under way, its end is as good
            raise self._failure(f"{self._station.name} cannot scan: {answer}")
        return answer

    def _failure(self, message: str) -> GuestError:
        task = self._control.task
        return GuestError(message, task.name, task.log)

    def _on_event(self, stamp_ns: int, text: str) -> None:
        bssid = _radio(self._ap).mac
        if not self._scanned and "CTRL-EVENT-SCAN-RESULTS" in text:
            self._scanned = True
            self._guard(self._reassociate)
        elif self._scanned and "CTRL-EVENT-CONNECTED" in text and bssid in text:
            self.done = True
            self._control.forget(self._on_event)

    def _reassociate(self) -> None:
        answer = self._control.request(roam_request(self._ap)).strip()
        if answer != "OK":
            radio = _radio(self._ap)
            raise self._failure(
                f"{self._station.name} cannot roam to {self._ap.name}: no beacon or probe response of "
                f"{radio.mac} on {radio.frequency_mhz} MHz ({answer})"
            )
