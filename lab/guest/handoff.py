# SPDX-License-Identifier: MIT
"""A scripted handoff: scan on the new access point's channel, then have wpa_supplicant reassociate.

The kernel authenticates only with a BSS from a scan that is at most 30 s old. So a scan is part of every handoff, as in
reality. A scan of one channel is the shortest for a station that knows its target.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from lab.guest.errors import GuestError
from lab.guest.hostap_socket import Control
from lab.guest.loop import Timer, now_ns
from lab.shared import types

_KNOWN_S = 30  # the kernel forgets a BSS after this time (IEEE80211_SCAN_RESULT_EXPIRE)
_BUSY_S = 10  # wpa_supplicant may answer for that long that it is busy
_SECOND_NS = 1_000_000_000
_AGAIN_NS = _SECOND_NS  # when to ask again if no event has told to
# Between association and the end of a handshake, also to renew a key, it refuses to scan. These end that.
_ENDS = (
    "CTRL-EVENT-CONNECTED",
    "CTRL-EVENT-DISCONNECTED",
    "CTRL-EVENT-SCAN-FAILED",
    "Key negotiation completed",
    "Group rekeying completed",
)
_JOIN_S = 30  # as long as the lab waits at the start; wpa_supplicant may go on for ever, and says nothing then
_SCANS = 5  # a probe request is a broadcast: if another station's collides with it, nobody repeats it


def scan_request(station: types.Node, ap: types.Node) -> str:
    """Return the first command to wpa_supplicant."""
    return "SCAN" if _radio(station).scan_all else f"SCAN freq={network(station, ap).frequency_mhz}"


def bss_request(station: types.Node, ap: types.Node) -> str:
    """Return the command after the scan: it asks what the station knows of the access point."""
    return f"BSS {network(station, ap).mac}"


def roam_request(station: types.Node, ap: types.Node) -> str:
    """Return the last command, which has the station change its access point."""
    return f"ROAM {network(station, ap).mac}"


def _age_s(bss: str) -> int | None:
    """Return how long ago the station heard the access point, by the answer to ``bss_request``; None if it has not."""
    ages = [line.removeprefix("age=") for line in bss.splitlines() if line.startswith("age=")]
    return int(ages[0]) if ages else None


def _radio(node: types.Node) -> types.Radio:
    if node.radio is None:
        raise GuestError(f"{node.name} has no radio")
    return node.radio


def network(station: types.Node, ap: types.Node) -> types.Radio:
    """Return the interface of an access point that has the station's network."""
    return ap.network(_radio(station).ssid) or _radio(ap)


def interrupt(control: Control) -> None:
    """End the handoff of a station, if one is in progress: the station has to do something else."""
    if isinstance(control.handoff, StationHandoff):
        control.handoff.end()


def unfinished(controls: Iterable[Control], start_ns: int) -> list[dict[str, Any]]:
    """Return the values of lab.shared.outcome.Unfinished for the handoffs that are in progress.

    ``start_ns``: the uptime at the timeline's start.
    """
    handoffs = (control.handoff for control in controls)
    return [one.unfinished(start_ns) for one in handoffs if isinstance(one, StationHandoff) and not one.over]


class StationHandoff:
    """The handoff of one station to one access point; ``guard`` handles its later errors, ``done`` is its success."""

    def __init__(
        self,
        control: Control,
        station: types.Node,
        ap: types.Node,
        guard: Callable[[Callable[[], None]], None] = lambda callback: callback(),
    ) -> None:
        self.done = False
        self._control = control
        self._station = station
        self._ap = ap
        self._guard = guard
        self._scans = 0
        self._asked = False
        self._busy_ns: int | None = None  # since when wpa_supplicant is
        self._timer: Timer | None = None
        self._over = False
        self._begun_ns = now_ns()

    def start(self) -> bytes:
        """Request the scan; events trigger the rest. Return wpa_supplicant's answer."""
        interrupt(self._control)
        self._control.handoff = self
        answer = self._scan()
        self._control.listen(self._on_event)  # the results of earlier scans have come by now
        return answer.encode()

    def end(self) -> None:
        """Do nothing more, whatever happens."""
        self._over = True
        self._free()
        self._control.forget(self._on_event)

    @property
    def over(self) -> bool:
        """Whether it has succeeded, failed or been ended."""
        return self._over

    def unfinished(self, start_ns: int) -> dict[str, Any]:
        """Return what a record says of it if it is in progress when the run ends."""
        names = {"station": self._station.name, "ap": self._ap.name}
        return {"t_ns": self._begun_ns - start_ns, **names, "last": self._control.last()}

    def _scan(self) -> str:
        """Request a scan. If a scan is in progress, its end is as good; after a handshake, ask again."""
        answer = self._control.request(scan_request(self._station, self._ap)).strip()
        if answer == "FAIL-BUSY":
            self._wait()
        elif answer == "OK":
            self._free()
        else:
            raise self._failure(f"{self._station.name} cannot scan: {answer}")
        return answer

    def _wait(self) -> None:
        now = now_ns()
        since_ns = now if self._busy_ns is None else self._busy_ns
        if now - since_ns > _BUSY_S * _SECOND_NS:
            raise self._failure(
                f"{self._station.name} cannot roam to {self._ap.name}: its wpa_supplicant was busy for {_BUSY_S} s; "
                f"its last message: {self._control.last()}"
            )
        self._free()
        self._busy_ns = since_ns
        self._timer = self._control.call_later(_AGAIN_NS, lambda: self._guard(self._again))

    def _free(self) -> None:
        self._busy_ns = None
        if self._timer is not None:
            self._timer.cancel()

    def _again(self) -> None:
        self._scan()

    def _failure(self, message: str) -> GuestError:
        self.end()
        task = self._control.task
        return GuestError(message, task.name, task.logs)

    def _on_event(self, stamp_ns: int, text: str) -> None:
        bssid = network(self._station, self._ap).mac
        if not self._asked and "CTRL-EVENT-SCAN-RESULTS" in text:
            self._free()
            self._guard(self._reassociate)
        elif self._busy_ns is not None and any(end in text for end in _ENDS):
            self._guard(self._again)
        elif self._asked and "CTRL-EVENT-CONNECTED" in text and bssid in text:
            self.done = True
            self.end()
        elif self._asked and "Associated with" in text and bssid not in text:
            self._guard(self._joined_another)

    def _joined_another(self) -> None:
        raise self._failure(
            f"{self._station.name} could not join {self._ap.name}, and associated with another access point"
        )

    def _reassociate(self) -> None:
        self._scans += 1
        age_s = _age_s(self._control.request(bss_request(self._station, self._ap)))
        # it would try with old results, and then return silently
        known = age_s is not None and age_s < _KNOWN_S
        if not known and self._scans < _SCANS:
            self._scan()
            return
        answer = self._control.request(roam_request(self._station, self._ap)).strip() if known else "FAIL"
        if answer != "OK":
            radio = network(self._station, self._ap)
            last = "" if age_s is None else f"; the last one came {age_s} s ago"
            raise self._failure(
                f"{self._station.name} cannot roam to {self._ap.name}: no beacon or probe response of "
                f"{radio.mac} on {radio.frequency_mhz} MHz in {self._scans} scans{last}"
            )
        self._asked = True
        self._timer = self._control.call_later(_JOIN_S * _SECOND_NS, lambda: self._guard(self._not_joined))

    def _not_joined(self) -> None:
        raise self._failure(
            f"{self._station.name} has not joined {self._ap.name} within {_JOIN_S} s, after its wpa_supplicant had "
            f"said OK to that; its last message: {self._control.last()}"
        )
