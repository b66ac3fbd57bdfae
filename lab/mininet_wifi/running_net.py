# SPDX-License-Identifier: MIT
"""A network of a script that runs: measurements, and what changes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from time import sleep
from typing import Any

from mininet.log import info, output

from lab.guest.errors import GuestError
from lab.guest.loop import now_ns
from lab.guest.network.network import LabNet
from lab.mininet_wifi import words
from lab.mininet_wifi.errors import ScriptError, caller
from lab.mininet_wifi.nodes import AP, ScriptNode, Station
from lab.mininet_wifi.radios import WirelessIntf, joining
from lab.mininet_wifi.running import ScriptSession, session
from lab.mininet_wifi.said import Said
from lab.shared import types
from lab.shared.types import Plan

_FREE_NS, _LOOK_S = 3_000_000_000, 0.1  # how long build() waits for radios that join what is in range
_SETTLE_S = 3  # pingAll and iperf of Mininet-WiFi wait so long first


class RunningNet(LabNet):
    """What scripts do with a network that has been built."""

    built = False
    _ranges: dict[str, float]

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

    def move(self, node: ScriptNode, written: Any, speed_m_s: float | None = None) -> None:
        """Move a node, at once if it has no speed."""
        if not self.built:
            node.params["position"] = written
            return
        there = ", ".join(self._said.position(node, written, words.height_m(node.params)))
        speed = "" if speed_m_s is None else f", speed: {words.unit(speed_m_s, 'm/s')}"
        self._session.fire(f"move: {node.name}, to: [{there}]{speed}")

    def set_power(self, node: ScriptNode, value: float, intf: str | None) -> None:
        """Change the power of a radio."""
        if not self.built:
            node.params["txpower"] = value
            return
        radio = node.getNameToWintf(intf) if intf else node.wintfs[0]
        if radio is None:
            raise ScriptError(f"{node.name} has no radio {intf}", caller())
        self._session.fire(f"txpower: {radio.radio}, to: {words.unit(value, 'dBm')}")
        radio.txpower = float(value)

    def power_for(self, radio: WirelessIntf, range_m: float) -> float:
        """Return the power with which a radio reaches so far, in dBm."""
        return float(self._session.ask("power", radio=radio.radio, range_m=range_m)["dbm"])

    def range_of(self, radio: str) -> float:
        """Return how far a radio reaches, in m."""
        return self._ranges.get(radio, 0.0)

    # Radios and their daemons

    def radios(self) -> Iterator[WirelessIntf]:
        """Return the radios of all nodes."""
        return (radio for node in self._said.nodes.values() for radio in node.wintfs.values())

    def cells(self) -> list[types.Radio]:
        """Return the radios of access points, as the plan has them."""
        return [one.plan for one in self.radios() if one.node.kind == "ap" and one.plan is not None]

    def radio_with(self, mac: str) -> WirelessIntf | None:
        """Return the radio of an access point with that BSSID."""
        return next((one for one in self.radios() if one.node.kind == "ap" and one.mac == mac), None)

    def ask_daemon(self, radio: str, request: str) -> str:
        """Return what wpa_supplicant or hostapd answers; empty if it does not run, or does not listen."""
        control = self._session.guest.controls.get(radio)
        if control is None or not control.task.alive:
            return ""
        try:
            return self._session.call(lambda: control.request(request))
        except GuestError:  # the script has ended it
            return ""

    def await_event(self, radio: str, event: str, within_ns: int) -> bool:
        """Wait for an event of a daemon from now on; return whether it came."""
        control, loop, since_ns = self._session.guest.controls[radio], self._session.guest.loop, now_ns()

        def wait() -> bool:
            loop.run_until(since_ns + within_ns, lambda: control.seen(event, since_ns))
            return control.seen(event, since_ns)

        return self._session.call(wait)

    def free(self, radios: Sequence[WirelessIntf]) -> None:
        """Have radios join any network in range, the best first, and wait a while for them."""
        for radio in radios:
            assert radio.plan is not None  # the network is built
            mhz = " ".join(sorted({str(one.frequency_mhz) for one in self.cells()}))
            open_ones = [one for one in reversed(self.cells()) if one.encrypt in (None, "open")]
            for cell in {one.ssid: one for one in open_ones}.values():
                number = "0" if cell.ssid == radio.plan.ssid else self.ask_daemon(radio.radio, "ADD_NETWORK").strip()
                for line in joining(radio.plan, cell):
                    self.ask_daemon(radio.radio, f"SET_NETWORK {number} {line.replace('=', ' ', 1)}")
                self.ask_daemon(radio.radio, f"SET_NETWORK {number} scan_freq {mhz}")
                if radio.plan.bgscan:
                    self.ask_daemon(radio.radio, f'SET_NETWORK {number} bgscan "{radio.plan.bgscan}"')
            self.ask_daemon(radio.radio, "ENABLE_NETWORK all")
        end_ns = now_ns() + _FREE_NS
        waiting = list(radios)
        while waiting and now_ns() < end_ns:
            sleep(_LOOK_S)
            waiting = [one for one in waiting if "wpa_state=COMPLETED" not in self.ask_daemon(one.radio, "STATUS")]

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
