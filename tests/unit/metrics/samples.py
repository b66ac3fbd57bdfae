# SPDX-License-Identifier: MIT
"""A small plan and sources for the tests of metrics."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from lab.metrics.base import Context, Source
from lab.probes.base import Occurrence, Parsed, Raw, TimeSeries
from lab.shared.outcome import Happened
from lab.shared.types import Node, Plan, PlannedMetric, Radio

SECOND = 1_000_000_000
MS = 1_000_000
AP1, AP2, STA1 = "02:00:00:00:03:00", "02:00:00:00:04:00", "02:00:00:00:05:00"


def node(name: str, kind: str, mac: str | None = None, encrypt: str | None = "open") -> Node:
    radio = None
    if mac:
        radio = Radio(f"{name}-wlan0", mac, "campus", "g", 1, 2412, [], "DE", encrypt, None)
    return Node(name, kind, [], "10.0.0.1/8", 2**28, 256, None, [], radio, 1)


def plan(encrypt: str = "open") -> Plan:
    nodes = [node("h1", "host"), node("ap1", "ap", AP1), node("ap2", "ap", AP2), node("sta1", "sta", STA1, encrypt)]
    return Plan("x", "", "t", "w", 1, 30 * SECOND, {}, nodes, [], [], [], [], [], [])


def source(
    probe: str,
    *,
    identifier: str | None = None,
    on: str = "sta1",
    series: Iterable[TimeSeries] = (),
    occurrences: Iterable[Occurrence] = (),
    values: Mapping[str, Any] | None = None,
    raw: Path = Path(),
    params: Mapping[str, Any] | None = None,
    encrypt: str = "open",
) -> Source:
    parsed = Parsed(list(series), list(occurrences), dict(values or {}))
    name = identifier or probe
    return Source(
        name, plan(encrypt).node(on), probe, params or {}, parsed, Raw(raw, name, dict(params or {})), 30 * SECOND
    )


def context(*sources: Source, roams_ns: Iterable[int] = (), encrypt: str = "open") -> Context:
    events = [Happened(t_ns, "roam", "sta1", {}, True, "OK") for t_ns in roams_ns]
    return Context(plan(encrypt), {item.id: item for item in sources}, events, 30 * SECOND, 0, {}, None)


def wanted(kind: str, *of: str, unit: str, per: str | None = None) -> PlannedMetric:
    return PlannedMetric(kind, kind, list(of), unit, per)


def event(t_ns: int, kind: str, **fields: Any) -> Occurrence:
    return Occurrence(t_ns, kind, {"text": kind, **fields})


def roam(t_ns: int, bssid: str) -> list[Occurrence]:
    """What wpa_supplicant tells of a handoff that begins with a scan at ``t_ns``; it leaves 60 ms later."""
    return [
        event(t_ns, "scan-started"),
        event(t_ns + 60 * MS, "scan-results"),
        event(t_ns + 60 * MS, "authenticate", bssid=bssid),
        event(t_ns + 62 * MS, "associate", bssid=bssid),
        event(t_ns + 65 * MS, "associated", bssid=bssid),
        event(t_ns + 70 * MS, "connected", bssid=bssid),
    ]


def ethernet(destination: str, ethertype: int = 0x0800) -> bytes:
    return bytes.fromhex(destination.replace(":", "")) + bytes(6) + struct.pack(">H", ethertype) + bytes(20)


def radiotap(destination: str, *, kind: int = 0x08, flags: int = 0x02, ethertype: int = 0x0800) -> bytes:
    """Radiotap and an 802.11 frame: by default data from the access point."""
    address = bytes.fromhex(destination.replace(":", ""))
    body = b"\xaa\xaa\x03\x00\x00\x00" + struct.pack(">H", ethertype) + bytes(20)
    qos = bytes(2) if kind & 0x80 else b""
    return struct.pack("<BBHI", 0, 0, 8, 0) + bytes([kind, flags]) + bytes(2) + address + bytes(14) + qos + body


def pcap(frames: Iterable[tuple[int, bytes]], link_type: int = 1, order: str = "<") -> bytes:
    data = struct.pack(f"{order}IHHiIII", 0xA1B23C4D, 2, 4, 0, 0, 262144, link_type)
    for t_ns, frame in frames:
        data += struct.pack(f"{order}4I", t_ns // SECOND, t_ns % SECOND, len(frame), len(frame)) + frame
    return data
