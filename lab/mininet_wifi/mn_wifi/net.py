# SPDX-License-Identifier: MIT
"""The network; scripts also import nodes from here."""

from lab.mininet_wifi.mn_wifi.node import (
    AP,
    OVSAP,
    AccessPoint,
    Car,
    OVSBridgeAP,
    OVSKernelAP,
    Station,
    UserAP,
)
from lab.mininet_wifi.net import Mininet_wifi
from lab.mininet_wifi.unsupported import NODES, missing

__all__ = ["AP", "OVSAP", "AccessPoint", "Car", "Mininet_wifi", "OVSBridgeAP", "OVSKernelAP", "Station", "UserAP"]

__getattr__ = missing("mn_wifi.net", NODES)
