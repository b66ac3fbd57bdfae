# SPDX-License-Identifier: MIT
"""Classes of nodes."""

from lab.mininet_wifi.nodes import (
    AP,
    OVSAP,
    AccessPoint,
    Car,
    OVSBridgeAP,
    OVSKernelAP,
    ScriptHost,
    ScriptNode,
    Station,
    UserAP,
)
from lab.mininet_wifi.unsupported import NODES, missing

Host = ScriptHost
Node = ScriptHost
Node_wifi = ScriptNode

__all__ = [
    "AP",
    "OVSAP",
    "AccessPoint",
    "Car",
    "Host",
    "Node",
    "Node_wifi",
    "OVSBridgeAP",
    "OVSKernelAP",
    "Station",
    "UserAP",
]

__getattr__ = missing("mn_wifi.node", NODES)
