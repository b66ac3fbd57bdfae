# SPDX-License-Identifier: MIT
"""The network of a plan: Mininet's ``Mininet`` with stations and access points, built in batches.

Everything is made by as few processes as possible (all veth pairs by one ``ip -batch``, each node's addresses by
another): in User Mode Linux an exec costs milliseconds, and nothing else about a network of this size costs anything.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from mininet.net import Mininet

from lab.guest import commands, hostap_config
from lab.guest.errors import GuestError
from lab.guest.hostap_socket import Control
from lab.guest.loop import Loop, now_ns
from lab.guest.medium.medium import Medium
from lab.guest.network.air_capture import AirCapture
from lab.guest.network.container import enable_limits
from lab.guest.network.links import WiredLink
from lab.guest.network.nodes import AccessPoint, Host, LabNode, Monitor, RadioNode, Station, Switch
from lab.guest.tasks import Task, run
from lab.shared import types
from lab.shared.paths import DAEMON_LOGS

# Computation takes no virtual time: stations that are started together would scan and join together, to the nanosecond.
STATION_GAP_NS = 20_000_000
UP_TIMEOUT_NS = 30_000_000_000  # for hostapd to beacon, for a station to associate


def _lines(lines: list[str]) -> str:
    return "\n".join(lines) + "\n"


class LabNet(Mininet):
    """A running network. ``controls`` maps a node with a radio to its daemon's control connection.

    ``medium`` is None where radios are on the stock, perfect one; ``air`` where it is not captured.
    """

    def __init__(self, plan: types.Plan, loop: Loop) -> None:
        Mininet.inited = True  # its setup raises limits and clears what a host may carry over; a guest is fresh
        super().__init__(topo=None, build=False, controller=None, autoSetMacs=False)
        self.plan = plan
        self.loop = loop
        self.daemons: list[Task] = []
        self.controls: dict[str, Control] = {}
        self.stations: list[Station] = []
        self.aps: list[AccessPoint] = []
        self.monitors: list[Monitor] = []
        self.medium: Medium | None = None
        self.air: AirCapture | None = None
        self._phys = commands.phys(plan)

    # Mininet(-WiFi)'s vocabulary

    def addHost(self, name: str, cls: Any = None, **params: Any) -> Host:
        """A wired computer of the plan."""
        host = Host(self.plan.node(name))
        self.hosts.append(host)
        self.nameToNode[name] = host
        return host

    def addSwitch(self, name: str, cls: Any = None, **params: Any) -> Switch:
        """An Open vSwitch of the plan."""
        node = Switch(self.plan.node(name))
        self.switches.append(node)
        self.nameToNode[name] = node
        return node

    def addStation(self, name: str, **params: Any) -> Station:
        """A station of the plan; it counts as a host in Mininet's sense (pingAll)."""
        station = Station(self.plan.node(name), self._phys[name])
        self.hosts.append(station)
        self.stations.append(station)
        self.nameToNode[name] = station
        return station

    def addAccessPoint(self, name: str, **params: Any) -> AccessPoint:
        """An access point of the plan."""
        ap = AccessPoint(self.plan.node(name), self._phys[name])
        self.aps.append(ap)
        self.nameToNode[name] = ap
        return ap

    def addMonitor(self, name: str, **params: Any) -> Monitor:
        """A radio of the plan that only listens."""
        monitor = Monitor(self.plan.node(name), self._phys[name])
        self.monitors.append(monitor)
        self.nameToNode[name] = monitor
        return monitor

    # Building

    def build(self) -> None:
        """Make all nodes, links and addresses; nothing runs in them yet."""
        enable_limits()
        if self.plan.medium:  # while the radios are down, and none has left for its node
            self.medium = Medium(self.plan.medium)
            self.medium.create()
        adders: dict[str, Callable[[str], LabNode]] = {
            "host": self.addHost,
            "switch": self.addSwitch,
            "sta": self.addStation,
            "ap": self.addAccessPoint,
            "monitor": self.addMonitor,
        }
        for node in self.plan.nodes:
            adders[node.kind](node.name)
        pairs = commands.pair_lines(self.plan, lambda name: self.nameToNode[name].pid)
        if pairs:
            run(["ip", "-batch", "-"], _lines(pairs))
        for link in self.plan.links:
            self.links.append(WiredLink(link, self.nameToNode[link.node_a], self.nameToNode[link.node_b]))
        for node in self.lab_nodes():
            if isinstance(node, RadioNode):
                run(commands.move_radio(node.phy, node.pid), culprit=node.name)
            self._configure(node)
        self.built = True

    def _configure(self, node: LabNode) -> None:
        hosts = "".join(f"{other.ip.split('/')[0]}\t{other.name}\n" for other in self.plan.nodes if other.ip)
        node.container.write("/etc/hosts", f"127.0.0.1\tlocalhost\n{hosts}")
        lines = commands.setup_lines(node.spec, self._phys.get(node.name))
        node.container.run("ip", "-batch", "-", input_text=_lines(lines))
        for command in commands.radio_settings(node.spec, self._phys.get(node.name)):
            node.container.run(*command)
        sysctls = commands.sysctls(node.spec)
        if sysctls:
            node.container.run("sysctl", "-qw", *sysctls)
        shaping = commands.shaping_lines(node.name, self.plan.links)
        if shaping:
            node.container.run("tc", "-batch", "-", input_text=_lines(shaping))

    def start(self) -> None:
        """Start switches, access points and stations, and wait until every station is associated."""
        for command in commands.countries(self.plan):
            run(command)
        if self.plan.pcap:  # before the first radio goes up
            self.air = AirCapture(self.loop)
            self.daemons.append(self.air.task)
        for monitor in self.monitors:  # before anybody sends
            for command in commands.monitor(monitor.radio):
                monitor.container.run(*command)
        for node in self.switches:
            self._start_switch(node)
        for ap in self.aps:
            self._start_access_point(ap)
        for ap in self.aps:
            self._wait_up(ap, "AP-ENABLED", f"{ap.name} to enable its access point")
        for station in self.stations:
            self._start_station(station)
            if self.plan.medium is not None:
                self.loop.run_until(now_ns() + STATION_GAP_NS)
        for station in self.stations:
            what = "join" if station.radio.ibss_bssid else "associate with"
            self._wait_up(station, "CTRL-EVENT-CONNECTED", f"{station.name} to {what} '{station.radio.ssid}'")

    def daemon(self, node: LabNode, name: str, argv: list[str]) -> Task:
        """Start a daemon in a node; its death ends the run."""
        log = DAEMON_LOGS / f"{node.name}-{name}.log"
        task = Task(self.loop, f"{name} on {node.name}", node.container.command(*argv), log)
        self.daemons.append(task)
        return task

    def _start_switch(self, node: Switch) -> None:
        node.container.write("/run/openvswitch/.keep", "")
        node.container.run(*commands.ovs_create())
        database = self.daemon(node, "ovsdb-server", commands.ovs_database())
        self._wait_socket(node, commands.OVS_SOCKET, database)
        self.daemon(node, "ovs-vswitchd", commands.ovs_daemon())
        node.container.run(*commands.ovs_bridge(node.spec))
        self.daemon(node, "follow", commands.ovs_follow(node.spec))

    def _start_access_point(self, node: AccessPoint) -> None:
        node.container.write(commands.HOSTAPD_CONF, commands.hostapd_conf(self.plan, node.spec))
        self._attach(node, hostap_config.HOSTAPD_CONTROL, self.daemon(node, "hostapd", commands.hostapd()))
        follow = commands.ap_follow(self.plan, node.spec)
        if follow:
            self.daemon(node, "follow", follow)

    def _start_station(self, node: Station) -> None:
        node.container.write(commands.SUPPLICANT_CONF, hostap_config.wpa_supplicant_conf(node.radio))
        self._attach(
            node,
            hostap_config.SUPPLICANT_CONTROL,
            self.daemon(node, "wpa_supplicant", commands.wpa_supplicant(node.radio)),
        )

    def _attach(self, node: RadioNode, directory: str, task: Task) -> None:
        self._wait_socket(node, f"{directory}/{node.radio.interface}", task)
        self.controls[node.name] = Control(self.loop, node.container.root, directory, node.radio.interface, task)

    def _wait_socket(self, node: LabNode, path: str, task: Task) -> None:
        socket = node.container.root / path.lstrip("/")
        self.loop.wait_for(
            lambda: socket.exists() or not task.alive,
            UP_TIMEOUT_NS,
            f"{path} of {task.name}",
            culprit=task.name,
            log=task.log,
        )
        if not task.alive:
            raise GuestError(f"{task.name} {task.describe_end()}", task.name, task.log)

    def _wait_up(self, node: RadioNode, event: str, what: str) -> None:
        control = self.controls[node.name]
        status = {"AP-ENABLED": "state=ENABLED", "CTRL-EVENT-CONNECTED": "wpa_state=COMPLETED"}[event]
        if status in control.request("STATUS"):
            return
        self.loop.wait_for(
            lambda: control.seen(event),
            UP_TIMEOUT_NS,
            what,
            control.last,
            control.task.name,
            control.task.log,
            node.spec.source,
        )

    def __iter__(self) -> Iterator[str]:
        """Names of all nodes, access points among them."""
        return (node.name for node in self.lab_nodes())

    def lab_nodes(self) -> list[LabNode]:
        """All nodes in the plan's order."""
        return [self.nameToNode[node.name] for node in self.plan.nodes]

    def dead_daemon(self) -> Task | None:
        """The first daemon that has ended by itself."""
        return next((task for task in self.daemons if not task.alive and not task.expected), None)
