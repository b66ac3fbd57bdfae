# SPDX-License-Identifier: MIT
"""Events of wpa_supplicant's control interface: scans, authentication, association, connection."""

from __future__ import annotations

from typing import ClassVar

from lab.probes._control import MAC, ControlEvents
from lab.probes.base import Events

_TARGET = rf"(?P<bssid>{MAC})(?: \(SSID='(?P<ssid>.*)' freq=(?P<freq_mhz>\d{{1,6}}) MHz\))?"
_DECISION = (
    rf"cur_bssid=(?P<bssid>{MAC}) .*?cur_level=(?P<level_dbm>-?\d{{1,6}}) .*?"
    rf"sel_bssid=(?P<selected>{MAC}) .*?sel_level=(?P<selected_dbm>-?\d{{1,6}})"
)
# wpa_supplicant 2.10: wpa_ctrl.h and the messages of sme.c, wpa_supplicant.c, events.c
_PATTERNS = {
    "scan-started": r"CTRL-EVENT-SCAN-STARTED",
    "scan-results": r"CTRL-EVENT-SCAN-RESULTS",
    "scan-failed": r"CTRL-EVENT-SCAN-FAILED",
    "authenticate": rf"SME: Trying to authenticate with {_TARGET}",
    "associate": rf"Trying to associate with {_TARGET}",
    "associated": rf"Associated with (?P<bssid>{MAC})",
    "keys": rf"WPA: Key negotiation completed with (?P<bssid>{MAC})",
    "connected": rf"CTRL-EVENT-CONNECTED - Connection to (?P<bssid>{MAC}) completed",
    "disconnected": rf"CTRL-EVENT-DISCONNECTED bssid=(?P<bssid>{MAC})(?: reason=(?P<reason>\d{{1,6}}))?",
    "auth-rejected": rf"CTRL-EVENT-AUTH-REJECT (?P<bssid>{MAC})",
    "assoc-rejected": (
        rf"CTRL-EVENT-ASSOC-REJECT (?:bssid=(?P<bssid>{MAC}) )?(?:.*status_code=(?P<status>\d{{1,6}}))?"
    ),
    "beacon-loss": r"CTRL-EVENT-BEACON-LOSS",
    "do-roam": rf"CTRL-EVENT-DO-ROAM {_DECISION}",
    "skip-roam": rf"CTRL-EVENT-SKIP-ROAM {_DECISION}",
    "signal-change": r"CTRL-EVENT-SIGNAL-CHANGE",
    "network-not-found": r"CTRL-EVENT-NETWORK-NOT-FOUND",
    "terminating": r"CTRL-EVENT-TERMINATING",
}


class WpaEvents(ControlEvents):
    """Listens to wpa_supplicant on a station.

    Occurrences: ``scan-started``, ``scan-results``, ``scan-failed``, ``authenticate``, ``associate``,
    ``associated``, ``keys``, ``connected``, ``disconnected``, ``auth-rejected``, ``assoc-rejected``,
    ``beacon-loss``, ``do-roam``, ``skip-roam``, ``signal-change``, ``network-not-found``, ``terminating`` and
    ``other``; fields ``text`` and, if reported, ``bssid``, ``ssid``, ``freq_mhz``, ``reason``, ``status``.
    ``do-roam`` and ``skip-roam`` have ``level_dbm`` of the current access point, ``selected`` and ``selected_dbm``.
    Values: ``connections``, ``disconnections``.
    """

    about = "control events of wpa_supplicant with virtual time stamps"
    yields = (Events("association"),)
    kinds = ("sta",)
    client = "wpa_cli"
    patterns = _PATTERNS
    counted: ClassVar[dict[str, str]] = {"connections": "connected", "disconnections": "disconnected"}
