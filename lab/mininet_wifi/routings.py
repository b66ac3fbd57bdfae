# SPDX-License-Identifier: MIT
"""Routing daemons of ad hoc networks: ``addLink(sta1, cls=adhoc, proto='batman_adv')``."""

from __future__ import annotations

from collections.abc import Callable

from lab.mininet_wifi.radios import WirelessIntf


def _batman(radio: WirelessIntf) -> list[str]:
    """B.A.T.M.A.N. advanced: the kernel's, with Mininet-WiFi's addresses of bat0, 192.168.123.NUMBER."""
    number = int("".join(char for char in radio.node.name if char.isdecimal()) or "1")
    return [
        f"ip link add bat{radio.id} type batadv",
        f"batctl meshif bat{radio.id} bridge_loop_avoidance 0",  # which waits for half a minute
        f"ip link set {radio.name} mtu 1532 master bat{radio.id}",
        f"ip addr add 192.168.{123 + radio.id}.{number}/24 brd + dev bat{radio.id}",
        f"ip link set bat{radio.id} up",
    ]


KNOWN: dict[str, Callable[[WirelessIntf], list[str]]] = {"batman_adv": _batman}


def listed() -> str:
    """Return the names of those that there are, for messages."""
    return "'batman_adv'"


def start(radio: WirelessIntf, name: str) -> None:
    """Start one on a radio."""
    for line in KNOWN[name](radio):
        radio.node.cmd(line)
