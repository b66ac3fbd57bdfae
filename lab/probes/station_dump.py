# SPDX-License-Identifier: MIT
"""``iw dev … station dump``: what mac80211 knows about each peer, sampled."""

from __future__ import annotations

import re
from typing import Any, ClassVar

from lab.probes.base import Param, Parsed, Probe, Raw, Samples, Target
from lab.probes.base.text import number

_STATION = re.compile(r"Station ((?:[0-9a-f]{2}:){5}[0-9a-f]{2}) \(on ([^)]+)\)", re.ASCII)
_ENTRY = re.compile(r"\t+([^:\t][^:]*):[ \t]*(.*)", re.ASCII)
# iw's key: (series, unit, pattern of the number)
_COUNTER = re.compile(r"([0-9]{1,19})(?: ms| us)?", re.ASCII)
_DBM = re.compile(r"(-?[0-9]{1,4})(?: \[[-0-9, ]+\])? dBm", re.ASCII)
_RATE = re.compile(r"([0-9]{1,6}(?:\.[0-9])?) MBit/s.*", re.ASCII)
_KEYS = {
    "inactive time": ("inactive", "ms", _COUNTER),
    "rx bytes": ("rx_bytes", "B", _COUNTER),
    "rx packets": ("rx_packets", "packets", _COUNTER),
    "tx bytes": ("tx_bytes", "B", _COUNTER),
    "tx packets": ("tx_packets", "packets", _COUNTER),
    "tx retries": ("tx_retries", "frames", _COUNTER),
    "tx failed": ("tx_failed", "frames", _COUNTER),
    "beacon loss": ("beacon_loss", "frames", _COUNTER),
    "rx drop misc": ("rx_drops", "frames", _COUNTER),
    "signal": ("signal", "dBm", _DBM),
    "tx bitrate": ("tx_bitrate", "Mbit/s", _RATE),
    "rx bitrate": ("rx_bitrate", "Mbit/s", _RATE),
}
_UNKNOWN = "(unknown)"  # what iw prints before the first frame of a peer


class StationDump(Probe):
    """Samples the peers of the node's radio: the access point of a station, or the stations of an access point.

    Series, one set per peer, named ``<quantity>/<MAC of the peer>``: ``signal`` (dBm), ``tx_retries``,
    ``tx_failed``, ``tx_packets``, ``rx_packets``, ``tx_bytes``, ``rx_bytes``, ``beacon_loss``, ``rx_drops``
    (counters since the association), ``tx_bitrate``, ``rx_bitrate`` (Mbit/s), ``inactive`` (ms). Also ``peers``,
    the number of peers in each sample.
    """

    about = "iw station dump, sampled: signal, retries, failures, rates and bytes per peer"
    mode = "sample"
    kinds = ("ap", "sta")
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
        """Read ``.out``. Keys of iw that are not in the table above are ignored."""
        parsed = Parsed()
        for block in raw.blocks():
            peer: str | None = None
            peers = 0
            for line_number, line in block.lines():
                if match := _STATION.fullmatch(line):
                    peer, peers = match[1], peers + 1
                    continue
                entry = _ENTRY.fullmatch(line)
                if entry is None or peer is None:
                    raise raw.error(line_number, line, "not a valid line of iw station dump")
                if entry[1] in _KEYS:
                    self._add(raw, line_number, entry, block.t_ns, peer, parsed)
            parsed.add("peers", "1", block.t_ns, peers)
        return parsed

    def _add(self, raw: Raw, line_number: int, entry: re.Match[str], t_ns: int, peer: str, parsed: Parsed) -> None:
        name, unit, pattern = _KEYS[entry[1]]
        text = entry[2].strip()
        if text.startswith(_UNKNOWN):
            return
        match = pattern.fullmatch(text)
        if match is None:
            raise raw.error(line_number, entry[0], f"{text!r} is not a valid {entry[1]}")
        parsed.add(f"{name}/{peer}", unit, t_ns, number(match[1]))
