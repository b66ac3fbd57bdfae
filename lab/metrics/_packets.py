# SPDX-License-Identifier: MIT
"""Packets in Ethernet frames: IPv4 with TCP and UDP."""

from __future__ import annotations

from dataclasses import dataclass

ETHERNET_BYTES = 14
TCP, UDP = 6, 17
_IPV4, _IPV6 = b"\x08\x00", b"\x86\xdd"
_IPV6_BYTES, _ICMPV6 = 40, 58
_DISCOVERY = range(133, 138)  # types of ICMPv6
_LEAST = 20  # bytes of a header without options, of IPv4 and of TCP
_DHCP_PORTS = {67, 68}  # RFC 2131


def payload(frame: bytes, protocol: int) -> bytes:
    """Return the payload of an IPv4 packet of that protocol, as captured; empty for another protocol, or a fragment."""
    ip = frame[ETHERNET_BYTES:]
    if frame[12:14] != _IPV4 or len(ip) < _LEAST or ip[9] != protocol or int.from_bytes(ip[6:8], "big") & 0x1FFF:
        return b""
    return ip[_header_bytes(ip) : int.from_bytes(ip[2:4], "big")]  # without padding


def _header_bytes(ip: bytes) -> int:
    return 4 * (ip[0] & 0x0F)


def is_dhcp(frame: bytes) -> bool:
    """Return whether a frame is of DHCP."""
    udp = payload(frame, UDP)
    return len(udp) >= 4 and {int.from_bytes(udp[:2], "big"), int.from_bytes(udp[2:4], "big")} == _DHCP_PORTS


def is_neighbour_discovery(frame: bytes) -> bool:
    """Return whether a frame is of what IPv6 has instead of ARP (RFC 4861)."""
    ip = frame[ETHERNET_BYTES:]
    return frame[12:14] == _IPV6 and len(ip) > _IPV6_BYTES and ip[6] == _ICMPV6 and ip[_IPV6_BYTES] in _DISCOVERY


@dataclass(frozen=True)
class Segment:
    """A TCP segment. ``connection`` is that of its sender, as ss names it: ``10.0.0.1:80-10.0.0.2:53042``."""

    connection: str
    number: int  # sequence number, 32 bits
    size: int  # bytes of data

    @property
    def reverse(self) -> str:
        """The connection as its receiver sees it."""
        return "-".join(reversed(self.connection.split("-")))

    def has(self, number: int) -> bool:
        """Return whether a byte with that sequence number is in it."""
        return (number - self.number) % 2**32 < self.size


def segment(frame: bytes) -> Segment | None:
    """Return the TCP segment over IPv4 in a frame."""
    tcp = payload(frame, TCP)
    if len(tcp) < _LEAST:
        return None
    ip = frame[ETHERNET_BYTES:]
    size = int.from_bytes(ip[2:4], "big") - _header_bytes(ip) - 4 * (tcp[12] >> 4)  # the capture may be cut
    source, target = (".".join(map(str, ip[at : at + 4])) for at in (12, 16))
    ports = int.from_bytes(tcp[:2], "big"), int.from_bytes(tcp[2:4], "big")
    return Segment(f"{source}:{ports[0]}-{target}:{ports[1]}", int.from_bytes(tcp[4:8], "big"), max(size, 0))
