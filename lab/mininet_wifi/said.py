# SPDX-License-Identifier: MIT
"""What a script has said of its network, and how that becomes a topology: once all is said, it is known what each
radio does."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lab.mininet_wifi import words
from lab.mininet_wifi.collected import Collected
from lab.mininet_wifi.errors import ScriptError
from lab.mininet_wifi.nodes import AP, RemoteController, ScriptNode, Station, Switch
from lab.mininet_wifi.radios import WirelessIntf

_IP_BASE = "10.0.0.0/8"  # the topology's default, too


class Said:
    """Nodes with their parameters, and what they do."""

    def __init__(self, ip_base: str, ssid: str) -> None:
        """Begin with nothing. ``ssid``: of stations, if no access point has one."""
        self.collected = Collected()
        self.nodes: dict[str, ScriptNode] = {}
        self.lines: dict[str, str] = {}  # where nodes were added
        self.notes: dict[str, list[str]] = {}
        self.mobile: dict[str, dict[str, Any]] = {}  # what mobility() says of a node
        self.mobility: dict[str, Any] = {"time": 0, "mob_rep": 1, "reverse": False}  # of all of them
        self.model: dict[str, Any] = {}  # of setMobilityModel()
        self.joins: dict[str, dict[int, tuple[ScriptNode, int]]] = {}  # radios of stations, and whose network they join
        self.without: dict[str, dict[int, tuple[str, dict[str, Any]]]] = {}  # radios without access points
        self.repeats: dict[str, str] = {}  # access points that repeat, and which ones
        self.levels: list[dict[str, Any]] = []  # snr= of links
        self.shaped: list[tuple[WirelessIntf, dict[str, Any]]] = []  # radios with bw= and the like
        self.free: list[WirelessIntf] = []  # radios that join any network in range
        self.joins_by_itself = True  # autoAssociation
        self.controlled = False  # whether there are controllers
        self.by_rules = False  # whether the script wants none
        self.bgscan: str | None = None
        self._ip_base = ip_base
        self._prefix = ip_base.partition("/")[2]
        self._ssid = ssid

    @property
    def aps(self) -> list[AP]:
        """The access points."""
        return [node for node in self.nodes.values() if isinstance(node, AP)]

    def note(self, what: str, sentence: str) -> None:
        """Note what the user should know; the same sentence of several is printed once."""
        named = self.notes.setdefault(sentence, [])
        if what not in named:
            named.append(what)

    def complete(self, where: str) -> Collected:
        """Return all of it; ``where``: the line that builds the network."""
        medium, line = self.collected.others.get("medium", ({}, where))
        self.collected.others["medium"] = ({**medium, **({"snr": self.levels} if self.levels else {})}, line)
        if self._ip_base != _IP_BASE:
            self.collected.others["subnet"] = (self._ip_base, where)
        for name, node in self.nodes.items():
            line = self.lines[name]
            try:
                keys = self._keys(node)
            except (TypeError, ValueError) as error:
                raise ScriptError(f"{name}: {error}", line) from None
            if node.params.get("position") is not None and isinstance(node, AP | Station) and not self._moves(node):
                keys["position"] = self.position(node, node.params["position"], words.height_m(node.params))
            self.collected.nodes[name] = (keys, line)
        self._say_mobility()
        return self.collected

    def _moves(self, node: ScriptNode) -> bool:
        return node.name in self.mobile

    def _is_placed(self, node: ScriptNode) -> bool:
        """Return whether levels follow from where a node is."""
        return node.params.get("position") is not None or self._moves(node) or "model" in self.model

    def _keys(self, node: ScriptNode) -> dict[str, Any]:
        params = node.params
        if isinstance(node, AP):
            if newer := [mode for mode in words.modes(params) if mode in words.NEWER]:
                self.note(f"{node.name} (mode {newer[0]})", "mode n, the newest of the medium")
            return self._keys_of_ap(node)
        if isinstance(node, Station):
            return self._keys_of_station(node)
        if isinstance(node, Switch):
            return {"kind": "switch", **self._bridge(node)}
        if isinstance(node, RemoteController):
            return {"kind": "controller", "app": node.app()}
        return {"kind": "host", **self._addresses(params), **({"mac": params["mac"]} if params.get("mac") else {})}

    def _bridge(self, node: AP | Switch) -> dict[str, Any]:
        """Return how Open vSwitch forwards: it learns addresses, or does only what flow rules say.

        Mininet's controllers have a bridge learn. Without one, Mininet's forwards nothing; here it does so only if the
        script says something that makes sense with flow rules alone.
        """
        if node.name in {*self.repeats, *self.repeats.values()}:
            return {}  # 4-address links need the kernel's bridge
        standalone = node.params.get("failMode") == "standalone"
        outside = next((one.name for one in self.nodes.values() if isinstance(one, RemoteController)), None)
        if outside is not None and not node.learns:
            return {"controller": outside, **({"fail_mode": "standalone"} if standalone else {})}
        by_rules = node.params.get("failMode") == "secure" or node.params.get("protocols") or self.by_rules
        secure = by_rules and not self.controlled and not node.learns
        return {"fail_mode": "secure" if secure and not standalone else "standalone"}

    def _addresses(self, params: Mapping[str, Any]) -> dict[str, Any]:
        keys: dict[str, Any] = {}
        if address := words.of_radio(params, "ip", 0):
            keys["ip"] = address if "/" in address else f"{address}/{self._prefix}"
        if params.get("defaultRoute"):
            keys["routes"] = words.route(params["defaultRoute"])
        return keys

    def _keys_of_ap(self, node: ScriptNode) -> dict[str, Any]:
        params, placed = node.params, self._is_placed(node)
        keys = {"kind": "ap", **words.access_point(params, placed), **self._bridge(node)}
        if params.get("ip"):
            keys["ip"] = params["ip"]
        further = [words.access_point(params, placed, number) for number in range(1, words.radios(params))]
        if node.name in self.repeats.values():
            keys["four_address"] = True
        if node.name in self.repeats:
            ssid = words.of_radio(self.nodes[self.repeats[node.name]].params, "ssid", 0)
            further.append({"kind": "sta", "ssid": ssid, **words.transmitter(params, placed)})
        return {**keys, **({"wlans": further} if further else {})}

    def _keys_of_station(self, node: ScriptNode) -> dict[str, Any]:
        params = node.params
        radios = [self._keys_of_radio(node, number) for number in range(words.radios(params))]
        first, *further = radios
        kind = {} if "mesh_id" in first else {"kind": "sta"}
        keys = {"kind": "mesh", **kind, **first, **self._addresses(params)}
        return {**keys, **({"wlans": [{"kind": "sta", **one} for one in further]} if further else {})}

    def _keys_of_radio(self, node: ScriptNode, number: int) -> dict[str, Any]:
        placed = self._is_placed(node)
        cls, link = self.without.get(node.name, {}).get(number, (None, {}))
        if cls == "adhoc":
            return words.ad_hoc(node.params, link, placed, number)
        if cls == "mesh":
            return words.mesh(node.params, link, placed)
        keys = words.station(node.params, self._network_of(node, number), placed, number)
        free = node.wintfs[number] in self.free
        if self._is_refused(node, number, keys.get("ssid")):
            keys["awaited"] = False
        if free or not self.joins_by_itself:
            keys |= {"awaited": False, "network": {"disabled": 1}}
        if bgscan := words.own_bgscan(node.params) or self.bgscan:
            keys["bgscan"] = bgscan
        if number and (address := words.of_radio(node.params, "ip", number)):
            keys["ip"] = address
        return keys

    def _network_of(self, node: ScriptNode, number: int) -> str | None:
        """Return the SSID that a radio joins: as addLink() says, or that of the nearest access point."""
        if number in self.joins.get(node.name, {}):
            ap, radio = self.joins[node.name][number]
            return words.of_radio(ap.params, "ssid", radio)
        if given := words.of_radio(node.params, "ssid", number):
            return given
        known = {
            words.of_radio(ap.params, "ssid", radio) for ap in self.aps for radio in range(words.radios(ap.params))
        }
        known |= {ssid for ap in self.aps for ssid in words.further_networks(ap.params)}
        if len(known) == 1:
            return None
        if not known:
            return self._ssid
        if self.joins_by_itself:
            self.free.append(node.wintfs[number])
        return words.of_radio(self.aps[0].params, "ssid", 0)

    def _is_refused(self, node: ScriptNode, number: int, ssid: str | None) -> bool:
        """Return whether all access points of its network have another passphrase; note it."""
        given = [words.of_radio(node.params, key, number) for key in ("encrypt", "passwd")]
        wanted = [
            [words.of_radio(ap.params, key, radio) for key in ("encrypt", "passwd")]
            for ap in self.aps
            for radio in range(words.radios(ap.params))
            if ssid in (None, words.of_radio(ap.params, "ssid", radio))
        ]
        wrong = [what for what, own, others in zip(("encrypt", "passwd"), given, zip(*wanted, strict=True), strict=True)
                 if own and own not in others] if wanted else []  # fmt: skip
        if wrong:
            value = given[0] if wrong[0] == "encrypt" else given[1]
            self.note(f"{node.name} ({wrong[0]}={value})", "not what its access point has: the station is refused")
        return bool(wrong)

    def _say_mobility(self) -> None:
        for name, said in self.mobile.items():
            node, where = self.nodes[name], said["where"]
            height = words.height_m(node.params)
            spots = getattr(node, "coord", None) or [
                spot
                for spot in (
                    said.get("start position", node.params.get("position")),
                    said.get("stop position"),
                )
                if spot is not None
            ]
            if "start" not in said or "stop" not in said or not spots:
                raise ScriptError(f"{name}: mobility needs start and stop, each with a time and a position", where)
            try:
                path = words.way(
                    said["start"],
                    said["stop"],
                    [_spot(spot, height) for spot in spots],
                    int(self.mobility["mob_rep"]),
                    self.mobility.get("stop", said["stop"]),
                    bool(self.mobility["reverse"]),
                )
            except ValueError as error:
                raise ScriptError(f"{name}: {error}", where) from None
            self.collected.mobility.append(({"model": "Waypoints", "nodes": [name], "path": path}, where))
        self._say_model()

    def _say_model(self) -> None:
        """Collect the entries of setMobilityModel: one for all nodes with the same parameters."""
        params = dict(self.model)
        if "model" not in params:
            return
        where = params.pop("where")
        movers = [
            node
            for node in self.nodes.values()
            if isinstance(node, AP | Station) and node.params.get("position") is None and node.name not in self.mobile
        ]
        groups: dict[str, tuple[list[str], dict[str, Any]]] = {}
        for node in movers:
            own = {**params, **node.params}
            keys = words.roaming(params["model"], [], own)
            groups.setdefault(repr(keys), ([], own))[0].append(node.name)
        for names, own in groups.values():
            self.collected.mobility.append((words.roaming(params["model"], names, own), where))

    def first_position(self, node: ScriptNode) -> tuple[float, float, float] | None:
        """Return the position with which a node was added."""
        written = node.params.get("position")
        if written is None:
            return None
        x, y, z = (float(part.removesuffix(" m")) for part in self.position(node, written, 0.0))
        return x, y, z

    def position(self, node: ScriptNode, written: Any, height_m: float) -> list[str]:
        """Return a position in the words of a topology."""
        try:
            return words.position(written, height_m)
        except ValueError as error:
            raise ScriptError(f"{node.name}: {error}", self.lines.get(node.name)) from None


def _spot(written: Any, height_m: float) -> tuple[float, float, float]:
    x, y, z = (float(part.removesuffix(" m")) for part in words.position(written, height_m))
    return x, y, z
