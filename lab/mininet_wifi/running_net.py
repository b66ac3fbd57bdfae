# SPDX-License-Identifier: MIT
"""A network of a script that runs: measurements, and what changes."""

from __future__ import annotations

from time import sleep
from typing import Any

from mininet.log import info, output

from lab.guest.network.network import LabNet
from lab.mininet_wifi import words
from lab.mininet_wifi.errors import ScriptError, caller
from lab.mininet_wifi.nodes import AP, ScriptNode, Station
from lab.mininet_wifi.running import ScriptSession, session
from lab.mininet_wifi.said import Said
from lab.shared.types import Plan

_SETTLE_S = 3  # pingAll and iperf of Mininet-WiFi wait so long first


class RunningNet(LabNet):
    """What scripts do with a network that has been built."""

    built = False

    def __init__(self, plan: Plan, said: Said) -> None:
        """Begin with a guest in which nothing exists."""
        super().__init__(plan)
        self.cars: list[Station] = []
        self._said = said
        self._session: ScriptSession = session()

    def waitConnected(self, timeout: float | None = None, delay: float = 0.5) -> bool:
        """Return whether switches forward: they do once the network is built."""
        return self.built

    def _pinging(self) -> list[Any]:
        return [*self.hosts, *self.stations, *self.cars]

    def ping(self, hosts: Any = None, timeout: str | None = None) -> Any:
        """Have nodes ping each other, all of them if none are named; return the share that was lost, in percent."""
        if not hosts:
            output("*** Ping: testing ping reachability\n")
        return super().ping(hosts or self._pinging(), timeout)

    def pingFull(self, hosts: Any = None, timeout: str | None = None) -> Any:
        """Do the same, and return what each ping printed, as Mininet does."""
        if not hosts:
            output("*** Ping: testing ping reachability\n")
        return super().pingFull(hosts or self._pinging(), timeout)

    def pingAll(self, timeout: str | None = None) -> Any:
        """Have all nodes ping each other, after 3 s; return the share that was lost, in percent."""
        sleep(_SETTLE_S)
        return self.ping(timeout=timeout)

    def pingPair(self) -> Any:
        """Have the first two nodes ping each other, after 3 s."""
        sleep(_SETTLE_S)
        return self.ping(self._pinging()[:2])

    def pingAllFull(self) -> Any:
        """Do as ``pingFull``, after 3 s."""
        sleep(_SETTLE_S)
        return self.pingFull()

    def pingPairFull(self) -> Any:
        """Do as ``pingFull`` with the first two nodes, after 3 s."""
        sleep(_SETTLE_S)
        return self.pingFull(self._pinging()[:2])

    def iperf(self, hosts: Any = None, *args: Any, **kwargs: Any) -> list[str]:
        sleep(_SETTLE_S)
        nodes = self._pinging()
        return super().iperf(hosts or (nodes[0], nodes[-1]), *args, **kwargs)

    def staticArp(self) -> None:
        """Tell all nodes each other's MAC address."""
        for one in self._pinging():
            for other in self._pinging():
                if one is not other:
                    one.setARP(ip=other.IP(), mac=other.MAC())

    def configLinkStatus(self, src: str, dst: str, status: str) -> None:
        """Take a link down or up: a wired one, or a station from its network."""
        one, other = self._found(src), self._found(dst)
        stations = [node for node in (one, other) if isinstance(node, Station)]
        if stations and isinstance(one if stations[0] is other else other, AP):
            self._session.fire(f"{'connect' if status == 'up' else 'disconnect'}: {stations[0].name}")
        else:
            self._session.fire(f"link: [{one.name}, {other.name}], to: {status}")

    def get_distance(self, src: str, dst: str) -> None:
        """Print the distance between two nodes."""
        distance = self._found(src).get_distance_to(self._found(dst))
        info(f"The distance between {src} and {dst} is {distance} meters\n")

    def position_of(self, node: ScriptNode) -> tuple[float, float, float] | None:
        """Return where a node is, in m, as scripts say it: without the height of its antenna."""
        if not self.built:
            return self._said.first_position(node)
        found = self._session.position_m(node.name)
        return found and (found[0], found[1], round(found[2] - words.height_m(node.params), 9))

    def move(self, node: ScriptNode, written: Any) -> None:
        """Move a node, at once."""
        if not self.built:
            node.params["position"] = written
            return
        there = ", ".join(self._said.position(node, written, words.height_m(node.params)))
        self._session.fire(f"move: {node.name}, to: [{there}]")

    def set_power(self, node: ScriptNode, value: float, intf: str | None) -> None:
        """Change the power of a radio."""
        if not self.built:
            node.params["txpower"] = value
            return
        names = [one.name for one in node.wintfs.values()]
        radio = node.name if intf in (None, names[0]) else str(intf)
        self._session.fire(f"txpower: {radio}, to: {words.unit(value, 'dBm')}")

    def _found(self, node: Any) -> Any:
        if isinstance(node, str):
            if node not in self.nameToNode:
                raise ScriptError(f"no node is called {node}", caller())
            return self.nameToNode[node]
        return node

    def __iter__(self) -> Any:
        return iter(self._said.nodes)

    def __len__(self) -> int:
        return len(self._said.nodes)

    def __contains__(self, name: object) -> bool:
        return name in self._said.nodes
