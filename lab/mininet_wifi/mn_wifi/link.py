# SPDX-License-Identifier: MIT
"""Classes of links."""

from lab.mininet_wifi.links import (
    ITSLink,
    PhysicalWifiDirectLink,
    WifiDirectLink,
    WirelessLink,
    _4address,
    adhoc,
    mesh,
    physicalMesh,
    wmediumd,
)
from lab.mininet_wifi.unsupported import LINKS, missing

__all__ = [
    "ITSLink",
    "PhysicalWifiDirectLink",
    "WifiDirectLink",
    "WirelessLink",
    "_4address",
    "adhoc",
    "mesh",
    "physicalMesh",
    "wmediumd",
]

__getattr__ = missing("mn_wifi.link", LINKS)
