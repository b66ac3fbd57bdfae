# SPDX-License-Identifier: MIT
"""Events of hostapd's control interface: stations that connect and disconnect."""

from __future__ import annotations

from typing import ClassVar

from lab.probes._control import MAC, ControlEvents
from lab.probes.base import Events

# hostapd 2.10: wpa_ctrl.h
_PATTERNS = {
    "station-connected": rf"AP-STA-CONNECTED (?P<station>{MAC})",
    "station-disconnected": rf"AP-STA-DISCONNECTED (?P<station>{MAC})",
    "keys": rf"EAPOL-4WAY-HS-COMPLETED (?P<station>{MAC})",
    "psk-mismatch": rf"AP-STA-POSSIBLE-PSK-MISMATCH (?P<station>{MAC})",
    "poll-ok": rf"AP-STA-POLL-OK (?P<station>{MAC})",
    "enabled": r"AP-ENABLED",
    "disabled": r"AP-DISABLED",
    "terminating": r"CTRL-EVENT-TERMINATING",
}


class HostapdEvents(ControlEvents):
    """Listens to hostapd on an access point.

    Occurrences: ``station-connected``, ``station-disconnected``, ``keys``, ``psk-mismatch``, ``poll-ok``,
    ``enabled``, ``disabled``, ``terminating`` and ``other``; fields ``text`` and, if reported, ``station``.
    Values: ``connections``, ``disconnections``.
    """

    about = "control events of hostapd with virtual time stamps"
    yields = (Events("stations"),)
    kinds = ("ap",)
    client = "hostapd_cli"
    patterns = _PATTERNS
    counted: ClassVar[dict[str, str]] = {
        "connections": "station-connected",
        "disconnections": "station-disconnected",
    }
