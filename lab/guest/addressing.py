# SPDX-License-Identifier: MIT
"""Routes, NAT, DHCP, names and router advertisements of nodes, in topologies of several subnets.

Not as distributions have them: a DHCP server does not ping an address before it offers it, and a client does not probe
for other owners of its address (RFC 5227). Both would delay each lease by seconds of virtual time, and the lab has no
second owner.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from lab.guest.steps import Configure, Do, RunCommand, Step, Write, start_daemon
from lab.shared import types

if TYPE_CHECKING:
    from lab.guest.live import LiveGuest

LEASE = "1h"
_FIRST_LEASE6 = 0x10000  # beyond the numbers of IPv4 addresses
LEASE_TIMEOUT_NS = 30_000_000_000
_SERVER, _CLIENT = "dnsmasq", "dhcpcd"
_SERVER_CONFIG = "/etc/dnsmasq.conf"
# It notices the carrier in the middle of the step by which wpa_supplicant also authorizes the port; what it sends
# before the end is dropped, and repeated 4 s later. Computation takes no time, so it would always be too early.
_YIELDS = ["chrt", "--batch", "0"]
_SIGNS = {  # what the client prints
    "dhcp": re.compile(r": leased [\d.]+ for \d+ seconds"),
    "dhcp6": re.compile(r": adding address [0-9a-f:]+/128"),
    "slaac": re.compile(r": adding address [0-9a-f:]+/64"),
}


def serve(node: types.Node, given: types.Addressing) -> Iterator[Step]:
    """Yield the steps that make a node give addresses to others and forward for them."""
    if given.nat:
        yield RunCommand(["nft", "-f", "-"], node.name, _masquerade(given.nat))
    if given.pools or given.advertisements:
        yield Write(_SERVER_CONFIG, dnsmasq_conf(given), node.name)
        yield start_daemon(node.name, _SERVER, [_SERVER, "--keep-in-foreground", f"--conf-file={_SERVER_CONFIG}"])


def connect(node: types.Node, given: types.Addressing) -> Iterator[Step]:
    """Yield the steps that give a node its routes and name server, and start its client; interfaces are up."""
    if given.routes:
        lines = [f"route add {route.to} via {route.via}" for route in given.routes]
        yield Configure(["ip", "-batch", "-"], node.name, lines)
    if given.nameserver:
        asks = any("dhcp" in ways for ways in given.asks.values())
        path = "/etc/resolv.conf.head" if asks else "/etc/resolv.conf"  # the client writes the rest
        yield Write(path, f"nameserver {given.nameserver}\n", node.name)
    for interface, ways in given.asks.items():  # each has its own: one for several never waits (a busy loop)
        config = f"/etc/{_client(node, interface)}.conf"
        yield Write(config, dhcpcd_conf(ways), node.name)
        argv = [*_YIELDS, _CLIENT, "--nobackground", "--config", config, interface]
        yield start_daemon(node.name, _client(node, interface), argv)


def _client(node: types.Node, interface: str) -> str:
    """Return the name of the daemon that asks for the addresses of an interface."""
    return _CLIENT if interface == node.first_interface and node.owner is None else f"{_CLIENT}-{interface}"


def await_addresses(node: types.Node, given: types.Addressing) -> Iterator[Step]:
    """Yield the steps that wait until a node, or a radio of it, has the addresses that it asks for."""
    interface = node.first_interface or ""
    for way in given.asks.get(interface, ()):
        what = f"{node.name} to get an address by {types.WAYS[way]}"

        def wait(guest: LiveGuest, sign: re.Pattern[str] = _SIGNS[way], what: str = what) -> None:
            task = guest.daemons[node.home, _client(node, interface)]
            guest.loop.wait_for(
                lambda: sign.search(task.out.read_text(errors="replace")) is not None,
                LEASE_TIMEOUT_NS,
                what,
                culprit=task.name,
                logs=task.logs,
                where=node.source,
            )

        yield Do([f"# wait for {what}"], wait, node.home)


def _masquerade(interfaces: list[str]) -> list[str]:
    """Return nft's lines that hide what leaves by these interfaces, IPv4 only: IPv6 has addresses for all."""
    names = ", ".join(f'"{name}"' for name in interfaces)
    return [
        "table ip lab {",
        "  chain hide {",
        "    type nat hook postrouting priority srcnat",
        f"    oifname {{ {names} }} masquerade",
        "  }",
        "}",
    ]


def dnsmasq_conf(given: types.Addressing) -> str:
    """Return the configuration of a server: leases, names and router advertisements on its interfaces."""
    served = dict.fromkeys([*(one.interface for one in given.pools), *(one.interface for one in given.advertisements)])
    lines = ["user=root", "group=root", "log-facility=-", "log-dhcp", "no-resolv", "bind-dynamic"]
    lines += [f"interface={name}" for name in served]
    if given.pools:
        lines += ["dhcp-authoritative", "no-ping", "dhcp-leasefile=/run/dnsmasq.leases"]
    else:
        lines.append("port=0")  # it only advertises
    for pool in given.pools:
        mask = ipaddress.IPv4Network(f"0.0.0.0/{pool.prefix_length}").netmask
        lines.append(f"dhcp-range=set:{pool.interface},{pool.first},{pool.last},{mask},{LEASE}")
        lines.append(f"dhcp-option=tag:{pool.interface},option:router{f',{pool.gateway}' if pool.gateway else ''}")
    if given.advertisements:
        lines.append("enable-ra")
    for one in given.advertisements:
        network = ipaddress.IPv6Network(one.prefix)
        slaac = "slaac," if one.slaac else ""
        leases = f"{network[_FIRST_LEASE6]},{network[2 * _FIRST_LEASE6 - 1]},{slaac}64,{LEASE}"
        lines.append(f"dhcp-range={leases if one.leases else f'{network.network_address},ra-only,64'}")
    return "\n".join(lines) + "\n"


def dhcpcd_conf(ways: Sequence[str]) -> str:
    """Return the configuration of a client."""
    lines = ["hostname", "clientid", "option domain_name_servers, domain_name, interface_mtu", "noarp", "noipv4ll"]
    lines += ["nodelay", "slaac hwaddr"]
    if "dhcp" not in ways:
        lines.append("ipv6only")
    if ways == ["dhcp"]:
        lines.append("ipv4only")
    if "dhcp6" not in ways:
        lines.append("nodhcp6")
    return "\n".join(lines) + "\n"
