# SPDX-License-Identifier: MIT
"""The plan: a topology and a workload resolved to what exactly happens, in base units.

Standard library only, since the guest reads it too. Times are integer nanoseconds from the start of the
timeline (``*_ns``), rates are bit/s (``*_bps``), sizes bytes, positions metres, probabilities percent.
``to_json`` is canonical (sorted keys), so equal plans are equal bytes.
"""

from __future__ import annotations

import dataclasses
import json
import re
import types
import typing
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from lab.plan.medium_types import Medium

VERSION = 1
_ROW = re.compile(r"^( *)\[\s+(-?\d+(?:,\s+-?\d+)*)\s+\]", re.MULTILINE)  # no text has a line end in JSON


@dataclass(frozen=True)
class Radio:
    """One emulated radio and the role that hostapd or wpa_supplicant gives it."""

    interface: str  # sta1-wlan0, ap1-wlan1: Mininet-WiFi's names
    mac: str  # the BSSID of an access point
    ssid: str
    mode: str  # b, g, a, n
    channel: int | None  # None: a station scans
    frequency_mhz: int | None
    scan_mhz: list[int]  # a station: the frequencies of the access points with its SSID, ascending
    country: str
    encrypt: str | None  # None or "open", "wpa2", "wpa3"
    passwd: str | None
    txpower_dbm: float | None = None
    antenna_gain_dbi: float | None = None
    # what follows is not mentioned in JSON where it is as here
    width_mhz: int = 20
    second_half: str | None = None  # of an access point 40 MHz wide: + above its channel, - below
    short_gi: bool = False
    wmm: bool = False  # WMM outside mode n, which always has it
    rate: str | None = None  # "54 Mbit/s", "MCS 7": of data to a node; None: rate control decides
    cell: str | None = None  # BSSID of an ad hoc network; None: no station, or one with an access point
    bgscan: str | None = None  # of a station, in wpa_supplicant's words; None: it does not scan in the background
    mobility_domain: str | None = None  # four hexadecimal digits: fast transitions; of a station: in its network
    basic_rates: list[str] = field(default_factory=list)  # of an access point; empty: as hostapd has them
    beacon_interval_tu: int = 100  # of an access point, in units of 1024 us
    rts_threshold_bytes: int | None = None  # longer frames to a node follow RTS and CTS; None: no threshold
    approximate: bool = False  # takes data frames with a wrong FCS


# keys of a radio that its JSON leaves out at these values, so that plans without them stay the same bytes
_UNSAID: dict[str, Any] = {
    "width_mhz": 20,
    "second_half": None,
    "short_gi": False,
    "wmm": False,
    "rate": None,
    "cell": None,
    "bgscan": None,
    "mobility_domain": None,
    "basic_rates": [],
    "beacon_interval_tu": 100,
    "rts_threshold_bytes": None,
    "approximate": False,
}
_OPTIONAL = ("medium", "pcap", "stack")  # keys of a plan, likewise where they are None


@dataclass(frozen=True)
class Interface:
    """A wired interface of a node: the end of a link."""

    name: str  # h1-eth0; switches and access points count from 1: s1-eth1
    mac: str
    link: str
    ip: str | None  # "10.0.0.1/8"; None for the ports of switches and access points


@dataclass(frozen=True)
class Node:
    """A container."""

    name: str
    kind: str  # host, switch, ap, sta, monitor
    roles: list[str]
    ip: str | None  # address and prefix on its first interface (wired, or the radio of a station)
    memory_bytes: int
    pids_max: int
    position_m: list[float] | None
    interfaces: list[Interface]
    radio: Radio | None
    index: int  # position among all nodes, from 1; stable key for addresses and streams
    source: str = ""  # file:line of the definition


@dataclass(frozen=True)
class Netem:
    """What tc/netem does to each direction of a wired link. 0 or None: not at all."""

    delay_ns: int = 0
    jitter_ns: int = 0
    loss_percent: float = 0.0
    rate_bps: int | None = None
    reorder_percent: float = 0.0
    limit_packets: int = 1000


@dataclass(frozen=True)
class Link:
    """A wired link (a veth pair)."""

    name: str  # h1-s1
    a: str  # interface names
    b: str
    node_a: str
    node_b: str
    netem: Netem
    source: str = ""


@dataclass(frozen=True)
class Ready:
    """When a process counts as up. Exactly one is set."""

    listening: str | None = None  # "tcp/80", "udp/5001"
    log: str | None = None  # a regular expression that its output must match
    timeout_ns: int = 10_000_000_000


@dataclass(frozen=True)
class Process:
    """A program, or a probe that acts (curl, iperf3, ping), started on one node.

    ``id`` names raw files and sources of metrics: the ``as`` of the file, with ``@node`` where several
    nodes of a role run it. A probe process has ``probe`` and ``params`` (already in base units); a plain one
    has ``argv``. ``at_ns`` below 0: before the timeline starts, in order of listing.
    """

    id: str
    name: str  # without @node
    node: str
    at_ns: int
    argv: list[str]
    probe: str | None
    params: dict[str, Any]
    ready: Ready | None
    stop_ns: int | None  # None: at the end
    required: bool  # its death before the end fails the run (servers); or its non-zero exit does (clients)
    cwd: str = "/"
    source: str = ""


@dataclass(frozen=True)
class File:
    """A file put into a node before anything starts there. Exactly one content key is set."""

    name: str  # as checks call it: file.sha256
    node: str
    path: str
    random_bytes: int | None  # that many bytes from the stream (seed, "file", name)
    text: str | None
    sha256: str  # of the content
    mode: int = 0o644


@dataclass(frozen=True)
class Event:
    """One thing the timeline does."""

    at_ns: int
    kind: str  # roam, move, link, netem, exec, stop, fault
    target: str  # node or link name, process id for stop, kind of frames for fault
    # roam: {to}; move: {position_m} and perhaps {speed_m_s}; link: {up}; netem: Netem keys; exec: {argv};
    # fault: {action, from, to, listener, skip, count, share_percent}
    params: dict[str, Any]
    source: str = ""


@dataclass(frozen=True)
class Metric:
    """A figure computed from what a process or probe recorded."""

    name: str
    kind: str  # which calculation: goodput, outage, rtt, ...
    of: list[str]  # ids of processes
    unit: str
    per: str | None
    source: str = ""


@dataclass(frozen=True)
class Check:
    """What must hold at the end, in the language of lab.plan.expression."""

    that: str
    source: str = ""


@dataclass(frozen=True)
class Plan:
    """All a guest needs to run and all a record needs to be understood."""

    name: str
    about: str
    topology: str
    workload: str
    seed: int
    duration_ns: int
    overrides: dict[str, str]
    nodes: list[Node]
    links: list[Link]
    files: list[File]
    processes: list[Process]
    events: list[Event]
    metrics: list[Metric]
    checks: list[Check]
    medium: Medium | None = None  # None: the stock one, which is perfect
    pcap: str | None = None  # "air": capture what is on the medium
    stack: str | None = None  # the workload's stack, where it has code: every node has that at /opt/<stack>
    version: int = field(default=VERSION)

    def node(self, name: str) -> Node:
        """The node of that name; KeyError if there is none."""
        for node in self.nodes:
            if node.name == name:
                return node
        raise KeyError(name)

    def data(self) -> dict[str, Any]:
        """What JSON holds; a plan mentions no medium, capture or code that it has not, nor what a radio lacks."""
        found = dataclasses.asdict(self)
        for radio in (node["radio"] for node in found["nodes"] if node["radio"]):
            for key, default in _UNSAID.items():
                if radio[key] == default:
                    del radio[key]
        return {key: found[key] for key in found if key not in _OPTIONAL or found[key] is not None}

    def to_json(self) -> str:
        """Canonical text: sorted keys, two-space indent, newline at the end; what is in a list of lists is a line."""
        text = json.dumps(self.data(), sort_keys=True, indent=2, ensure_ascii=False)
        return _ROW.sub(lambda row: f"{row[1]}[{' '.join(row[2].split())}]", text) + "\n"

    @classmethod
    def from_json(cls, text: str) -> Plan:
        """Inverse of ``to_json``. ValueError: another version of the format."""
        data = json.loads(text)
        if data.get("version") != VERSION:
            raise ValueError(f"plan version {data.get('version')}, this lab reads {VERSION}")
        return typing.cast(Plan, _build(cls, data))


def radio_numbers(nodes: Iterable[Node]) -> dict[str, int]:
    """The number of each node's radio: mac80211_hwsim makes them in order at boot."""
    return {name: number for number, name in enumerate(node.name for node in nodes if node.radio)}


def _build(kind: Any, value: Any) -> Any:
    """Rebuild dataclasses from what json.loads gave, following the annotations."""
    if value is None:
        return None
    origin = typing.get_origin(kind)
    if origin is types.UnionType or origin is typing.Union:
        (kind,) = [option for option in typing.get_args(kind) if option is not type(None)]
        return _build(kind, value)
    if origin is list:
        (item,) = typing.get_args(kind)
        return [_build(item, element) for element in value]
    if isinstance(kind, type) and issubclass(kind, tuple):
        return kind(*value)
    if dataclasses.is_dataclass(kind):
        hints = typing.get_type_hints(kind)
        make: Any = kind
        return make(**{key: _build(hints[key], element) for key, element in value.items()})
    return value
