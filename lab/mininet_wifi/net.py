# SPDX-License-Identifier: MIT
"""``Mininet_wifi``: it collects what a script says, and has the host check and resolve it when the network is built."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any

from mininet.log import info
from mininet.node import NOX, RemoteController, Ryu
from mininet.util import ipAdd, macColonHex, netParse

from lab.guest.commands import Mount
from lab.guest.file_limit import raise_file_limit
from lab.guest.live import LiveGuest
from lab.guest.loop import Loop
from lab.guest.network.network import WiredLink
from lab.guest.network.nodes import LabNode
from lab.mininet_wifi import links, unsupported, words
from lab.mininet_wifi.errors import ScriptError, caller, unavailable
from lab.mininet_wifi.nodes import AP, Car, Controller, ScriptHost, ScriptNode, Station, Switch
from lab.mininet_wifi.running_net import RunningNet
from lab.mininet_wifi.said import Said
from lab.shared import types
from lab.shared.paths import DAEMON_LOGS, RUN
from lab.shared.types import Plan

_KINDS: dict[type[ScriptNode], str] = {ScriptHost: "host", Switch: "switch", AP: "ap", Station: "sta", Car: "sta"}
_OUTSIDE = (RemoteController, NOX, Ryu)
_NOISE_DBM = -91.0  # where a range ends, in Mininet-WiFi


def _plan() -> Plan:
    return Plan.from_json((RUN / "plan.json").read_text())


def _name_of(cls: Any) -> str:
    return str(getattr(cls, "__name__", cls))


class Mininet_wifi(RunningNet):
    """A network of a script."""

    def __init__(
        self,
        topo: Any = None,
        *_positional: Any,
        build: bool = True,
        controller: Any = None,
        ipBase: str = "10.0.0.0/8",
        autoSetMacs: bool = False,
        autoStaticArp: bool = False,
        autoSetPositions: bool = False,
        autoAssociation: bool = True,
        allAutoAssociation: bool = True,
        ssid: str = "new-ssid",
        mode: str = "g",
        channel: Any = 1,
        encrypt: str = "",
        passwd: str | None = None,
        ieee80211w: Any = None,
        client_isolation: bool = False,
        wmediumd_mode: Any = None,
        noise_th: float = _NOISE_DBM,
        ac_method: str | None = None,
        waitConnected: bool = False,
        **others: Any,
    ) -> None:
        self._said = Said(ipBase, ssid)
        super().__init__(_plan(), self._said)
        self.controller = controller
        self.topo = topo
        self.ipBase = ipBase
        self.ipBaseNum, self.prefixLen = netParse(ipBase)
        self.autoSetMacs, self.autoStaticArp, self.autoSetPositions = autoSetMacs, autoStaticArp, autoSetPositions
        self.autoAssociation = autoAssociation and allAutoAssociation
        self.ssid, self.mode, self.channel = ssid, mode, channel
        self.encrypt, self.passwd, self.ieee80211w = encrypt, passwd, ieee80211w
        self.client_isolation = client_isolation
        self.noise_th = noise_th
        self.waitConn = waitConnected
        self._next_position = {"sta": 1.0, "ap": 1.0}
        if _name_of(wmediumd_mode) == "error_prob":
            raise unavailable("error_prob yet", "write snr: of pairs in the medium: of a topology file")
        if others.get("fading_cof"):
            self._said.note("fading_cof", "not used; a topology file has fading: in its medium:")
        if ac_method:
            self.setAssociationCtrl(ac_method)
        if topo and build:
            self.build()

    def __getattr__(self, name: str) -> Any:
        unsupported.refuse(unsupported.CALLS, name)
        raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")

    # Nodes

    def addHost(self, name: str, cls: Any = None, **params: Any) -> ScriptNode:
        """Add a host."""
        unsupported.refuse(unsupported.NODES, _name_of(cls))
        return self._add(ScriptHost, name, self._addressed(params), self.hosts)

    def addStation(self, name: str, cls: Any = None, **params: Any) -> ScriptNode:
        """Add a station."""
        return self._add(Station, name, self._placed("sta", self._addressed(params)), self.stations)

    def addCar(self, name: str, cls: Any = None, **params: Any) -> ScriptNode:
        """Add a car: a station."""
        return self._add(Car, name, self._placed("sta", self._addressed(params)), self.cars)

    def addAccessPoint(self, name: str, cls: Any = None, **params: Any) -> ScriptNode:
        """Add an access point."""
        unsupported.refuse(unsupported.NODES, _name_of(cls))
        own = {
            "ssid": self.ssid,
            "mode": self.mode,
            "channel": self.channel,
            "encrypt": self.encrypt,
            "passwd": self.passwd,
            "ieee80211w": self.ieee80211w,
            "client_isolation": self.client_isolation,
        }
        return self._add(AP, name, self._placed("ap", {**own, **params}), self.aps)

    def addSwitch(self, name: str, cls: Any = None, **params: Any) -> ScriptNode:
        """Add a switch."""
        unsupported.refuse(unsupported.NODES, _name_of(cls))
        return self._add(Switch, name, params, self.switches)

    def addController(self, name: Any = "c0", controller: Any = None, **params: Any) -> Controller:
        """Add a controller of Mininet's, with which switches learn addresses, as they do by themselves."""
        cls = controller or params.pop("cls", None) or self.controller
        if isinstance(cls, type) and issubclass(cls, _OUTSIDE):
            raise unavailable(*unsupported.OUTSIDE)
        if isinstance(cls, type) and not cls.__module__.startswith(("mininet.", "lab.")):
            raise unavailable(*unsupported.OUTSIDE)
        found = Controller(str(name), **params)
        self.controllers.append(found)
        self.nameToNode[found.name] = found
        return found

    def _addressed(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """Give a node the next address, as Mininet does, also if it has one of its own."""
        found = {"ip": f"{ipAdd(self.nextIP, prefixLen=self.prefixLen, ipBaseNum=self.ipBaseNum)}/{self.prefixLen}"}
        if self.autoSetMacs:
            found["mac"] = macColonHex(self.nextIP)
        self.nextIP += 1
        return {**found, **params}

    def _placed(self, kind: str, params: dict[str, Any]) -> dict[str, Any]:
        if self.autoSetPositions and "position" not in params:
            height = 50 if kind == "ap" else 0
            params["position"] = (self._next_position[kind], height, 0)
            self._next_position[kind] += 100 if kind == "ap" else 2
        return params

    def _add(self, cls: type[ScriptNode], name: str, params: dict[str, Any], among: list[Any]) -> ScriptNode:
        self._require(built=False)
        if name in self.nameToNode:
            raise ScriptError(
                f"{name} has been added already, at {self._said.lines.get(name, 'the beginning')}", caller()
            )
        node = cls(name, **params)
        node.net = self
        self._said.lines[name], self._said.nodes[name] = caller(), node
        among.append(node)
        self.nameToNode[name] = node
        for parameter in words.left_over(params, _KINDS[cls]):
            self._said.note(parameter, "not used here")
        return node

    # Links

    def addLink(
        self, node1: Any, node2: Any = None, port1: Any = None, port2: Any = None, cls: Any = None, **params: Any
    ) -> Any:
        """Add a wired link, or say which network a radio joins."""
        self._require(built=False)
        node1, node2 = (self._found(node) for node in (node1, node2))
        unsupported.refuse(unsupported.LINKS, _name_of(cls))
        if cls in (links.adhoc, links.mesh):
            if not isinstance(node1, Station):
                raise unavailable(f"{cls.__name__} radio of an access point yet", "add a station for it")
            self._said.without.setdefault(node1.name, {})[_radio(node1, params.get("intf"))] = (cls, params)
            return None
        if node2 is None:
            raise ScriptError("addLink() needs two nodes, or cls=adhoc or cls=mesh", caller())
        pair = {type(node1), type(node2)}
        if AP in pair and pair & {Station, Car} and cls not in links.WIRED:
            self._join(node1, node2, port1, port2)
            return None
        keys = {"between": [node1.name, node2.name], **words.wired({**params, **(params.get("params1") or {})})}
        self._said.collected.links.append((keys, caller()))
        link = links.ScriptLink(node1, node2)
        self.links.append(link)
        return link

    def _join(self, one: ScriptNode, other: ScriptNode, port1: Any, port2: Any) -> None:
        station, ap = (one, other) if isinstance(other, AP) else (other, one)
        of_station, of_ap = (port1, port2) if station is one else (port2, port1)
        # a Topo numbers the ports of its links, which are more than the radios
        pairs = ((station, of_station), (ap, of_ap))
        radio, network = (min(int(number or 0), words.radios(node.params) - 1) for node, number in pairs)
        self._said.joins.setdefault(station.name, {})[radio] = (ap, network)

    # The medium and what moves

    def setPropagationModel(self, **params: Any) -> None:
        """Set how power decreases with distance."""
        self._require(built=False)
        known = ("model", "exp", "sL", "lF", "pL", "nFloors", "variance")
        keys: dict[str, Any] = {key: params[key] for key in known if key in params}
        keys.setdefault("model", "logDistance")
        for key in ("lF", "variance"):
            if key in keys:
                keys[key] = words.unit(keys[key], "dB")
        self._said.collected.others["medium"] = ({"propagation": keys}, caller())

    propagationModel = setPropagationModel

    def setBgscan(
        self, module: str = "simple", s_inverval: int = 30, signal: int = -45, l_interval: int = 300, **_others: Any
    ) -> None:
        """Have stations look for better access points."""
        self._require(built=False)
        self._said.bgscan = words.bgscan(module, s_inverval, signal, l_interval)

    def setAssociationCtrl(self, ac: str = "ssf") -> None:
        """Note that stations decide by themselves."""
        self._said.note(
            f"association control {ac}",
            "not done yet; a station stays with its access point until it loses it, or roams with setBgscan()",
        )

    def startMobility(self, **params: Any) -> None:
        """Say when mobility starts."""
        self._said.mobility |= {"mob_rep" if key == "repetitions" else key: value for key, value in params.items()}

    def mobility(self, node: Any, stage: str, time: float = 0, **params: Any) -> None:
        """Say where a node is when it starts or stops."""
        self._require(built=False)
        node = self._found(node)
        if stage not in ("start", "stop"):
            raise ScriptError(f'"{stage}" is not a stage of mobility; write start or stop', caller())
        said = self._said.mobile.setdefault(node.name, {"where": caller()})
        said[stage] = float(time)
        if params.get("position") is not None:
            said[f"{stage} position"] = params["position"]

    def stopMobility(self, **params: Any) -> None:
        """Say when mobility stops."""
        if "time" in params:
            self._said.mobility["stop"] = float(params["time"])

    def setMobilityModel(self, **params: Any) -> None:
        """Have nodes without a position move by a model."""
        self._require(built=False)
        unsupported.refuse(unsupported.MODELS, str(params.get("model")))
        self._said.model = {**params, "where": caller()}
        if params.get("ac_method"):
            self.setAssociationCtrl(params["ac_method"])

    def plotGraph(self, **_params: Any) -> None:
        """Note that nothing is drawn."""
        self._said.note("plotGraph()", "nothing is drawn yet")

    # From what was collected to a network

    def configureNodes(self) -> None:
        """Do nothing: the network is configured when it is built."""

    configureWifiNodes = configureNodes

    def _require(self, *, built: bool) -> None:
        if self.built != built:
            raise ScriptError("the network has been built; say this before net.build() and net.start()", caller())

    def add(self, spec: types.Node, mounts: Sequence[Mount], class_name: str, lists: Sequence[str]) -> LabNode:
        """Make a node of the script."""
        node: ScriptNode = self.nameToNode[spec.name]
        node.come_up(spec, mounts, self._phys.get(spec.name))
        return node

    def build(self) -> None:
        """Have the host check and resolve what was collected; then make it."""
        if self.built:
            return
        if self._session.begun:
            raise ScriptError("a script builds one network; run it again for another one", caller())
        if self.topo:
            self.buildFromTopo(self.topo)
        where = caller()
        if not self._said.nodes:
            raise ScriptError("the network has no nodes", where)
        answer = self._session.ask(
            "network",
            entries=self._said.complete(where).entries(where),
            noise_dbm=float(self.noise_th),
            notes=[f"{', '.join(named)}: {sentence}" for sentence, named in self._said.notes.items()],
        )
        if answer.get("converted"):
            sys.exit(0)
        self._make(_plan())

    def _make(self, plan: Plan) -> None:
        from lab.guest import script

        raise_file_limit(len(plan.nodes), len(plan.processes))
        DAEMON_LOGS.mkdir(parents=True)
        self.plan = plan
        self._phys = types.radio_numbers(plan.nodes)
        guest = LiveGuest(plan, Loop(), self)
        for step in script.network(plan, guest.pid):
            step.execute(guest)
        guest.clock.start(guest.loop)
        for link, spec in zip(self.links, plan.links, strict=True):
            WiredLink.__init__(link, spec, self.nameToNode[spec.node_a], self.nameToNode[spec.node_b])
        self.built = True
        self._session.begin(guest)
        for node in self.lab_nodes():
            if node.params.get("ip6"):
                node.setIP6(node.params["ip6"])
        if self.autoStaticArp:
            self.staticArp()

    def buildFromTopo(self, topo: Any = None) -> None:
        """Add what a Topo of Mininet or Mininet-WiFi says."""
        for add, listed in ((self.addStation, "stations"), (self.addAccessPoint, "aps")):
            for name in getattr(topo, listed, list)():
                add(name, **topo.nodeInfo(name))
        super().buildFromTopo(topo)

    def start(self) -> None:
        """Build it, if it is not."""
        self.build()
        info("*** Starting controller(s)\n", " ".join(str(one) for one in self.controllers), "\n")
        info("*** Starting L2 nodes\n", " ".join(str(one) for one in (*self.switches, *self.aps)), "\n")

    def stop(self) -> None:
        """Do nothing: the network ends with the guest, once the script has ended."""
        info("*** Done\n")

    def interact(self) -> None:
        """Build it and open the prompt."""
        from lab.mininet_wifi.cli import CLI

        self.start()
        CLI(self)
        self.stop()


def _radio(node: ScriptNode, intf: Any) -> int:
    """Return the number of a radio by its name; 0 for none."""
    if intf is None:
        return 0
    number = str(intf).removeprefix(f"{node.name}-wlan")
    if not number.isdecimal():
        raise ScriptError(f"{intf} is not a radio of {node.name}; its first one is {node.name}-wlan0", caller())
    return int(number)
