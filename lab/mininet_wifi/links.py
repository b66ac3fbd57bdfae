# SPDX-License-Identifier: MIT
"""Classes of links that scripts name. They say what a link is; the lab makes it."""

from __future__ import annotations

from mininet.link import Link, TCLink

from lab.guest.network.network import WiredLink


class WirelessLink(TCLink):
    """The default of Mininet-WiFi: between station and access point."""


class TCWirelessLink(WirelessLink):
    """The same, with bw and the like, which all have."""


class wmediumd(WirelessLink):
    """The same: the lab always has a medium."""


class adhoc(WirelessLink):
    """A station's radio in an ad hoc network."""


class mesh(WirelessLink):
    """A station's radio in a mesh."""


class _4address(WirelessLink):
    """An access point that repeats another one."""


class ITSLink(WirelessLink):
    """802.11p. See ``unsupported``, as those that follow."""


class WifiDirectLink(WirelessLink):
    """Wi-Fi Direct."""


class PhysicalWifiDirectLink(WirelessLink):
    """Wi-Fi Direct on a physical interface."""


class physicalMesh(WirelessLink):
    """A mesh on a physical interface."""


class ScriptLink(WiredLink):
    """A wired link, which exists once the network is built."""

    def __init__(self, node1: object, node2: object) -> None:
        """Only note it: ``WiredLink``'s follows."""
        self.ends = (node1, node2)

    def stop(self) -> None:
        """Do nothing: it ends with the guest."""

    def delete(self) -> None:
        """Do nothing: it ends with the guest."""


WIRED = (Link, TCLink)
