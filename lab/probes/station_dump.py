# SPDX-License-Identifier: MIT
"""``iw dev … station dump``: what mac80211 knows about each peer, sampled."""

from __future__ import annotations

import re
from typing import Any, ClassVar

from lab.probes import _iw
from lab.probes.base import Param, Parsed, Probe, Raw, Samples, Target

_STATION = re.compile(r"Station ((?:[0-9a-f]{2}:){5}[0-9a-f]{2}) \(on ([^)]+)\)", re.ASCII)


class StationDump(Probe):
    """Samples the peers of the node's radio: the access point of a station, the stations of an access point, or
    the neighbours of a mesh point.

    Series, one set per peer, named ``<quantity>/<MAC of the peer>``: ``signal`` (dBm), ``tx_retries``,
    ``tx_failed``, ``tx_packets``, ``rx_packets``, ``tx_bytes``, ``rx_bytes``, ``beacon_loss``, ``rx_drops``
    (counters since the association), ``tx_bitrate``, ``rx_bitrate`` (Mbit/s), ``inactive`` (ms). Also ``peers``,
    the number of peers in each sample.
    """

    about = "iw station dump, sampled: signal, retries, failures, rates and bytes per peer"
    mode = "sample"
    kinds = ("ap", "sta", "mesh")
    yields = (
        Samples("signal"),
        Samples("tx_packets"),
        Samples("tx_retries"),
        Samples("rx_bitrate"),
        Samples("tx_bitrate"),
    )
    params: ClassVar[dict[str, Param]] = {
        "every": Param("duration", "time between samples", default=100_000_000, least=1_000_000)
    }

    def argv(self, target: Target, params: dict[str, Any], raw: str) -> list[str]:
        return ["iw", "dev", target.radio or target.interface, "station", "dump"]

    def parse(self, raw: Raw) -> Parsed:
        """Read ``.out``; keys of iw that lab.probes._iw does not list are ignored."""
        parsed = Parsed()
        for block in raw.blocks():
            peer: str | None = None
            peers = 0
            for line_number, line in block.lines():
                if match := _STATION.fullmatch(line):
                    peer, peers = match[1], peers + 1
                    continue
                entry = _iw.ENTRY.fullmatch(line)
                if entry is None or peer is None:
                    raise raw.error(line_number, line, "not a valid line of iw station dump")
                _iw.add(raw, line_number, entry, block.t_ns, parsed, peer)
            parsed.add("peers", "1", block.t_ns, peers)
        return parsed
