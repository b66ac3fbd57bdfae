# SPDX-License-Identifier: MIT
"""Every transmission of a download, from ns-3 (``--frames``) or from the lab (``--pcap air``), in one format."""

from __future__ import annotations

import math
import subprocess
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from lab.errors import HostError, RunError

Kind = Literal["segment", "answer", "ack", "beacon", "other"]  # segments have payload; answer: TCP's ACK
FIELDS = (
    *("radiotap.mactime", "wlan_radio.data_rate", "frame.len", "radiotap.length", "wlan.fc.type_subtype"),
    *("wlan.fc.retry", "tcp.stream", "tcp.len", "tcp.seq_raw"),
)
_ACK, _BEACON = 0x1D, 0x08


@dataclass(frozen=True)
class Frame:
    """One transmission. Times in µs; ``flow``, ``payload_bytes`` and ``seq`` are those of TCP."""

    start_us: float
    end_us: float
    kind: Kind
    retry: bool = False
    flow: str = ""
    payload_bytes: int = 0
    seq: int = 0


def of_ns3(path: Path) -> list[Frame]:
    """Read the output of ``download --frames``, from the first TCP frame on."""
    frames = []
    for line in path.read_text().splitlines():
        start_ns, end_ns, _, kind, _, retry, flow, *numbers = line.split("\t")
        start_us, end_us = int(start_ns) / 1000, int(end_ns) / 1000
        if flow:
            payload_bytes, seq = int(numbers[0]), int(numbers[1])
            frames.append(_of_tcp(start_us, end_us, retry == "1", flow, payload_bytes, seq))
        else:
            frames.append(Frame(start_us, end_us, _named(kind)))
    return _from_load(frames)


def of_lab(capture: Path) -> list[Frame]:
    """Read a capture of the air at DSSS or OFDM rates, from the first TCP frame on.

    Raises:
        HostError: If tshark is not installed.
        RunError: If it cannot read the capture.
    """
    wanted = [word for field in FIELDS for word in ("-e", field)]
    argv = ["tshark", "-r", str(capture), "-T", "fields", "-E", "occurrence=f", *wanted]
    try:
        result = subprocess.run(argv, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise HostError("tshark is not installed", hint="apt-get install tshark") from None
    if result.returncode:
        raise RunError(f"tshark cannot read {capture}: {result.stderr.strip()}")
    is_dsss = "2412" in capture.name
    return _from_load([_captured(line.split("\t"), is_dsss) for line in result.stdout.splitlines()])


def _captured(fields: list[str], is_dsss: bool) -> Frame:
    mactime_us, mbps, length, header, subtype, retry, flow, payload, seq = fields
    psdu_bytes = int(length) - int(header)
    # the packet's own time stamp is not usable: for segments of the guest's TCP, it is that of their end
    preamble_us = 192 if is_dsss else 20
    start_us = float(mactime_us) - preamble_us
    # OFDM: with service and tail bits, in whole symbols (17.3.5.4)
    symbols = math.ceil((22 + 8 * psdu_bytes) / (4 * float(mbps)))
    payload_us = 8 * psdu_bytes / float(mbps) if is_dsss else 4 * symbols
    end_us = start_us + preamble_us + payload_us
    if flow:
        return _of_tcp(start_us, end_us, retry in ("1", "True"), flow, int(payload), int(seq))
    kinds: dict[int, Kind] = {_ACK: "ack", _BEACON: "beacon"}
    return Frame(start_us, end_us, kinds.get(int(subtype, 16), "other"))


def _of_tcp(start_us: float, end_us: float, retry: bool, flow: str, payload_bytes: int, seq: int) -> Frame:
    return Frame(start_us, end_us, "segment" if payload_bytes else "answer", retry, flow, payload_bytes, seq)


def _named(kind: str) -> Kind:
    kinds: dict[str, Kind] = {"ack": "ack", "beacon": "beacon"}
    return kinds.get(kind, "other")


def _from_load(frames: list[Frame]) -> list[Frame]:
    """Sort by start, and drop frames before the load; the load begins at 0."""
    load_us = min((frame.start_us for frame in frames if frame.flow), default=None)
    if load_us is None:
        raise RunError("no frame of TCP was on the air")
    return [
        replace(frame, start_us=frame.start_us - load_us, end_us=frame.end_us - load_us)
        for frame in sorted(frames, key=lambda frame: frame.start_us)
        if frame.start_us >= load_us
    ]
