# SPDX-License-Identifier: MIT
"""``iw dev … link``: which access point a station is associated with, sampled."""

from __future__ import annotations

import re
from typing import Any, ClassVar

from lab.probes import _iw
from lab.probes.base import Events, Occurrence, Param, Parsed, Probe, Raw, Samples, Target

_CONNECTED = re.compile(r"(?:Connected to|Joined IBSS) ((?:[0-9a-f]{2}:){5}[0-9a-f]{2}) \(on [^)]+\)", re.ASCII)


class Link(Probe):
    """Samples the association of a station.

    Series: ``connected`` (1 or 0), and while connected ``signal`` (dBm), ``frequency`` (MHz), ``tx_bitrate``,
    ``rx_bitrate`` (Mbit/s). Occurrences: ``bssid`` with ``bssid`` (None: not connected), if it changed since the
    last sample.
    """

    about = "iw link, sampled: access point, channel, signal and rates of a station"
    mode = "sample"
    kinds = ("sta",)
    yields = (Samples("signal"), Samples("rx_bitrate"), Samples("tx_bitrate"), Events("bssid"))
    params: ClassVar[dict[str, Param]] = {
        "every": Param("duration", "time between samples", default=100_000_000, least=1_000_000)
    }

    def argv(self, target: Target, params: dict[str, Any], raw: str) -> list[str]:
        return ["iw", "dev", target.radio or target.interface, "link"]

    def parse(self, raw: Raw) -> Parsed:
        parsed = Parsed()
        last: str | None = ""
        for block in raw.blocks():
            bssid: str | None = None
            for line_number, line in block.lines():
                if line == "Not connected.":
                    continue
                if match := _CONNECTED.fullmatch(line):
                    bssid = match[1]
                elif (entry := _iw.ENTRY.fullmatch(line)) and bssid is not None:
                    _iw.add(raw, line_number, entry, block.t_ns, parsed)
                else:
                    raise raw.error(line_number, line, "not a valid line of iw link")
            parsed.add("connected", "1", block.t_ns, int(bssid is not None))
            if bssid != last:
                parsed.occurrences.append(Occurrence(block.t_ns, "bssid", {"bssid": bssid}))
                last = bssid
        return parsed
