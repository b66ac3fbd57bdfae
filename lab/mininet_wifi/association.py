# SPDX-License-Identifier: MIT
"""Association control: a network decides which access point its stations have, as ``setAssociationCtrl('ssf')`` says.

Mininet-WiFi's two policies. Both look at access points whose range covers the station (if none does, nothing changes):

* ``ssf``, strongest signal first: by power, antenna gain and distance;
* ``llf``, least loaded first: by the number of stations; a station moves if that makes the loads more even.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from lab.mininet_wifi.radios import WirelessIntf

_EVERY_S = 1.0  # in virtual time
_MARGIN_DB = 3.0  # by which a signal must be stronger, so that a station between two access points stays
_LEAST_M = 1.0

Decide: TypeAlias = "Callable[[WirelessIntf, WirelessIntf | None, Sequence[WirelessIntf]], WirelessIntf]"


def signal_db(station: WirelessIntf, ap: WirelessIntf) -> float:
    """Return how strong an access point is where a station is, up to a constant."""
    distance_m = max(_LEAST_M, station.node.get_distance_to(ap.node))
    return ap.txpower + ap.antennaGain - 30 * math.log10(distance_m)


def _strongest(station: WirelessIntf, now: WirelessIntf | None, aps: Sequence[WirelessIntf]) -> WirelessIntf:
    best = max(aps, key=lambda ap: signal_db(station, ap))
    if now in aps and now is not None and signal_db(station, best) < signal_db(station, now) + _MARGIN_DB:
        return now
    return best


def _least_loaded(_station: WirelessIntf, now: WirelessIntf | None, aps: Sequence[WirelessIntf]) -> WirelessIntf:
    loads = {ap: len(ap.associatedStations) - (ap is now) for ap in aps}
    best = min(aps, key=lambda ap: loads[ap])
    return now if now is not None and now in loads and loads[now] <= loads[best] else best


POLICIES: dict[str, Decide] = {"ssf": _strongest, "llf": _least_loaded}


class AssociationControl(threading.Thread):
    """Decides every second."""

    def __init__(self, policy: str, stations: Sequence[WirelessIntf], aps: Sequence[WirelessIntf]) -> None:
        super().__init__(daemon=True)
        self._decide, self._stations, self._aps = POLICIES[policy], stations, aps

    def run(self) -> None:
        """Decide until the script ends."""
        while True:
            self.once()
            time.sleep(_EVERY_S)

    def once(self) -> None:
        """Decide for each station."""
        for station in self._stations:
            aps = [ap for ap in self._aps if station.node.get_distance_to(ap.node) <= ap.range]
            now = station.associatedTo or None
            if aps and (chosen := self._decide(station, now, aps)) is not now:
                station.associate(chosen)
