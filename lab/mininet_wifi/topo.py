# SPDX-License-Identifier: MIT
"""``Topo``: a network as a class of the script; ``Mininet_wifi(topo=…)`` adds what it says."""

from __future__ import annotations

from typing import Any

from mininet.topo import Topo as MininetTopo


class Topo(MininetTopo):
    """Mininet's, with stations and access points."""

    def addStation(self, name: str, **params: Any) -> str:
        """Add a station."""
        added: str = self.addNode(name, isStation=True, **params)
        return added

    def addAccessPoint(self, name: str, **params: Any) -> str:
        """Add an access point."""
        added: str = self.addNode(name, isAP=True, **params)
        return added

    def stations(self, sort: bool = True) -> list[str]:
        """Return the names of stations."""
        return [name for name in self.nodes(sort) if self.nodeInfo(name).get("isStation")]

    def aps(self, sort: bool = True) -> list[str]:
        """Return the names of access points."""
        return [name for name in self.nodes(sort) if self.nodeInfo(name).get("isAP")]

    def hosts(self, sort: bool = True) -> list[str]:
        """Return the names of hosts."""
        others = {*self.stations(), *self.aps()}
        return [name for name in super().hosts(sort) if name not in others]
