# SPDX-License-Identifier: MIT
"""The plan: a topology and a workload resolved to what exactly happens, in base units.

Standard library only, since the guest reads it too. Times are integer nanoseconds from the start of the
timeline (``*_ns``), rates are bit/s (``*_bps``), sizes bytes, positions metres, probabilities percent.
``to_json`` is canonical (sorted keys), so equal plans are equal bytes.
"""

from __future__ import annotations

import json
import typing
from collections.abc import Iterable
from typing import Any

from lab.shared.frozen import built, field, frozen
from lab.shared.frozen import data as data_of
from lab.shared.medium_types import Medium
from lab.shared.mobility_types import Way

VERSION = 1
MAX_OUTPUT_BYTES = 100 << 20  # of a process
MAX_OUTPUT_OF_ALL_BYTES = 1 << 30
_ROW = r"(?m)^( *)\[\s+(-?\d+(?:,\s+-?\d+)*)\s+\]"  # no text has a line end in JSON


# by hostapd's and the medium's names, in the order of hostapd's queues and of the kernel's enum ieee80211_ac_numbers
ACCESS_CATEGORIES = {"voice": "vo", "video": "vi", "best_effort": "be", "background": "bk"}

# the guest's kernel writes messages up to this one on its console: the numbers of loglevel=
CONSOLE_LEVELS = {"error": 4, "warning": 5, "notice": 6, "info": 7, "debug": 8}
CONSOLE_LEVEL = "warning"


@frozen
class EdcaParameters:
    """EDCA parameters of an access category that an access point announces, and uses itself. None: hostapd's own."""

    category: str  # a key of ACCESS_CATEGORIES
    aifsn: int | None = field(default=None, omitted=True)
    cw_min: int | None = field(default=None, omitted=True)
    cw_max: int | None = field(default=None, omitted=True)
    txop_limit_ns: int | None = field(default=None, omitted=True)  # a multiple of 32 us

    def burst_tenths_ms(self) -> int:
        """Return the access point's own TXOP limit in the unit in which hostapd takes it."""
        return round((self.txop_limit_ns or 0) / 100_000)

    def own_txop_limit_ns(self) -> int:
        """Return what hostapd makes of that: it rounds to units of 32 us (i802_set_tx_queue_params)."""
        return (self.burst_tenths_ms() * 100 + 16) // 32 * 32_000


@frozen
class RadioOption:
    """A line of hostapd's or wpa_supplicant's configuration: what a key stands for, or what the topology gives."""

    name: str
    value: str
    source: str = ""


@frozen
class Eap:
    """What a radio in a network with 802.1X proves, and what it accepts."""

    identity: str  # of a station; of an access point: empty
    method: str | None  # of a station: tls, peap or pwd; of an access point: None
    issuer: str  # of its certificate: lab or stranger
    users: dict[str, str] = field(default_factory=dict, omitted=True)  # of an access point: passwords by identity
    # in PEM
    authority: str = field(default="", omitted=True)
    certificate: str = field(default="", omitted=True)
    key: str = field(default="", omitted=True)


RADIUS_PORT = 1812  # RFC 2865 3


@frozen
class RadiusServer:
    """What a node that decides about others with 802.1X knows."""

    eap: Eap
    clients: list[str] = field(default_factory=list, omitted=True)  # addresses of access points
    secret: str = field(default="", omitted=True)  # that it shares with them
    hostapd: list[RadioOption] = field(default_factory=list, omitted=True)  # in the program's own words
    freeradius: bool = field(default=False, omitted=True)  # instead of hostapd
    config: dict[str, str] = field(default_factory=dict, omitted=True)  # texts of FreeRADIUS's files, by path


@frozen
class RadiusClient:
    """The RADIUS server that an access point asks."""

    server: str
    ip: str = field(default="", omitted=True)
    secret: str = field(default="", omitted=True)


SEARCH = "search"  # instead of the BSSID of an ad hoc network: stations find each other


@frozen
class MeshPoint:
    """What makes a radio a mesh point (802.11s)."""

    gate: bool = field(default=False, omitted=True)  # bridged with the wired ports of its node
    params: list[RadioOption] = field(default_factory=list, omitted=True)  # in iw's words


@frozen
class Radio:
    """One emulated radio and the role that hostapd or wpa_supplicant gives it."""

    interface: str  # sta1-wlan0, ap1-wlan1: Mininet-WiFi's names
    mac: str  # the BSSID of an access point
    ssid: str
    mode: str  # b, g, a, n
    channel: int | None  # None: a station scans
    frequency_mhz: int | None
    # a station: the frequencies of the access points with its SSID, ascending; empty if no access point has it
    scan_mhz: list[int]
    country: str
    encrypt: str | None  # None or "open", "owe", "wpa2", "wpa3", "wpa2/wpa3", "8021x"
    passwd: str | None
    txpower_dbm: float | None = None
    antenna_gain_dbi: float | None = None
    width_mhz: int = field(default=20, omitted=True)
    # of an access point 40 MHz wide: + above its channel, - below
    ht40_secondary: str | None = field(default=None, omitted=True)
    short_gi: bool = field(default=False, omitted=True)
    wmm: bool = field(default=False, omitted=True)  # WMM outside mode n, which always has it
    # of an access point with WMM; categories that are not listed have hostapd's
    edca: list[EdcaParameters] = field(default_factory=list, omitted=True)
    # of a station whose radio can less than its network: no 802.11n, no 40 MHz, no rates of 802.11g
    without_ht: bool = field(default=False, omitted=True)
    without_ht40: bool = field(default=False, omitted=True)
    dsss_only: bool = field(default=False, omitted=True)
    short_slots: bool = field(default=False, omitted=True)  # of 9 us in an ad hoc network at 2.4 GHz
    power_save: bool = field(default=False, omitted=True)  # of a station: it dozes when nothing comes or goes
    # BSSID of an ad hoc network, or SEARCH; None: no station, or one with an access point
    ibss_bssid: str | None = field(default=None, omitted=True)
    # of a station, in wpa_supplicant's words; None: it does not scan in the background
    bgscan: str | None = field(default=None, omitted=True)
    # four hexadecimal digits: fast transitions; of a station: in its network
    mobility_domain: str | None = field(default=None, omitted=True)
    # of an access point; empty: as hostapd has them
    basic_rates: list[str] = field(default_factory=list, omitted=True)
    beacon_interval_tu: int = field(default=100, omitted=True)  # of an access point, in units of 1024 us
    mesh: MeshPoint | None = field(default=None, omitted=True)  # None: not in a mesh
    eap: Eap | None = field(default=None, omitted=True)  # with 802.1X, unless an access point asks others:
    radius: RadiusClient | None = field(default=None, omitted=True)
    # of an access point: it hands out its passphrase at the push of a button; of a station: it has to get it like that
    wps: bool = field(default=False, omitted=True)
    vlan: int = field(default=0, omitted=True)  # of an access point: of its stations; 0: none
    four_address: bool = field(default=False, omitted=True)  # of a station: it bridges, by 4-address frames
    scan_all: bool = field(default=False, omitted=True)  # of a station: it searches all channels
    awaited: bool = field(default=True, omitted=True)  # whether the run begins only once a station is associated
    # in the program's own words: of hostapd; of wpa_supplicant, and of its network block
    hostapd: list[RadioOption] = field(default_factory=list, omitted=True)
    wpa_supplicant: list[RadioOption] = field(default_factory=list, omitted=True)
    network: list[RadioOption] = field(default_factory=list, omitted=True)
    # by key of the topology, in base units; see lab.model.radio_setting
    settings: dict[str, Any] = field(default_factory=dict, omitted=True)
    # further networks of an access point, on the same channel: interfaces of the radio, as the first one is described
    bss: list[Radio] = field(default_factory=list, omitted=True)

    def networks(self) -> list[Radio]:
        """Return all its interfaces, each with a network, as if each was a radio."""
        return [self, *self.bss]

    @property
    def alone(self) -> bool:
        """Whether its network has no access points: an ad hoc network, or a mesh."""
        return self.ibss_bssid is not None or self.mesh is not None

    def has(self, option: str) -> bool:
        """Check whether hostapd's ``option``, which is 0 by default, is 1."""
        return [one.value for one in self.hostapd if one.name == option][-1:] == ["1"]


@frozen
class Wlan:
    """A radio of a node after its first one."""

    kind: str  # of the node that it would be: ap or sta
    radio: Radio
    ip: str | None = field(default=None, omitted=True)  # address and prefix
    ip6: str | None = field(default=None, omitted=True)
    offset_m: list[float] | None = field(default=None, omitted=True)  # of its position, from that of the node


@frozen
class Interface:
    """A wired interface of a node: the end of a link."""

    name: str  # h1-eth0; switches and access points count from 1: s1-eth1
    mac: str
    link: str
    ip: str | None  # "10.0.0.1/8"; None for the ports of switches and access points
    ip6: str | None = field(default=None, omitted=True)  # "2001:db8::1/64"
    control: bool = field(default=False, omitted=True)  # between a bridge and its OpenFlow controller
    # the VLAN of untagged frames, 0: none, or None: all are tagged; in a topology without VLANs, also None
    vlan: int | None = field(default=None, omitted=True)
    vlans: list[int] = field(default_factory=list, omitted=True)  # of tagged frames
    # of h1-eth0.10, by which a node that is not a bridge sends the tagged frames of VLAN 10: h1-eth0
    parent: str | None = field(default=None, omitted=True)

    @property
    def addressed(self) -> bool:
        """Whether it can have an address: it has untagged frames, or is for those of one VLAN."""
        return self.parent is not None or self.vlan is not None or not self.vlans

    def carries(self) -> list[int]:
        """Return the VLANs of its frames; 0: of none."""
        return [*([self.vlan or 0] if self.addressed else []), *self.vlans]


@frozen
class Sysctl:
    """A parameter of a node's network namespace."""

    name: str  # net.ipv4.tcp_timestamps
    value: str
    source: str = ""


@frozen
class OpenFlow:
    """How OpenFlow programs an Open vSwitch."""

    programmed: bool  # rules decide where frames go; otherwise it learns addresses
    standalone: bool  # without a controller it learns addresses
    controller_ip: str | None = field(default=None, omitted=True)
    rules: list[str] = field(default_factory=list, omitted=True)
    stp: bool = field(default=False, omitted=True)  # RSTP
    edges: list[str] = field(default_factory=list, omitted=True)  # ports to nodes that are not bridges, with RSTP


@frozen
class ControllerApp:
    """What an OpenFlow controller runs."""

    app: str  # a Python module, or the name of one of ``files``
    files: dict[str, str] = field(default_factory=dict, omitted=True)  # texts by file name


@frozen
class Route:
    """A static route of a node."""

    to: str  # a network, or default
    via: str  # the address of a router, IPv4 or IPv6
    source: str = ""


@frozen
class DhcpPool:
    """The addresses that a DHCP server leases on one of its interfaces."""

    interface: str
    first: str
    last: str
    prefix_length: int
    gateway: str | None  # the router that clients use, if the segment has one


@frozen
class RouterAdvertisement:
    """What a router advertises on one of its interfaces (RFC 4861)."""

    interface: str
    prefix: str  # "2001:db8:1::/64"
    leases: bool  # addresses by DHCPv6
    slaac: bool  # nodes may make their own addresses


START_NS = 1_767_225_600_000_000_000  # 2026-01-01T00:00:00Z: runs do not depend on the date, and logs are readable
WAYS = {"dhcp": "DHCP", "dhcp6": "DHCPv6", "slaac": "SLAAC"}  # to addresses that others give


@frozen
class Addressing:
    """How a node in a topology of several subnets gets addresses and routes, and gives them to others."""

    # how its interfaces get addresses that the plan does not give: keys of WAYS by interface
    asks: dict[str, list[str]] = field(default_factory=dict, omitted=True)
    routes: list[Route] = field(default_factory=list, omitted=True)
    nat: list[str] = field(default_factory=list, omitted=True)  # interfaces behind whose address all others hide
    nameserver: str | None = field(default=None, omitted=True)
    pools: list[DhcpPool] = field(default_factory=list, omitted=True)
    advertisements: list[RouterAdvertisement] = field(default_factory=list, omitted=True)


@frozen
class Health:
    """The HEALTHCHECK of a Docker image, in Docker's terms."""

    argv: list[str]
    interval_ns: int  # before each check
    timeout_ns: int  # of a check
    start_period_ns: int  # from the start; failures in it do not count
    start_interval_ns: int  # instead of ``interval_ns`` in that time
    retries: int  # after so many failures in a row it has failed


@frozen
class Docker:
    """How the programs of a Docker image run. Its files are those of the node's ``image``."""

    argv: list[str]  # what it starts: entrypoint and command; empty: nothing
    environment: dict[str, str]
    cwd: str
    user: str  # name or uid, with :group or :gid or without; empty: root
    health: Health | None = field(default=None, omitted=True)
    # the topology says what starts; so that starts even if the workload runs something on the node
    given: bool = field(default=False, omitted=True)
    source: str = ""  # docker-daemon:NAME:TAG, oci:DIR, docker-archive:FILE


@frozen
class Node:
    """A container."""

    name: str
    kind: str  # a folder of lab/nodes
    roles: list[str]
    ip: str | None  # address and prefix on its first interface (wired, or the radio of a station), or of the bridge
    memory_bytes: int
    pids_max: int
    position_m: list[float] | None
    interfaces: list[Interface]
    radio: Radio | None
    index: int  # position among all nodes, from 1; stable key for addresses and streams
    source: str = ""  # file:line of the definition
    sysctls: list[Sysctl] = field(default_factory=list, omitted=True)
    # a folder of images/, over the base; with ``docker``: sha256-…, a second root next to the base; None: the base only
    image: str | None = field(default=None, omitted=True)
    docker: Docker | None = field(default=None, omitted=True)
    privileged: bool = field(default=False, omitted=True)  # its programs may do what concerns the whole guest
    ip6: str | None = field(default=None, omitted=True)  # address and prefix on its first interface
    openflow: OpenFlow | None = field(default=None, omitted=True)  # of a bridge that is not only a learning one
    controller: ControllerApp | None = field(default=None, omitted=True)
    radius: RadiusServer | None = field(default=None, omitted=True)
    addressing: Addressing | None = field(default=None, omitted=True)  # in a topology with routers or subnets:
    vlan: int = field(default=0, omitted=True)  # of the address of a bridge; 0: none
    wlans: list[Wlan] = field(default_factory=list, omitted=True)
    owner: str | None = field(default=None, omitted=True)  # of a radio after a node's first, seen as a node: that node

    @property
    def home(self) -> str:
        """The name of the node in whose container it is."""
        return self.owner or self.name

    def radios(self) -> list[Node]:
        """Return its radios, each as a node: itself for the first, the others by the names of their interfaces."""
        return [self, *(self._with(wlan) for wlan in self.wlans)] if self.radio else []

    def further_networks(self) -> list[Node]:
        """Return the networks of its radios after the first of each, each as a node named after its interface."""
        radios = [(one, one.radio) for one in self.radios() if one.radio]
        return [self._owned(bss, kind=one.kind) for one, radio in radios for bss in radio.bss]

    def _with(self, wlan: Wlan) -> Node:
        at_m = self.position_m
        if at_m is not None and wlan.offset_m is not None:
            at_m = [one + other for one, other in zip(at_m, wlan.offset_m, strict=True)]
        return self._owned(wlan.radio, kind=wlan.kind, ip=wlan.ip, ip6=wlan.ip6, position_m=at_m)

    def _owned(self, radio: Radio, **own: Any) -> Node:
        without: dict[str, Any] = {"ip": None, "ip6": None, "interfaces": [], "wlans": []}
        return Node(**{**self.__dict__, **without, "name": radio.interface, "radio": radio, "owner": self.name, **own})

    def network(self, ssid: str) -> Radio | None:
        """Return the interface of its radio with that network, if it has one."""
        networks = self.radio.networks() if self.radio else []
        return next((one for one in networks if one.ssid == ssid), None)

    @property
    def ports(self) -> list[str]:
        """The interfaces that it bridges, if it is a bridge."""
        own = [radio.radio for radio in self.radios() if radio.radio]
        networks = [one.interface for radio in own for one in radio.networks()]
        return [*(one.name for one in self.interfaces if not one.control), *networks]

    @property
    def uses_radius(self) -> bool:
        """Whether it asks a RADIUS server, or is one."""
        own = [radio.radio for radio in self.radios() if radio.radio]
        return self.radius is not None or any(one.radius for radio in own for one in radio.networks())

    @property
    def first_interface(self) -> str | None:
        """The interface with the node's address: its radio if it has one, else the first wired interface.

        Of a mesh gate: its bridge.
        """
        if self.radio is not None and self.radio.mesh is not None and self.radio.mesh.gate:
            return "br0"
        if self.radio is not None:
            return self.radio.interface
        return next((one.name for one in self.interfaces if one.addressed), None)


@frozen
class Netem:
    """What tc/netem does to each direction of a wired link. 0 or None: not at all."""

    delay_ns: int = 0
    jitter_ns: int = 0
    loss_percent: float = 0.0
    rate_bps: int | None = None
    reorder_percent: float = 0.0
    limit_packets: int = 1000


@frozen
class Link:
    """A wired link (a veth pair)."""

    name: str  # h1-s1
    a: str  # interface names
    b: str
    node_a: str
    node_b: str
    netem: Netem
    source: str = ""

    def ends(self) -> list[tuple[str, str]]:
        """Return node and interface at each end."""
        return [(self.node_a, self.a), (self.node_b, self.b)]


@frozen
class Ready:
    """When a process counts as up. Exactly one is set."""

    listening: str | None = None  # "tcp/80", "udp/5001"
    log: str | None = None  # a regular expression that its output must match
    timeout_ns: int = 10_000_000_000


@frozen
class Prints:
    """How to read what a program prints."""

    json: bool  # lines that are JSON objects are read
    match: list[str]  # regular expressions, with a named group for each value
    units: dict[str, str]  # by the names of values; the others are plain numbers


@frozen
class Process:
    """A program or a probe, started on one node.

    ``id`` names raw files and sources of metrics: the ``as`` of the file, with ``@node`` where several
    nodes of a role run it. ``argv`` is the whole command, empty where ``mode`` is control; that of a probe follows from
    ``params`` (in base units). ``at_ns`` below 0: before the timeline starts, in order of listing.
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
    # command: one process; sample: the same again and again; control: events of a daemon
    mode: str = field(default="command", omitted=True)
    acts: bool = field(default=False, omitted=True)  # a probe that is part of the workload: it may end by itself
    # between samples, of the command or of the size of ``watched_file``
    every_ns: int | None = field(default=None, omitted=True)
    # a file of the node whose size is sampled and whose content is hashed
    watched_file: str | None = field(default=None, omitted=True)
    may_run_on: bool = field(default=False, omitted=True)  # a client that need not have ended at the end of the run
    max_output_bytes: int = field(default=MAX_OUTPUT_BYTES, omitted=True)  # of stdout and stderr together
    cwd: str = "/"
    source: str = ""
    prints: Prints | None = field(default=None, omitted=True)
    user: int | None = field(default=None, omitted=True)  # its number and its group's; None: the node's own
    of_image: bool = field(default=False, omitted=True)  # what the Docker image of its node starts
    health: Health | None = field(default=None, omitted=True)  # instead of ``ready``

    def serves(self) -> bool:
        """Check whether others need it until their end."""
        return self.ready is not None or self.of_image

    def must_end(self) -> bool:
        """Check whether it is a client: it must have ended by itself at the end of the run."""
        acts = self.mode == "command" and (self.probe is None or self.acts)
        return acts and self.required and not (self.ready or self.stop_ns is not None or self.may_run_on)


@frozen
class Collect:
    """Files of a node to copy into the run's directory when the run has ended."""

    node: str
    path: str  # absolute; a pattern of glob.glob
    optional: bool  # if not, the run fails if no file is found
    at_most_bytes: int  # together
    source: str = ""


@frozen
class File:
    """A file put into a node before anything starts there. Exactly one content key is set."""

    name: str  # as checks call it: file.sha256; of a file in a folder, with its path there: site/index.html
    node: str
    path: str
    random_bytes: int | None  # that many bytes from the stream (seed, "file", name)
    text: str | None
    sha256: str  # of the content
    mode: int = 0o644
    packed_bytes: int | None = field(default=None, omitted=True)  # size of what is not text: in the plan's ``packed``

    @property
    def size_bytes(self) -> int:
        """The size of the content."""
        return len(self.text.encode()) if self.text is not None else self.random_bytes or self.packed_bytes or 0

    @property
    def in_folder(self) -> bool:
        """Whether it is one of the files of a folder; checks do not know these."""
        return "/" in self.name


@frozen
class Event:
    """One thing the timeline does."""

    at_ns: int
    kind: str  # a folder of lab/events
    target: str  # node or link name, process id for stop, kind of frames for fault
    params: dict[str, Any]  # what the kind's model resolves to, in base units
    source: str = ""


@frozen
class PlannedMetric:
    """A quantity computed from what a process or probe recorded."""

    name: str
    kind: str  # which calculation: goodput, outage, rtt, ...
    of: list[str]  # ids of processes
    unit: str
    per: str | None
    source: str = ""


@frozen
class Check:
    """What must hold at the end, in the language of lab.expressions.expression."""

    that: str
    source: str = ""


@frozen
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
    metrics: list[PlannedMetric]
    checks: list[Check]
    medium: Medium | None = field(default=None, omitted=True)  # None: the stock one, which is perfect
    mobility: list[Way] = field(default_factory=list, omitted=True)  # where nodes go by themselves, in file order
    pcap: str | None = field(default=None, omitted=True)  # "air": capture what is on the medium
    # the workload's stack, where it has code: every node has that at /opt/<stack>
    stack: str | None = field(default=None, omitted=True)
    # the stacks whose code that one uses, at /opt/<stack> too: earlier ones come first in PATH
    used_stacks: list[str] = field(default_factory=list, omitted=True)
    # text of the Python programs that probes bring, by file name; None: none
    programs: dict[str, str] | None = field(default=None, omitted=True)
    modules: list[str] = field(default_factory=list, omitted=True)  # of the guest's kernel
    console_level: str = field(default=CONSOLE_LEVEL, omitted=True)  # a key of CONSOLE_LEVELS
    rate_control: str | None = field(default=None, omitted=True)  # of all radios; None: the kernel's default
    memory_bytes: int | None = field(default=None, omitted=True)  # of the guest; None: by the number of nodes
    start_ns: int = field(default=START_NS, omitted=True)  # what clocks show when the guest boots, since 1970
    max_output_bytes: int = field(default=MAX_OUTPUT_OF_ALL_BYTES, omitted=True)  # of all files of the run
    # content of files that are not text, in base64, by its SHA-256; not compressed, since results differ between zlibs
    packed: dict[str, str] = field(default_factory=dict, omitted=True)
    # the folders of images that are next to the topology, by the images' names; for people, as ``source``
    image_folders: dict[str, str] = field(default_factory=dict, omitted=True)
    collect: list[Collect] = field(default_factory=list, omitted=True)
    version: int = field(default=VERSION)

    def stacks(self) -> list[str]:
        """Return all stacks whose code nodes have, in the order of PATH."""
        return [self.stack, *self.used_stacks] if self.stack else []

    def images(self) -> list[str]:
        """Return the images of nodes, in alphabetical order: the order of their block devices."""
        return sorted({node.image for node in self.nodes if node.image})

    def docker_images(self) -> dict[str, Node]:
        """Return those of them that are Docker's, with a node that has it."""
        return {node.image: node for node in self.nodes if node.image and node.docker}

    def node(self, name: str) -> Node:
        """Return the node of that name, or with the radio or network of that name; raise KeyError if no node has it."""
        for node in self.nodes:
            if node.name == name:
                return node
        networks = [network for node in self.nodes for network in node.further_networks()]
        for node in (*radios(self.nodes), *networks):
            if node.name == name:
                return node
        raise KeyError(name)

    def radios(self) -> list[Node]:
        """Return all radios, each as a node."""
        return radios(self.nodes)

    def link(self, name: str) -> Link:
        """Return the wired link of that name; raise KeyError if no link has it."""
        for link in self.links:
            if link.name == name:
                return link
        raise KeyError(name)

    def unawaited(self, station: Node) -> str | None:
        """Return why the run begins although a station may not be associated; None if it waits for that."""
        radio = station.radio
        if radio is not None and not radio.awaited:
            return f"{station.name} is not awaited"
        if radio is not None and radio.wps:
            return f"{station.name} needs an event wps: to join"
        if radio is not None and not radio.scan_mhz:
            return f"no access point has the SSID '{radio.ssid}': {station.name} starts unassociated"
        return self.out_of_reach(station)

    def out_of_reach(self, station: Node) -> str | None:
        """Return why a station cannot associate where it begins: no frame of its network arrives; None if it can."""
        radio = station.radio
        if self.medium is None or radio is None or station.kind != "sta" or radio.ibss_bssid:
            return None
        numbers = radio_numbers(self.nodes)
        pairs = [
            [
                self.medium.hearing(numbers[one.name], numbers[other.name], ap.radio.frequency_mhz or 0)
                for one, other in ((station, ap), (ap, station))
            ]
            for ap in self.radios()
            if ap.kind == "ap" and ap.radio and ap.network(radio.ssid)
        ]
        nearest = max(pairs, key=min, default=[])
        best = next((way for way in nearest if way.reserve_mb < 0), None)
        if best is None:
            return None
        levels_mb = best.snr_mb, best.noticed_mb
        snr, least = (f"{level_mb / 100:.0f} dB" for level_mb in levels_mb)
        if snr == least:
            snr, least = (f"{level_mb / 100:g} dB" for level_mb in levels_mb)
        hears = f"{best.receiver} hears {best.transmitter} at {snr} SNR, but radios notice frames from {least} on"
        return f"{hears}: {station.name} starts unassociated"

    def data(self) -> dict[str, Any]:
        """Return what JSON holds, without what is at its default and need not be mentioned."""
        found: dict[str, Any] = data_of(self)
        return found

    def to_json(self) -> str:
        """Return canonical text: sorted keys, two-space indent, newline at the end; a list in a list is one line."""
        import re  # the guest only reads plans

        text = json.dumps(self.data(), sort_keys=True, indent=2, ensure_ascii=False)
        return re.sub(_ROW, lambda row: f"{row[1]}[{' '.join(row[2].split())}]", text) + "\n"

    @classmethod
    def from_json(cls, text: str) -> Plan:
        """Return the plan of which ``to_json`` made this text.

        Raises:
            ValueError: If it has another version of the format.
        """
        data = json.loads(text)
        if data.get("version") != VERSION:
            raise ValueError(f"plan version {data.get('version')}, this lab reads {VERSION}")
        return typing.cast(Plan, built(cls, data))


def radios(nodes: Iterable[Node]) -> list[Node]:
    """Return all radios, each as a node: the first of a node by its name, the others by those of their interfaces."""
    return [radio for node in nodes for radio in node.radios()]


def names_by_mac(nodes: Iterable[Node], kind: str | None = None) -> dict[str, str]:
    """Return the names of radios (of that kind) by MAC address: as in ``radios``, and interfaces of other networks."""
    found = [(node.name, node.radio) for node in radios(nodes) if node.radio and kind in (None, node.kind)]
    first = {radio.mac: name for name, radio in found}
    return first | {one.mac: one.interface for _, radio in found for one in radio.bss}


def radio_numbers(nodes: Iterable[Node]) -> dict[str, int]:
    """Return the number of each radio: they are made in this order."""
    return {node.name: number for number, node in enumerate(radios(nodes))}
