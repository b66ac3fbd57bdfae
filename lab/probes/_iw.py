# SPDX-License-Identifier: MIT
"""What iw prints about a peer, which ``iw link`` and ``iw station dump`` have in common."""

from __future__ import annotations

import re

from lab.probes.base import Parsed, Raw
from lab.probes.base.text import number

ENTRY = re.compile(r"\t+([^:\t][^:]*):[ \t]*(.*)", re.ASCII)
_COUNTER = re.compile(r"([0-9]{1,19})(?: ms| us)?", re.ASCII)
_DBM = re.compile(r"(-?[0-9]{1,4})(?: \[[-0-9, ]+\])? dBm", re.ASCII)
_RATE = re.compile(r"([0-9]{1,6}(?:\.[0-9])?) MBit/s.*", re.ASCII)
_KEYS = {  # iw's key: (series, unit, pattern of the number)
    "freq": ("frequency", "MHz", re.compile(r"([0-9]{1,6}(?:\.[0-9]{1,3})?)", re.ASCII)),
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
_NO_SIGNAL = re.compile(r"0(?: \[[-0-9, ]+\])? dBm", re.ASCII)  # likewise: mac80211 has no level yet


def add(raw: Raw, line_number: int, entry: re.Match[str], t_ns: int, parsed: Parsed, peer: str = "") -> None:
    """Add a match of ``ENTRY`` to the series of the peer; other keys of iw are ignored."""
    text = entry[2].strip()
    if entry[1] not in _KEYS or text.startswith(_UNKNOWN) or (entry[1] == "signal" and _NO_SIGNAL.fullmatch(text)):
        return
    name, unit, pattern = _KEYS[entry[1]]
    match = pattern.fullmatch(text)
    if match is None:
        raise raw.error(line_number, entry[0], f"{text!r} is not a valid {entry[1]}")
    parsed.add(f"{name}/{peer}" if peer else name, unit, t_ns, number(match[1]))
