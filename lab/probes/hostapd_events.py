# SPDX-License-Identifier: MIT
"""Events of hostapd's control interface: stations that connect and disconnect."""

from __future__ import annotations

import re
from typing import Any

from lab.probes._control import MAC, parse_events
from lab.probes.base import Events, Parsed, Probe, Raw, Target

# hostapd 2.10: wpa_ctrl.h
_PATTERNS = {
    kind: re.compile(pattern, re.ASCII)
    for kind, pattern in {
        "station-connected": rf"AP-STA-CONNECTED (?P<station>{MAC})",
        "station-disconnected": rf"AP-STA-DISCONNECTED (?P<station>{MAC})",
        "keys": rf"EAPOL-4WAY-HS-COMPLETED (?P<station>{MAC})",
        "psk-mismatch": rf"AP-STA-POSSIBLE-PSK-MISMATCH (?P<station>{MAC})",
        "poll-ok": rf"AP-STA-POLL-OK (?P<station>{MAC})",
        "enabled": r"AP-ENABLED",
        "disabled": r"AP-DISABLED",
        "terminating": r"CTRL-EVENT-TERMINATING",
    }.items()
}


class HostapdEvents(Probe):
    """Listens to hostapd on an access point.

    Occurrences: ``station-connected``, ``station-disconnected``, ``keys``, ``psk-mismatch``, ``poll-ok``,
    ``enabled``, ``disabled``, ``terminating`` and ``other``; fields ``text`` and, if reported, ``station``.
    Values: ``connections``, ``disconnections``.
    """

    about = "control events of hostapd with virtual time stamps"
    mode = "control"
    yields = (Events("stations"),)
    kinds = ("ap",)

    def argv(self, target: Target, params: dict[str, Any], raw: str) -> list[str]:
        """Return the equivalent command for documentation; the guest attaches to the socket itself."""
        return ["hostapd_cli", "-i", target.radio or target.interface]

    def parse(self, raw: Raw) -> Parsed:
        parsed = parse_events(raw, _PATTERNS)
        for name, kind in (("connections", "station-connected"), ("disconnections", "station-disconnected")):
            parsed.values[name] = sum(occurrence.kind == kind for occurrence in parsed.occurrences)
        return parsed
