# SPDX-License-Identifier: MIT
"""IP addresses, routes and subnets as topologies give them."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator, BeforeValidator, Field

from lab.model.base import Choice, Model, Text, Texts, refuse
from lab.model.node import Node, check_ip

NONE, DHCP, SLAAC = "none", "dhcp", "slaac"
_PREFIX6 = 64  # SLAAC needs it: RFC 4862 5.5.3


def _ip_or_way(text: str) -> str:
    if text[:1].isalpha() and text not in (NONE, DHCP):
        refuse(f'"{text}" is not a valid IPv4 address; write one such as 10.0.0.1/8, or {DHCP} or {NONE}')
    return text if text in (NONE, DHCP) else check_ip(text)


def _ip6_or_way(text: str) -> str:
    """Check for an IPv6 host address without prefix length, or how the node gets one."""
    if text in (NONE, DHCP, SLAAC):
        return text
    if text.partition("/")[1]:
        refuse(f'"{text}" has a prefix length, which is that of its subnet; write {text.partition("/")[0]}')
    try:
        address = ipaddress.IPv6Address(text)
    except ValueError:
        refuse(f'"{text}" is not a valid IPv6 address; write one such as 2001:db8:1::5, or {SLAAC}, {DHCP} or {NONE}')
    if address.is_multicast or address.is_link_local or address.is_unspecified:
        refuse(f'"{text}" is not the address of a node in a subnet; write one such as 2001:db8:1::5')
    return str(address)


def check_network(text: str) -> str:
    """Check for an IPv4 network with room for two nodes."""
    try:
        network = ipaddress.IPv4Network(text)
    except ValueError as error:
        host_bits = "has host bits set" in str(error)
        meant = ipaddress.IPv4Network(text, strict=False) if host_bits else "one such as 10.0.0.0/8"
        refuse(f'"{text}" is not a valid IPv4 network; write {meant}')
    if "/" not in text:
        refuse(f'"{text}" has no prefix length; write {text}/24')
    if network.prefixlen > 30:
        refuse(f'"{text}" is too small for two nodes; write a larger network, such as 10.0.0.0/8')
    return text


def _network6(text: str) -> str:
    try:
        network = ipaddress.IPv6Network(text)
    except ValueError:
        refuse(f'"{text}" is not a valid IPv6 network; write one such as 2001:db8:1::/{_PREFIX6}')
    if network.prefixlen != _PREFIX6:
        refuse(f'"{text}" must be a /{_PREFIX6}, such as {network.network_address}/{_PREFIX6}')
    return str(network)


def _destination(text: str) -> str:
    if text == "default":
        return text
    if re.fullmatch(r"[\d.]+\.0", text):
        refuse(f'"{text}" has no prefix length; write {text}/24')
    try:
        return str(ipaddress.ip_network(text))
    except ValueError:
        refuse(f'"{text}" is not a valid destination; write a network such as 10.2.0.0/24, or default')


IpOrWay = Annotated[Text, AfterValidator(_ip_or_way)]
Ip6OrWay = Annotated[Text, AfterValidator(_ip6_or_way)]
Network = Annotated[Text, AfterValidator(check_network)]


class Subnet(Model):
    """The subnets of a segment."""

    ip: Network | None = Field(None, description="IPv4 network, such as 10.1.0.0/24.")
    ip6: Annotated[Text, AfterValidator(_network6)] | None = Field(
        None,
        description="IPv6 network of 64 bits, such as 2001:db8:1::/64. Each of its nodes gets an address there too.",
    )


def _form(value: Any) -> str:
    return "mapping" if isinstance(value, dict) else "text"


Subnets = dict[
    Text,
    Annotated[Any, Choice(_form, lambda: {"mapping": Subnet, "text": Network})],
]


def _form_of_route(written: Any) -> Any:
    """Refuse routes in the notation of ip route."""
    if isinstance(written, str):
        found = re.search(r"(\S+) via (\S+)", written)
        to, via = found.groups() if found else ("10.2.0.0/24", "r1")
        refuse(f"write {{to: {to}, via: {via}}}")
    return written


def _form_of_routes(written: Any) -> Any:
    """Refuse routes without a list."""
    if isinstance(written, dict):
        to, via = (written.get("to"), written.get("via")) if "to" in written else next(iter(written.items()))
        refuse(f"must be a list; write [{{to: {to}, via: {via}}}]")
    return [written] if isinstance(written, str) else written


def _form_of_dhcp(written: Any) -> Any:
    """Refuse what is neither the word nor segments."""
    if isinstance(written, bool | dict) or written in ("true", "yes", "on"):
        refuse("write server, or the segments that it serves, such as [s1]; the lab chooses the range of addresses")
    return written


class StaticRoute(Model):
    """A static route."""

    to: Annotated[Text, AfterValidator(_destination)] = Field(
        description="Where packets go: a network such as 10.2.0.0/24, or default."
    )
    via: Text = Field(description="The router that they go to: a node in one of its segments, or an address.")


Route = Annotated[StaticRoute, BeforeValidator(_form_of_route)]


def given_ip(ip: str | None) -> str | None:
    """Return the address that ``ip:`` gives, if it gives one."""
    return None if ip in (NONE, DHCP) else ip


def uses_subnets(ip: str | None, ip6: str | None) -> bool:
    """Check whether addresses concern segments and their subnets."""
    return ip in (NONE, DHCP) or ip6 is not None


class Addressed(Node):
    """What nodes with IP addresses have."""

    other_names: ClassVar[Mapping[str, str]] = {
        **Node.other_names,
        **dict.fromkeys(("vlan", "vlans"), "it belongs to a link of this node"),
    }

    ip: IpOrWay | None = Field(
        None,
        description="IPv4 address of its first interface, or of its radio, such as 10.0.0.1/8; dhcp: from a DHCP "
        "server of its segment (dhcp:); none. Default: the next free one.",
    )
    ip6: Ip6OrWay | None = Field(
        None,
        description="IPv6 address of the same interface in the ip6: of its subnet, such as 2001:db8:1::5; slaac: from "
        "advertisements of a router; dhcp: from the router, by DHCPv6; none. Default: the number of its IPv4 address "
        "in that subnet.",
    )
    routes: Annotated[list[Route], BeforeValidator(_form_of_routes)] | None = Field(
        None,
        description="Its static routes, [{to: 10.2.0.0/24, via: r2}], instead of those that the lab makes: to all "
        "subnets over the fewest routers, and a default route for nodes that are not routers. []: none, for routing "
        "protocols.",
    )

    @property
    def given_ip(self) -> str | None:
        return given_ip(self.ip)

    @property
    def uses_subnets(self) -> bool:
        """Whether it has keys that concern segments and their subnets."""
        return uses_subnets(self.ip, self.ip6) or self.routes is not None


class Server(Addressed):
    """What nodes have that can serve addresses to others."""

    dhcp: Annotated[Literal["server"] | Texts, BeforeValidator(_form_of_dhcp)] | None = Field(
        None,
        description="server: it serves addresses, a default route and names to nodes with ip: dhcp in all of its "
        "segments (dnsmasq). A list of segments, as in subnets: only there.",
    )

    @property
    def uses_subnets(self) -> bool:
        return self.dhcp is not None or super().uses_subnets
