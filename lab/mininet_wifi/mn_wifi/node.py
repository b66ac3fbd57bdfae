# SPDX-License-Identifier: MIT
"""Classes of nodes."""

from lab.mininet_wifi.nodes import AP, OVSAP, AccessPoint, Car, OVSBridgeAP, OVSKernelAP, Station, UserAP
from lab.mininet_wifi.unsupported import NODES, missing

__all__ = ["AP", "OVSAP", "AccessPoint", "Car", "OVSBridgeAP", "OVSKernelAP", "Station", "UserAP"]

__getattr__ = missing("mn_wifi.node", NODES)
