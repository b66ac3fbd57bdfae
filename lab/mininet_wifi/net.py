# SPDX-License-Identifier: MIT
"""``Mininet_wifi``: it collects what a script says, and has the host check and resolve it when the network is built."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from mininet.log import info
from mininet.util import ipAdd, macColonHex, netParse

from lab.guest.commands import Mount
from lab.guest.file_limit import raise_file_limit
from lab.guest.live import LiveGuest
from lab.guest.loop import Loop
from lab.guest.network.network import WiredLink
from lab.guest.network.nodes import LabNode
from lab.mininet_wifi import association, bridges, links, programs, routings, telemetry, unsupported, words
from lab.mininet_wifi.errors import WORK, NoCall, ScriptError, caller, unavailable
from lab.mininet_wifi.nodes import AP, Car, Controller, RemoteController, ScriptHost, ScriptNode, Station, Switch
from lab.mininet_wifi.running_net import RunningNet
from lab.mininet_wifi.said import Said
from lab.shared import types
from lab.shared.paths import DAEMON_LOGS, RUN
from lab.shared.types import Plan

_NOISE_DBM = -91.0  # where a range ends, in Mininet-WiFi


def _plan() -> Plan:
    """Return the plan; the interface of a mesh point is called as Mininet-WiFi calls it."""
    text = (RUN / "plan.json").read_text()
    for node in Plan.from_json(text).nodes:
        if node.radio is not None and node.radio.mesh:
            interface = node.radio.interface
            text = text.replace(f'"{interface}"', f'"{words.mesh_name(interface)}"')
    return Plan.from_json(text)


def _name_of(cls: Any) -> str:
    return str(getattr(cls, "__name__", cls))


class Mininet_wifi(RunningNet):
    """A network of a script."""

    def __init__(
        self,
        topo: Any = None,
        *_positional: Any,
        build: bool = True,
        controller: Any = Controller,
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
        host: Any = None,
        switch: Any = None,
        station: Any = None,
        car: Any = None,
        accessPoint: Any = None,
        **others: Any,
    ) -> None:
        self._said = Said(ipBase, ssid)
        self._ranges: dict[str, float] = {}
        self._policy: str | None = None
        self._plots = False
        self._observed: list[tuple[list[ScriptNode], str]] = []  # by telemetry, and what
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
        self._classes = {ScriptHost: host, Switch: switch, Station: station, Car: car, AP: accessPoint}
        self._said.joins_by_itself, self._said.by_rules = self.autoAssociation, controller is None
        if _name_of(wmediumd_mode) == "error_prob":
            raise unavailable("error_prob yet", "write snr: of pairs in the medium: of a topology file")
        if others.get("fading_cof"):
            self._said.note("fading_cof", "not used; a topology file has fading: in its medium:")
        for parameter in sorted(set(others) - words.IDLE_OF_NETWORKS):
            self._said.note(f"{parameter} of the network", "not used here")
        if ac_method:
            self.setAssociationCtrl(ac_method)
        if topo and build:
            self.build()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        unsupported.refuse(unsupported.CALLS, name)
        raise NoCall(f"the network has no {name} here; docs/mininet-wifi.md lists what scripts can call", caller())

    # Nodes

    def addHost(self, name: str, cls: Any = None, **params: Any) -> ScriptNode:
        """Add a host."""
        return self._add(ScriptHost, cls, name, self._addressed(params), self.hosts)

    def addStation(self, name: str, cls: Any = None, **params: Any) -> ScriptNode:
        """Add a station."""
        return self._add(Station, cls, name, self._placed("sta", self._addressed(params)), self.stations)

    def addCar(self, name: str, cls: Any = None, **params: Any) -> ScriptNode:
        """Add a car: a station."""
        return self._add(Car, cls, name, self._placed("sta", self._addressed(params)), self.cars)

    def addAccessPoint(self, name: str, cls: Any = None, **params: Any) -> ScriptNode:
        """Add an access point."""
        own = {
            "ssid": self.ssid,
            "mode": self.mode,
            "channel": self.channel,
            "encrypt": self.encrypt,
            "passwd": self.passwd,
            "ieee80211w": self.ieee80211w,
            "client_isolation": self.client_isolation,
        }
        return self._add(AP, cls, name, self._placed("ap", {**own, **params}), self.aps)

    def addSwitch(self, name: str, cls: Any = None, **params: Any) -> ScriptNode:
        """Add a switch."""
        return self._add(Switch, cls, name, params, self.switches)

    def addController(self, name: Any = "c0", controller: Any = None, **params: Any) -> Any:
        """Add a controller: one of Mininet's, with which bridges learn addresses, or one that programs them."""
        make = controller or params.pop("cls", None) or self.controller or Controller
        found = make(str(name), **params) if isinstance(name, str) else name
        if not isinstance(found, Controller | RemoteController):
            raise unavailable(*unsupported.OUTSIDE)
        if isinstance(found, Controller) and found.has_program():
            raise unavailable(*unsupported.COMMAND)
        if isinstance(found, RemoteController) and any(isinstance(one, RemoteController) for one in self.controllers):
            self._said.note(found.name, "a further controller; switches and access points have the first one only")
        self.controllers.append(found)
        self.nameToNode[found.name] = found
        if isinstance(found, RemoteController):
            found.net = self
            self._said.lines[found.name], self._said.nodes[found.name] = caller(), found
            self._said.note(
                found.name,
                f"a controller of the lab's stands for it; --set topology.nodes.{found.name}.app=work/FILE.py "
                "gives it an application of your own (os-ken)",
            )
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

    def _class(self, default: type[ScriptNode], given: Any) -> tuple[type[ScriptNode], dict[str, Any]]:
        """Return the class of a node, and what a ``partial`` of it says: the script's own, if it builds on ours."""
        meant = given or self._classes[default]
        said = dict(meant.keywords) if isinstance(meant, partial) else {}
        meant = meant.func if isinstance(meant, partial) else meant
        unsupported.refuse(unsupported.NODES, _name_of(meant))
        if isinstance(meant, type) and issubclass(meant, ScriptNode):
            return (meant if meant.kind == default.kind else default), said
        if meant is not None and not str(meant.__module__).startswith(("mininet.", "mn_wifi.", "lab.")):
            raise ScriptError(f"{_name_of(meant)} is not a {default.__name__}; derive it from that class", caller())
        return default, said

    def _add(
        self, default: type[ScriptNode], cls: Any, name: str, params: dict[str, Any], among: list[Any]
    ) -> ScriptNode:
        self._require(built=False)
        made, said = self._class(default, cls)
        params = {**said, **params}
        if name in self.nameToNode:
            raise ScriptError(
                f"{name} has been added already, at {self._said.lines.get(name, 'the beginning')}", caller()
            )
        node = made(name, **params)
        node.net = self
        if isinstance(node, Station | AP):
            node.plan_radios(first=1 if isinstance(node, AP) else 0)
        self._said.lines[name], self._said.nodes[name] = caller(), node
        among.append(node)
        self.nameToNode[name] = node
        for parameter in words.left_over(params, node.kind):
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
            self.without_ap(node1, _radio(node1, params.get("intf")), cls.__name__, params)
            return None
        if cls is links._4address:
            ends = (node2, node1) if node1.params.get("_4addr") == "client" else (node1, node2)
            self._said.repeats[ends[1].name] = ends[0].name
            return None
        if node2 is None:
            raise ScriptError("addLink() needs two nodes, or cls=adhoc or cls=mesh", caller())
        if {node1.kind, node2.kind} == {"ap", "sta"} and cls not in links.WIRED:
            self._join(node1, node2, port1, port2, params)
            return None
        self._note_unused(params)
        keys = {"between": [node1.name, node2.name], **words.wired({**params, **(params.get("params1") or {})})}
        self._said.collected.links.append((keys, caller()))
        link = links.ScriptLink(node1, node2)
        self.links.append(link)
        return link

    def without_ap(self, node: ScriptNode, number: int, cls: str, params: dict[str, Any]) -> None:
        """Put a radio into an ad hoc network or a mesh."""
        self._require(built=False)
        if (routing := params.get("proto")) and routing not in routings.KNOWN:
            raise unavailable(f"{routing} for ad hoc networks", f"use proto={routings.listed()}")
        self._said.without.setdefault(node.name, {})[number] = (cls, params)

    def _join(self, one: ScriptNode, other: ScriptNode, port1: Any, port2: Any, params: Mapping[str, Any]) -> None:
        station, ap = (one, other) if isinstance(other, AP) else (other, one)
        of_station, of_ap = (port1, port2) if station is one else (port2, port1)
        # a Topo numbers the ports of its links, which are more than the radios
        pairs = ((station, of_station), (ap, of_ap))
        radio, network = (min(int(number or 0), words.radios(node.params) - 1) for node, number in pairs)
        self._said.joins.setdefault(station.name, {})[radio] = (ap, network)
        if params.get("snr") is not None:
            ends = [_radio_name(node, number) for node, number in ((station, radio), (ap, network))]
            self._said.levels.append({"between": ends, "is": words.unit(params["snr"], "dB")})
        if shaped := words.wired(params):
            self._said.shaped.append((station.wintfs[radio], shaped))
        self._note_unused(params)

    def _note_unused(self, params: Mapping[str, Any]) -> None:
        for parameter in sorted(set(params) - words.OF_LINKS):
            self._said.note(f"{parameter} of a link", "not used here")

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
        """Have the network decide which access points stations have."""
        if ac not in association.POLICIES:
            raise unavailable(f"association control {ac}", f"use {' or '.join(association.POLICIES)}")
        self._policy = ac

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

    def telemetry(self, nodes: Any = None, data_type: str = "tx_bytes", **_params: Any) -> None:
        """Write values of nodes to a file, every second once the network is built."""
        if data_type not in telemetry.VALUES:
            raise unavailable(f"telemetry of {data_type}", f"use one of {', '.join(telemetry.VALUES)}")
        self._observed.append((list(nodes or self.stations), data_type))
        if self.built:
            self._observe()

    def _observe(self) -> None:
        for nodes, what in self._observed:
            radios = [radio for node in nodes for radio in node.wintfs.values()]
            telemetry.Telemetry(radios, what, WORK).start()
        self._observed.clear()

    def plotGraph(self, **_params: Any) -> None:
        """Have the network drawn to a file, as it is when it is built."""
        self._plots = True

    # From what was collected to a network

    def configureNodes(self, *_args: Any) -> None:
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
        self._said.controlled = bool(self.controllers)
        answer = self._session.ask(
            "network",
            entries=self._said.complete(where).entries(where),
            noise_dbm=float(self.noise_th),
            plots=self._plots,
            notes=[f"{', '.join(named)}: {sentence}" for sentence, named in self._said.notes.items()],
        )
        if answer.get("converted"):
            sys.exit(0)
        self._ranges = answer["ranges"]
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
        for link, spec in zip(self.links, plan.links, strict=False):  # those to controllers come last
            WiredLink.__init__(link, spec, self.nameToNode[spec.node_a], self.nameToNode[spec.node_b])
        self._session.attach(guest)
        self.built = True
        self._finish()
        guest.clock.start(guest.loop)
        self._session.begin()
        self._control_association()
        self._observe()
        if self.autoStaticArp:
            self.staticArp()

    def _control_association(self) -> None:
        """Start what decides on access points, for stations and access points that have a position."""
        if self._policy is None:
            return
        placed = [one for one in self.radios() if one.plan is not None and self.position_of(one.node) is not None]
        stations = [one for one in placed if one.node.kind == "sta" and one.plan and one.plan.scan_mhz]
        aps = [one for one in placed if one.node.kind == "ap"]
        if stations and aps:
            control = association.AssociationControl(self._policy, stations, aps)
            control.once()
            control.start()

    def _finish(self) -> None:
        """Do what a topology file does not say."""
        frequencies = " ".join(sorted({str(one.frequency_mhz) for one in self.cells()}))
        for node in self.lab_nodes():
            if node.kind == "sta":
                node.container.write(programs.FREQUENCIES, frequencies)
            if node.params.get("ip6"):
                node.setIP6(node.params["ip6"])
        for radio, shaped in self._said.shaped:
            radio.node.cmd("tc qdisc replace dev", radio.name, "root netem", words.netem(shaped))
        for name, radios in self._said.without.items():
            for number, (_, params) in radios.items():
                if params.get("proto"):
                    routings.start(self.nameToNode[name].wintfs[number], params["proto"])
        bridges.finish([*self.switches, *self.aps])
        self.free(self._said.free)
        for node in self.lab_nodes():
            if type(node).config is not ScriptNode.config:
                node.config(**node.params)

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


def _refusal(name: str) -> Callable[..., Any]:
    def refuse(*_args: Any, **_kwargs: Any) -> Any:
        raise unavailable(*unsupported.CALLS[name])

    return refuse


for _name in ("delNode", "delHost", "delSwitch", "delController", "delLink", "delLinkBetween"):
    setattr(Mininet_wifi, _name, _refusal(_name))  # or Mininet's own would forget them, and they would stay


def _radio_name(node: ScriptNode, number: int) -> str:
    return node.name if number == 0 else node.wintfs[number].name


def _radio(node: ScriptNode, intf: Any) -> int:
    """Return the number of a radio by its name; 0 for none."""
    if intf is None:
        return 0
    name = words.mesh_name(getattr(intf, "name", str(intf)))
    number = name.removeprefix(f"{node.name}-mp")
    if not number.isdecimal():
        raise ScriptError(f"{intf} is not a radio of {node.name}; its first one is {node.name}-wlan0", caller())
    return int(number)
