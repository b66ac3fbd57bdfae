# SPDX-License-Identifier: MIT
"""Nodes as scripts have them: known from addStation() on, and a container once the network is built."""

from __future__ import annotations

import math
import re
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar, Protocol

from lab.guest.commands import Mount
from lab.guest.network.nodes import LINE, LabIntf, LabNode
from lab.guest.tasks import run
from lab.mininet_wifi import programs, words
from lab.mininet_wifi.errors import WORK, NotBuilt, ScriptError, caller, unavailable
from lab.mininet_wifi.radios import RadioOwner, WirelessIntf, refuse_change
from lab.mininet_wifi.waiting import looked
from lab.shared import types

# nodes of Mininet have the files of the script
_MOUNTS = (("/tmp", "/tmp", "rw"), (str(WORK), str(WORK), "rw"), (str(programs.FOLDER), programs.PLACE, "ro"))
_starting = threading.Lock()  # of shells: their descriptors have fixed numbers on the way


class Owner(RadioOwner, Protocol):
    """The network of a node."""

    def position_of(self, node: ScriptNode) -> tuple[float, float, float] | None:
        """Return where a node is, in m."""

    def move(self, node: ScriptNode, written: Any, speed_m_s: float | None = None) -> None:
        """Move a node, at once if it has no speed."""

    def set_power(self, node: ScriptNode, value: float, intf: str | None) -> None:
        """Change the power of a radio."""

    def power_for(self, radio: WirelessIntf, range_m: float) -> float:
        """Return the power with which a radio reaches so far, in dBm."""

    def range_of(self, radio: str) -> float:
        """Return how far a radio reaches, in m."""

    def without_ap(self, node: ScriptNode, number: int, cls: str, params: dict[str, Any]) -> None:
        """Put a radio into an ad hoc network or a mesh, before the network is built."""


class ScriptNode(LabNode):
    """A node. Before the network is built, it has a name and parameters."""

    kind: ClassVar[str] = "host"
    net: Owner
    params: dict[str, Any]

    def __init__(self, name: str, **params: Any) -> None:
        """Only note it: ``come_up`` makes it."""
        self.name = name
        self.params = {key: value for key, value in params.items() if key != "inNamespace"}
        self.up = False
        self.wintfs: dict[int, WirelessIntf] = {}

    def plan_radios(self, first: int) -> None:
        """Give it the radios that the script has said, and the further networks of the first one.

        ``first``: the number in the name of the first one.
        """
        for number in range(words.radios(self.params)):
            self.wintfs[number] = WirelessIntf(self, number, f"{self.name}-wlan{number + first}")
        for number, ssid in enumerate(words.further_networks(self.params), 1):
            made = WirelessIntf(self, len(self.wintfs), f"{self.name}-wlan{first}-{number}")
            made.ssid = ssid
            self.wintfs[made.id] = made
        self.params["wlan"] = [one.name for one in self.wintfs.values()]

    def come_up(self, spec: types.Node, mounts: Sequence[Mount], phy: int | None) -> None:
        """Make it."""
        params, net, planned = self.params, self.net, self.wintfs
        LabNode.__init__(self, spec, (*mounts, *_MOUNTS), phy)
        self.params, self.net, self.up, self._in_place = params, net, True, False
        self._line = Path(f"/proc/{self.pid}/root", LINE.lstrip("/"))  # chroot() would be that of all threads
        self._line.parent.mkdir(parents=True, exist_ok=True)
        self.wintfs = planned
        radios = [one for one in spec.radios() if one.radio]
        for number, one in enumerate([*radios, *spec.further_networks()]):
            assert one.radio is not None  # those are left out
            found = planned.setdefault(number, WirelessIntf(self, number, one.radio.interface))
            made = self.nameToIntf.get(one.radio.interface) or LabIntf(one.radio.interface, self, one.radio.mac, None)
            found.become(made, one.radio, net.range_of(one.name))
            port = self.ports.pop(made)
            self.intfs[port] = self.nameToIntf[made.name] = found
            self.ports[found] = port
        params["wlan"] = [one.name for one in self.wintfs.values()]

    def __getattr__(self, name: str) -> Any:
        """Explain why a node that does not exist yet has no such attribute."""
        if not name.startswith("__") and not self.__dict__.get("up", True) and name != "position":
            raise NotBuilt(f"{self.name} exists once net.build() or net.start() has been called", caller())
        raise AttributeError(f"{type(self).__name__} {self.__dict__.get('name', '')} has no attribute {name!r}")

    def __repr__(self) -> str:
        return super().__repr__() if self.up else f"<{type(self).__name__} {self.name}>"

    # Programs: in the script's folder, as in Mininet

    def _start_shell(self) -> None:
        with _starting:
            super()._start_shell()
        self._in_place = False

    def _give(self, line: str) -> None:
        self._line.write_text(line)

    def sendCmd(self, *args: Any, stdin: str = "", **kwargs: Any) -> None:
        if not self.up:
            raise NotBuilt(f"{self.name} exists once net.build() or net.start() has been called", caller())
        if not self.shell:
            self._start_shell()
        words = args[0] if len(args) == 1 and isinstance(args[0], list) else args
        line = " ".join(str(word) for word in words)
        super().sendCmd(line if self._in_place else f"cd {WORK}; {line}", stdin=stdin, **kwargs)
        self.lastCmd, self._in_place = line, True

    def read_file(self, path: str) -> str:
        """Return a file as its programs see it."""
        return Path(f"/proc/{self.pid}/root", path.lstrip("/")).read_text()

    def popen(self, *args: Any, **kwargs: Any) -> Any:
        words = args[0] if isinstance(args[0], list) else str(args[0]).split()
        command, environment = self.container.launch_found(words, cwd=str(WORK))
        kwargs.setdefault("mncmd", command[: len(command) - len(words)])
        kwargs.setdefault("env", environment)
        return super().popen(*args, **kwargs)

    def terminate(self) -> None:
        """Do nothing: it ends with the guest."""

    def stop(self, deleteIntfs: bool = False) -> None:
        """Do nothing: it ends with the guest."""

    def config(self, **params: Any) -> dict[str, Any]:
        """Do nothing: the lab has configured it. Classes of scripts do more."""
        return {}

    # Addresses

    def intf(self, intf: Any = None) -> Any:
        """Return an interface by its name; before the network is built, a radio."""
        if self.up:
            return super().intf(intf)
        if intf is None:
            return next(iter(self.wintfs.values()), None)
        return self.getNameToWintf(str(intf))

    def defaultIntf(self) -> Any:
        """Return the first interface."""
        return super().defaultIntf() if self.up else self.intf()

    def IP(self, intf: Any = None) -> str | None:
        """Return an IPv4 address; before the network is built, the one that it will have."""
        if self.up:
            found: str | None = super().IP(intf)
            return found
        return str(self.params.get("ip", "")).partition("/")[0] or None

    def setIP(self, ip: str, prefixLen: int = 8, intf: Any = None, **_kwargs: Any) -> None:
        """Replace the IPv4 address of an interface, the first one if none is named."""
        address = ip if "/" in ip else f"{ip}/{prefixLen}"
        if not self.up:
            self.params["ip"] = address
            return
        found = self.intf(intf)
        self._ip("-4", "addr", "flush", "dev", found.name)
        self._ip("addr", "add", address, "brd", "+", "dev", found.name)
        found.ip, found.prefixLen = address.split("/")

    def setIP6(self, ip: str, prefixLen: int = 64, intf: Any = None, **_kwargs: Any) -> None:
        """Add an IPv6 address to an interface, the first one if none is named."""
        address = ip if "/" in ip else f"{ip}/{prefixLen}"
        self._ip("addr", "add", address, "dev", self.intf(intf).name, "nodad")

    setIPv6 = setIP6

    def _ip(self, *words: str) -> None:
        with self.container.network():
            run(["ip", *words], culprit=self.name)

    # Where it is

    @property
    def position(self) -> tuple[float, float, float]:
        """Where it is now, in m."""
        looked()
        found = self.net.position_of(self)
        if found is None:
            raise AttributeError(f"{self.name} has no position")
        return found

    @position.setter
    def position(self, written: Any) -> None:
        self.setPosition(written)

    def setPosition(self, pos: Any) -> None:
        """Move it there at once: ``setPosition('10,20,0')``."""
        self.net.move(self, pos)

    def get_distance_to(self, dst: ScriptNode) -> float:
        """Return the distance to another node, in m."""
        return round(math.dist(self.position, dst.position), 2)

    # Its radio

    def setTxPower(self, value: float, intf: str | None = None) -> None:
        """Change the power of a radio, in dBm."""
        self.net.set_power(self, value, intf)

    def setRange(self, value: float, intf: str | None = None) -> None:
        """Change the power of a radio to that which reaches so far, in m."""
        radio = self._radio(intf)
        radio.range = float(value)
        if self.up:
            self.net.set_power(self, self.net.power_for(radio, float(value)), radio.name)
        else:
            self.params["range"] = value

    def setAntennaGain(self, value: float, intf: str | None = None) -> None:
        """Set the gain of its antenna, in dBi, before the network is built."""
        if self.up:
            raise refuse_change("an antenna's gain")
        self.params["antennaGain"] = self._radio(intf).antennaGain = value

    def setAntennaHeight(self, value: float, intf: str | None = None) -> None:
        """Set the height of its antenna, in m, before the network is built."""
        if self.up:
            raise refuse_change("an antenna's height")
        self.params["antennaHeight"] = self._radio(intf).antennaHeight = value

    def setMode(self, mode: str, intf: str | None = None) -> None:
        """Set the mode of a radio, before the network is built."""
        if self.up:
            raise refuse_change("a mode")
        self.params["mode"] = self._radio(intf).mode = mode

    def setChannel(self, channel: int, intf: str | None = None) -> None:
        """Change the channel of an access point."""
        self._radio(intf).setChannel(channel)

    setAPChannel = setChannel

    def setMeshMode(self, intf: str | None = None, **params: Any) -> None:
        """Put a radio into a mesh."""
        self.net.without_ap(self, self._radio(intf).id, "mesh", params)

    def setAdhocMode(self, intf: str | None = None, **params: Any) -> None:
        """Put a radio into an ad hoc network."""
        self.net.without_ap(self, self._radio(intf).id, "adhoc", params)

    def setManagedMode(self, intf: str | None = None, **_params: Any) -> None:
        """Do nothing: a station's radio is in this mode."""

    def setMasterMode(self, intf: str | None = None, **_params: Any) -> None:
        """Refuse: a station does not become an access point."""
        raise unavailable("access points on stations", "add one: net.addAccessPoint('ap9', ssid=…)")

    def setAssociation(self, ap: ScriptNode, intf: str | None = None, ap_intf: str | None = None) -> None:
        """Join an access point."""
        self._radio(intf).associate(ap._radio(ap_intf))

    associate = setAssociation

    def disconnect(self, *_ap: Any, intf: str | None = None) -> None:
        """Leave the access point."""
        self._radio(intf).disconnect()

    def getxyz(self) -> tuple[float, float, float]:
        """Return its position."""
        return self.position

    def showNode(self, *_args: Any) -> None:
        """Do nothing, since the lab opens no windows."""

    hideNode = showNode

    def _radio(self, intf: Any) -> WirelessIntf:
        """Return a radio by its name or itself; the first one for None.

        Raises:
            ScriptError: If it has no such radio.
        """
        if isinstance(intf, WirelessIntf):
            return intf
        found = self.getNameToWintf(str(intf)) if intf is not None else self.wintfs.get(0)
        if found is None:
            known = ", ".join(one.name for one in self.wintfs.values()) or "no radio"
            raise ScriptError(f"{self.name} has no radio {intf or ''}; it has {known}", caller())
        return found

    def getNameToWintf(self, intf: str) -> WirelessIntf | None:
        """Return the radio of that name; a mesh interface may be named as Mininet-WiFi does, sta1-mp0."""
        return next((one for one in self.wintfs.values() if words.mesh_name(one.name) == words.mesh_name(intf)), None)


class Station(ScriptNode):
    """A station."""

    kind: ClassVar[str] = "sta"


class Car(Station):
    """A station that is called a car."""


class ScriptHost(ScriptNode):
    """A host."""


ScriptHost.__name__ = "Host"  # as Mininet shows it


class _Bridge(ScriptNode):
    """What Open vSwitch bridges."""

    learns: ClassVar[bool] = False  # whatever a script says of controllers

    def start(self, controllers: Sequence[object] = ()) -> None:
        """Do nothing: it runs since the network was built."""

    def connected(self) -> bool:
        """Whether it forwards."""
        return self.up

    @property
    def dpid(self) -> str:
        """The number by which controllers know it."""
        given = self.params.get("dpid")
        return str(given) if given else words.dpid(self.name, self.kind)

    def dpctl(self, *args: Any) -> Any:
        """Run ovs-ofctl."""
        command, *further = (str(one) for one in args)
        return self.cmd("ovs-ofctl", command, self.name, *further)

    def vsctl(self, *args: Any) -> Any:
        """Run ovs-vsctl."""
        return self.cmd("ovs-vsctl", *args)


class AP(_Bridge):
    """An access point."""

    kind: ClassVar[str] = "ap"


class OVSBridgeAP(AP):
    """An access point that learns addresses by itself."""

    learns: ClassVar[bool] = True


AccessPoint = OVSAP = OVSKernelAP = UserAP = AP


class Switch(_Bridge):
    """A switch."""

    kind: ClassVar[str] = "switch"


class OVSBridge(Switch):
    """A switch that learns addresses by itself."""

    learns: ClassVar[bool] = True


LEARNING = ("controller", "ovs-controller", "ovs-testcontroller")  # programs of Mininet's controllers


class Controller:
    """A controller of Mininet's: with it, switches and access points learn addresses, which they do by themselves."""

    def __init__(self, name: str, **params: Any) -> None:
        self.name = name
        self.params = params

    def has_program(self) -> bool:
        """Return whether a class of the script would start a program that is not one of Mininet's."""
        command = str(self.params.get("command") or LEARNING[0])
        return type(self).start is not Controller.start or Path(command).name not in LEARNING

    def __str__(self) -> str:
        return self.name

    def start(self) -> None:
        """Do nothing."""

    def stop(self) -> None:
        """Do nothing."""

    def cmd(self, *args: Any, **_kwargs: Any) -> str:
        """Run a command where the script runs."""
        import subprocess

        line = " ".join(str(one) for one in args)
        ran = subprocess.run(["bash", "-c", line], capture_output=True, text=True, errors="replace")
        return ran.stdout + ran.stderr

    def IP(self) -> str:
        """Return the address that it was given."""
        return str(self.params.get("ip", "127.0.0.1"))


class RemoteController(ScriptNode):
    """A controller that would run elsewhere: a node of kind controller stands for it."""

    kind: ClassVar[str] = "controller"

    def app(self) -> str:
        """Return its application: one of the lab's, or a file next to the script."""
        return "roaming"

    def start(self) -> None:
        """Do nothing: it runs since the network was built."""


class Ryu(RemoteController):
    """A controller with an application for Ryu, of which os-ken is the successor."""

    def app(self) -> str:
        given = str(self.params.get("ryuArgs", "")).split()
        file = next((Path(word) for word in given if word.endswith(".py")), None)
        return os_ken(file) if file is not None and (WORK / file).is_file() else super().app()


def os_ken(file: Path) -> str:
    """Write an application for os-ken next to one for Ryu; return its path from the folder of the topology."""
    text = (WORK / file).read_text()
    changed = re.sub(r"\bryu(?=\.|\s+import)", "os_ken", text).replace("RyuApp", "OSKenApp")
    made = file.with_stem(f"{file.stem}_os_ken")
    (WORK / made).write_text(changed)
    return f"{WORK.name}/{made}"
