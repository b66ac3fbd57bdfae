# SPDX-License-Identifier: MIT
"""Nodes as scripts have them: known from addStation() on, and a container once the network is built."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from lab.guest.commands import Mount
from lab.guest.network.nodes import LabIntf, LabNode
from lab.guest.tasks import run
from lab.mininet_wifi.errors import WORK, NotBuilt, ScriptError, caller
from lab.shared import types

_SHARED = ("/tmp", str(WORK))  # nodes of Mininet have the files of the script


class Owner(Protocol):
    """The network of a node."""

    def position_of(self, node: ScriptNode) -> tuple[float, float, float] | None:
        """Return where a node is, in m."""

    def move(self, node: ScriptNode, written: Any) -> None:
        """Move a node, at once."""

    def set_power(self, node: ScriptNode, value: float, intf: str | None) -> None:
        """Change the power of a radio."""


class WirelessIntf(LabIntf):
    """A radio, with the attributes of Mininet-WiFi's."""

    id: int
    ssid: str
    mode: str
    channel: int | None
    txpower: float | None
    antennaGain: float | None

    def take(self, number: int, radio: types.Radio) -> None:
        """Take over what the plan says of it."""
        self.id, self.ssid, self.mode, self.channel = number, radio.ssid, radio.mode, radio.channel
        self.txpower, self.antennaGain = radio.txpower_dbm, radio.antenna_gain_dbi

    def setTxPower(self, txpower: float) -> None:
        """Change its power, in dBm."""
        self.node.setTxPower(txpower, self.name)


class ScriptNode(LabNode):
    """A node. Before the network is built, it has a name and parameters."""

    net: Owner
    params: dict[str, Any]

    def __init__(self, name: str, **params: Any) -> None:
        """Only note it: ``come_up`` makes it."""
        self.name = name
        self.params = params
        self.up = False

    def come_up(self, spec: types.Node, mounts: Sequence[Mount], phy: int | None) -> None:
        """Make it."""
        params, net = self.params, self.net
        LabNode.__init__(self, spec, (*mounts, *((place, place, "rw") for place in _SHARED)), phy)
        self.params, self.net, self.up, self._in_place = params, net, True, False
        radios = [one.radio for one in spec.radios() if one.radio]
        self.wintfs: Mapping[int, WirelessIntf] = {}
        for number, radio in enumerate(radios):
            found = self.nameToIntf[radio.interface]
            found.__class__ = WirelessIntf
            found.take(number, radio)
            self.wintfs = {**self.wintfs, number: found}
        params["wlan"] = [radio.interface for radio in radios]

    def __getattr__(self, name: str) -> Any:
        """Explain why a node that does not exist yet has no such attribute."""
        if not name.startswith("__") and not self.__dict__.get("up", True) and name != "position":
            raise NotBuilt(f"{self.name} exists once net.build() or net.start() has been called", caller())
        raise AttributeError(f"{type(self).__name__} {self.__dict__.get('name', '')} has no attribute {name!r}")

    def __repr__(self) -> str:
        return super().__repr__() if self.up else f"<{type(self).__name__} {self.name}>"

    # Programs: in the script's folder, as in Mininet

    def _start_shell(self) -> None:
        super()._start_shell()
        self._in_place = False

    def sendCmd(self, *args: Any, stdin: str = "", **kwargs: Any) -> None:
        if not self.up:
            raise NotBuilt(f"{self.name} exists once net.build() or net.start() has been called", caller())
        if not self.shell:
            self._start_shell()
        words = args[0] if len(args) == 1 and isinstance(args[0], list) else args
        line = " ".join(str(word) for word in words)
        super().sendCmd(line if self._in_place else f"cd {WORK}; {line}", stdin=stdin, **kwargs)
        self.lastCmd, self._in_place = line, True

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

    # Addresses

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
        """Refuse: a range is given when the node is added."""
        raise ScriptError(f"setRange() works only as addStation(range={value}); use setTxPower()", caller())

    def getNameToWintf(self, intf: str) -> WirelessIntf | None:
        """Return the radio of that name."""
        return next((one for one in self.wintfs.values() if one.name == intf), None)


class Station(ScriptNode):
    """A station."""


class Car(Station):
    """A station that is called a car."""


class ScriptHost(ScriptNode):
    """A host."""


ScriptHost.__name__ = "Host"  # as Mininet shows it


class _Bridge(ScriptNode):
    def start(self, controllers: Sequence[object] = ()) -> None:
        """Do nothing: it runs since the network was built."""

    def connected(self) -> bool:
        """Whether it forwards."""
        return self.up


class AP(_Bridge):
    """An access point."""


AccessPoint = OVSAP = OVSKernelAP = UserAP = OVSBridgeAP = AP


class Switch(_Bridge):
    """A switch."""


class Controller:
    """A controller of Mininet's: with it, switches and access points learn addresses, which they do by themselves."""

    def __init__(self, name: str, **params: Any) -> None:
        self.name = name
        self.params = params

    def __str__(self) -> str:
        return self.name

    def start(self) -> None:
        """Do nothing."""

    def stop(self) -> None:
        """Do nothing."""
