# SPDX-License-Identifier: MIT
"""Values of nodes every second, in a file: ``net.telemetry(nodes, data_type='rssi')`` writes telemetry-rssi.csv.

Mininet-WiFi draws them in a window.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lab.mininet_wifi.radios import WirelessIntf

_EVERY_S = 1.0  # in virtual time
_COUNTERS = ("tx_bytes", "rx_bytes", "tx_packets", "rx_packets", "tx_errors", "rx_errors", "tx_dropped", "rx_dropped")


def _position(radio: WirelessIntf) -> str:
    return " ".join(f"{one:g}" for one in radio.node.position)


def _counter(name: str) -> Callable[[WirelessIntf], Any]:
    return lambda radio: radio.node.read_file(f"/sys/class/net/{radio.name}/statistics/{name}").strip()


VALUES: dict[str, Callable[[WirelessIntf], Any]] = {
    "rssi": lambda radio: radio.rssi,
    "position": _position,
    **{name: _counter(name) for name in _COUNTERS},
}


class Telemetry(threading.Thread):
    """Writes a line for each second, from the first one on."""

    def __init__(self, radios: Sequence[WirelessIntf], what: str, folder: Path) -> None:
        super().__init__(daemon=True)
        self._radios, self._value = radios, VALUES[what]
        self._file = (folder / f"telemetry-{what}.csv").open("w", buffering=1)
        self._file.write(",".join(["time_s", *(radio.name for radio in radios)]) + "\n")

    def run(self) -> None:
        """Write until the script ends."""
        second = 0
        while True:
            self._file.write(",".join([str(second), *(str(self._value(radio)) for radio in self._radios)]) + "\n")
            second += 1
            time.sleep(_EVERY_S)
