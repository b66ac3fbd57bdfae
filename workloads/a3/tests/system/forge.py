# SPDX-License-Identifier: MIT
"""Forge a SYN and its answer where a changed connection is, or narrow a link. Runs with the guest's Python.

forge.py pair ADDRESS       between two hosts behind the router on the way to ADDRESS, from the other side of it
forge.py narrow ADDRESS     the link to ADDRESS carries packets of 1300 bytes from now on
"""

from __future__ import annotations

import json
import socket
import struct
import subprocess
import sys

NET, ENDS = "203.0.113.0/24", (("203.0.113.9", 9), ("203.0.113.10", 80))
SYN, ACK = 2, 16


def way(address: str) -> dict[str, str]:
    """Return how a packet for an address leaves."""
    said = subprocess.run(["ip", "-j", "route", "get", address], check=True, capture_output=True, text=True)
    found: dict[str, str] = json.loads(said.stdout)[0]
    return found


def packet(source: tuple[str, int], to: tuple[str, int], flags: int, seq: int, ack: int) -> bytes:
    """Return a segment without payload; the kernel computes IP's checksum."""
    pseudo = socket.inet_aton(source[0]) + socket.inet_aton(to[0])
    tcp = struct.pack("!HHIIBBHHH", source[1], to[1], seq, ack, 5 << 4, flags, 1000, 0, 0)
    total = sum(struct.unpack("!16H", pseudo + struct.pack("!HH", socket.IPPROTO_TCP, len(tcp)) + tcp))
    total = (total & 0xFFFF) + (total >> 16)
    tcp = tcp[:16] + struct.pack("!H", ~((total & 0xFFFF) + (total >> 16)) & 0xFFFF) + tcp[18:]
    return struct.pack("!BBHHHBBH", 0x45, 0, 40, 0, 0, 64, socket.IPPROTO_TCP, 0) + pseudo + tcp


what, where = sys.argv[1:]
if what == "narrow":
    subprocess.run(["ip", "link", "set", "dev", way(where)["dev"], "mtu", "1300"], check=True)
else:
    subprocess.run(["ip", "route", "add", NET, "via", way(where)["gateway"]], check=True)
    raw = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW)
    client, server = ENDS
    raw.sendto(packet(client, server, SYN, 1000, 0), (server[0], 0))
    raw.sendto(packet(server, client, SYN | ACK, 5000, 1001), (client[0], 0))
