# SPDX-License-Identifier: MIT
"""Classes of links."""

from lab.mininet_wifi.links import (
    ITSLink,
    PhysicalWifiDirectLink,
    TCWirelessLink,
    WifiDirectLink,
    WirelessLink,
    _4address,
    adhoc,
    mesh,
    physicalMesh,
    wmediumd,
)
from lab.mininet_wifi.radios import WirelessIntf
from lab.mininet_wifi.unsupported import LINKS, missing

IntfWireless = WirelessIntf

__all__ = [
    "ITSLink",
    "IntfWireless",
    "PhysicalWifiDirectLink",
    "TCWirelessLink",
    "WifiDirectLink",
    "WirelessIntf",
    "WirelessLink",
    "_4address",
    "adhoc",
    "mesh",
    "physicalMesh",
    "wmediumd",
]

__getattr__ = missing("mn_wifi.link", LINKS)
