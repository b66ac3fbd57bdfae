# SPDX-License-Identifier: MIT
"""What scripts say of Open vSwitch in switches and access points, beyond a topology file."""

from __future__ import annotations

from collections.abc import Iterable

from lab.mininet_wifi.nodes import AP, Switch


def finish(bridges: Iterable[AP | Switch]) -> None:
    """Set versions of OpenFlow, and numbers of datapaths."""
    for node in bridges:
        words = []
        if protocols := node.params.get("protocols"):
            words.append(f"protocols={protocols}")
        if node.params.get("dpid"):
            words.append(f"other-config:datapath-id={node.dpid.replace(':', '').zfill(16)}")
        if words:
            node.cmd("ovs-vsctl set bridge", node.name, *words)
