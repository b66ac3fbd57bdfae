# SPDX-License-Identifier: MIT
"""What Mininet-WiFi has and the lab does not, each with what to use instead."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from lab.mininet_wifi.errors import ScriptError, caller, unavailable

_SENSORS = ("6LoWPAN", "use stations in an ad hoc network: net.addLink(sta1, cls=adhoc, ssid='sensors')")
_P4 = ("P4 switches", "use OVSKernelAP, which learns addresses")
_SUMO = ("SUMO", "record its traces, and have a topology replay them: mobility: [{model: Trace, file: FILE.tcl, …}]")
_MODEMS = ("cellular modems (WWAN)", "use stations and access points")
_PHYSICAL = ("physical interfaces", "a guest has no way to the host's devices; use stations and access points")
_DIRECT = ("Wi-Fi Direct yet", "use cls=adhoc")
_NODES = ("way to remove a node", "build the network without it")
_WIRES = ("way to remove a link", "take it down: net.configLinkStatus('h1', 'ap1', 'down')")
MODULES = {  # of mn_wifi
    "sixLoWPAN": _SENSORS,
    "btvirt": ("Bluetooth", _SENSORS[1]),
    "wwan": _MODEMS,
    "bmv2": _P4,
    "sumo": _SUMO,
    "vanet": ("roads (VANET) yet", "use net.mobility() or net.setMobilityModel()"),
    "ros": ("ROS", "move nodes by net.mobility() or sta1.setPosition('10,20,0')"),
    "energy": ("batteries", "compute what a node has used from the counters of `iw dev sta1-wlan0 station dump`"),
}
CALLS = {  # of the network
    "addSensor": _SENSORS,
    "add6LoWPAN": _SENSORS,
    "addAPSensor": _SENSORS,
    "addModem": _MODEMS,
    "addNAT": ("way out of a guest", "run the server in a host of the network: net.addHost('h1')"),
    "roads": MODULES["vanet"],
    "setModule": ("other driver than its own mac80211_hwsim", "leave setModule() out"),
    "socketServer": ("socket server yet", "call the methods of nodes in the script"),
    "useExternalProgram": _SUMO,
    "delNode": _NODES,
    "delHost": _NODES,
    "delSwitch": _NODES,
    "delController": _NODES,
    "delLinkBetween": _WIRES,
    "delLink": _WIRES,
}
LINKS = {  # classes of links, by name
    "WifiDirectLink": _DIRECT,
    "wifiDirectLink": _DIRECT,
    "PhysicalWifiDirectLink": _PHYSICAL,
    "physicalMesh": _PHYSICAL,
    "ITSLink": ("802.11p", "use cls=adhoc"),
    "LowPANLink": _SENSORS,
    "WWANLink": _MODEMS,
}
NODES = {  # classes of nodes, by name
    "physicalAP": _PHYSICAL,
    "P4AP": _P4,
    "P4Switch": _P4,
    "P4Host": _P4,
    "OVSSensor": _SENSORS,
    "LowPANNode": _SENSORS,
    "NAT": CALLS["addNAT"],
}
_CONTROLLERS = (
    "use RemoteController, or Ryu with ryuArgs='FILE.py'; Controller has switches and access points learn addresses"
)
COMMAND = (
    "way to start a script's own controller",
    _CONTROLLERS,
)
OUTSIDE = (
    "controller of that class",
    _CONTROLLERS,
)
MODELS = {  # of mobility
    "TimeVariantCommunity": ("mobility model TimeVariantCommunity", "use ReferencePoint or TruncatedLevyWalk"),
    "CRP": ("mobility model CRP", "use ReferencePoint"),
}


PACKAGES = {  # of others, by what scripts use them for
    **dict.fromkeys(
        ("numpy", "pandas", "scipy", "matplotlib", "seaborn"),
        "write what the script measures to a file; compute and draw from it on the host, in the folder of the run",
    ),
    **dict.fromkeys(("requests", "flask", "paho", "websocket"), "use what Python itself has, or curl in a node"),
    "six": "use Python 3's own names, such as input() and range()",
    "scapy": "use tcpdump in a node, or a raw socket",
}


class Finder:
    """Refuses to import modules of Mininet-WiFi that are not here; Python asks it last."""

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        """Return None for modules of others.

        Raises:
            ScriptError: If the lab has no such module.
        """
        package, _, module = name.partition(".")
        if package in PACKAGES:
            raise NoModule(f"the lab's guest has no {package} yet; {PACKAGES[package]}", caller())
        if package != "mn_wifi" or not module:
            return None
        first = module.split(".")[0]
        if first in MODULES:
            raise unavailable(*MODULES[first])
        raise NoModule(f"{name} does not exist here; docs/mininet-wifi.md says what scripts can import", caller())


class NoModule(ScriptError, ImportError):
    """A module is not there; a script may do without it."""


def missing(module: str, known: dict[str, tuple[str, str]]) -> Callable[[str], Any]:
    """Return the ``__getattr__`` of a module whose other names are refused."""

    def refuse_name(name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        refuse(known, name)
        raise ScriptError(f"{module} has no {name} here; docs/mininet-wifi.md says what scripts can import", caller())

    return refuse_name


def refuse(known: dict[str, tuple[str, str]], name: str) -> None:
    """Refuse a name of the table.

    Raises:
        ScriptError: If it is in there.
    """
    if name in known:
        raise unavailable(*known[name])
