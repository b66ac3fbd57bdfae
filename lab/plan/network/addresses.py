# SPDX-License-Identifier: MIT
"""IP and MAC addresses: given ones are checked, the others are assigned in file order.

IP addresses are assigned as in Mininet: 10.0.0.1, 10.0.0.2, … to hosts and stations in order. MAC addresses are
locally administered: 02:00:01, the node's number in two bytes, then 00 for the radio, 01 for eth0, 02 for eth1, …
Other radios, and other networks of a radio, have 02:00:02, the node's number, and four bits each for the radio and the
network. 02:00:00 belongs to mac80211_hwsim: radio n always has 02:00:00, n in two bytes, and 00. Interfaces of the
radio that have no other address use it (a Wi-Fi Direct device, an interface added with iw).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace
from ipaddress import IPv4Interface, IPv4Network, IPv6Network
from itertools import count

from lab.errors import warn
from lab.model.document import Keys
from lab.model.topology import Topology
from lab.plan.problems import RefuseAt, ValidatedFile
from lab.shared.types import Node

_RADIO = 0
_IPV6 = IPv6Network("2001:db8::/32")  # for documentation: RFC 3849


def generated_mac(node_index: int, port: int | None) -> str:
    """Return the generated address of a node's radio (``port`` None) or wired interface."""
    last = _RADIO if port is None else port + 1
    return f"02:00:01:{node_index >> 8 & 0xFF:02x}:{node_index & 0xFF:02x}:{last:02x}"


def radio_mac(node_index: int, radio: int, network: int) -> str:
    """Return the generated address of a network of a node's radio; both count from 0."""
    number = radio << 4 | network
    if not number:
        return generated_mac(node_index, None)
    return f"02:00:02:{node_index >> 8 & 0xFF:02x}:{node_index & 0xFF:02x}:{number:02x}"


def free_networks6(used: Collection[IPv6Network] = ()) -> Iterator[IPv6Network]:
    """Yield networks of 64 bits that overlap none of those in use, in order."""
    first = int(_IPV6.network_address)
    for number in count():
        network = IPv6Network((first + (number << 64), 64))
        if not any(network.overlaps(one) for one in used):
            yield network


def address6(address: IPv4Interface, network: IPv6Network) -> str:
    """Return the IPv6 address of the same number in a network as the IPv4 address in its own."""
    return str(network[int(address.ip) - int(address.network.network_address)])


def with_ipv6(nodes: list[Node]) -> list[Node]:
    """Give each interface with an IPv4 address an IPv6 address, each subnet with a network of 64 bits."""
    free = free_networks6()
    networks: dict[IPv4Network, IPv6Network] = {}

    def made(text: str | None) -> str | None:
        if text is None:
            return None
        interface = IPv4Interface(text)
        if interface.network not in networks:
            networks[interface.network] = next(free)
        return f"{address6(interface, networks[interface.network])}/64"

    return [
        replace(
            node,
            ip6=made(node.ip),
            interfaces=[replace(one, ip6=made(one.ip)) for one in node.interfaces],
            wlans=[replace(one, ip6=made(one.ip)) for one in node.wlans],
        )
        for node in nodes
    ]


@dataclass
class Macs:
    """The MAC addresses in use, with their owners."""

    source: ValidatedFile[Topology]
    refuse: RefuseAt
    owners: dict[str, tuple[str, Keys]] = field(default_factory=dict)

    def claim(self, mac: str, owner: str, keys: Keys, what: str) -> None:
        """Record that ``owner`` has ``mac``; report two owners at the address that the file gives.

        ``what``: what messages call the address: ``BSSID`` or ``MAC address``.
        """
        first = self.owners.setdefault(mac, (owner, keys))
        if first == (owner, keys):
            return
        blamed = keys if keys[-1] in ("mac", "bssid") else first[1]
        other = first[0] if blamed == keys else owner
        where = self.source.document.where(first[1] if blamed == keys else keys)
        self.refuse(blamed, f"{mac} is already {other}'s {what} ({where}); write a unique one, or remove it")


@dataclass(frozen=True)
class _Given:
    interface: IPv4Interface
    owner: str
    keys: Keys


@dataclass
class Ips:
    """The IP addresses in use, and the pool for the others."""

    source: ValidatedFile[Topology]
    refuse: RefuseAt
    given: list[_Given] = field(default_factory=list)

    @property
    def subnet(self) -> IPv4Network:
        """The address pool."""
        return IPv4Network(self.source.model.subnet)

    def claim(self, text: str, owner: str, keys: Keys) -> str:
        """Record a given address; return it with its prefix length."""
        interface = IPv4Interface(text)
        if "/" not in text:
            if interface.ip not in self.subnet:
                self.refuse(keys, f'"{text}" is not in {self.subnet}, so it needs a prefix length; write {text}/24')
                return f"{text}/{self.subnet.prefixlen}"
            interface = IPv4Interface(f"{text}/{self.subnet.prefixlen}")
        self._compare(_Given(interface, owner, keys))
        return str(interface)

    def _compare(self, new: _Given) -> None:
        """Report an address that is used twice, or whose network overlaps another."""
        for old in self.given:
            networks = new.interface.network, old.interface.network
            where = self.source.document.where(old.keys)
            if new.interface.ip == old.interface.ip:
                self.refuse(
                    new.keys, f"{new.interface.ip} is already {old.owner}'s address ({where}); write another one"
                )
                break
            if networks[0] == networks[1] and new.owner == old.owner:
                self.refuse(
                    new.keys,
                    f"{new.owner} already has an interface in {networks[0]} ({where}); each interface needs its own "
                    "subnet",
                )
                break
            if networks[0] != networks[1] and networks[0].overlaps(networks[1]):
                self.refuse(
                    new.keys,
                    f"subnet {networks[0]} overlaps {networks[1]} of {old.owner} ({where}); "
                    f"write {new.interface.ip}/{networks[1].prefixlen}, or an address outside {networks[1]}",
                )
                break
        self.given.append(new)

    def fill(self, owners: list[str]) -> dict[str, str]:
        """Assign free addresses of the pool to nodes that have none."""
        if owners:
            self._check_pool(owners)
        taken = {given.interface.ip: given for given in self.given}
        pool = self.subnet.hosts()
        found: dict[str, str] = {}
        for owner in owners:
            address, displaced_by = next(pool, None), None
            while address in taken:
                displaced_by = displaced_by or taken[address]
                address = next(pool, None)
            if address is None:
                room = self.subnet.num_addresses - 2
                self.refuse(("subnet",), f"{self.subnet} has room for only {room} nodes; write a larger network")
                break
            found[owner] = f"{address}/{self.subnet.prefixlen}"
            if displaced_by is not None:
                self._warn(owner, found[owner], displaced_by)
        for one in self.given:
            network = one.interface.network
            others = [other.interface.network for other in self.given if other.owner != one.owner]
            if network != self.subnet and network not in others and (others or found):
                warn(
                    f"{one.owner} is alone in {network}: no other node has an address there, so packets arrive only "
                    f"by routes (exec: …, run: [ip, route, add, …]); or write an address in {self.subnet}",
                    self.source.document.where(one.keys),
                )
        return found

    def _warn(self, owner: str, address: str, displaced_by: _Given) -> None:
        """Say that a node gets another address than its place in the file suggests, since a later node has that one."""
        names = list(self.source.model.nodes)
        if displaced_by.owner in names and names.index(owner) < names.index(displaced_by.owner):
            ip = displaced_by.interface.ip
            warn(
                f"{ip} would be the address of {owner}, which comes first in the file; {owner} gets {address}; "
                f"write ip: in both nodes, or in neither",
                self.source.document.where(displaced_by.keys),
            )

    def _check_pool(self, owners: list[str]) -> None:
        """Report given networks that overlap the pool in use, or that give a node two interfaces in it."""
        for given in self.given:
            network = given.interface.network
            if network == self.subnet and given.owner in owners:
                self.refuse(
                    given.keys,
                    f"{given.owner}'s first interface is already in {network}; each interface needs its own subnet",
                )
            if network != self.subnet and network.overlaps(self.subnet):
                self.refuse(
                    given.keys,
                    f"subnet {network} overlaps {self.subnet}, from which {owners[0]} gets its address; write "
                    f"{given.interface.ip}/{self.subnet.prefixlen}, or another subnet: for the topology",
                )
