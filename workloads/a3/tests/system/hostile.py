# SPDX-License-Identifier: MIT
"""Words of a monitor and notices from where they must not come, and malformed ones. Runs with the guest's Python.

    hostile.py ROUTER PHONE SERVER    addresses: of the a3d next to the phone, of the phone, of the server

It stands between the two routers. It sends OWN datagrams from its own address, FORGED ones under the phone's, and
NOTICES packets of protocol 253 to the server under the phone's address, none of them well-formed.
"""

from __future__ import annotations

import random
import socket
import struct
import sys
import time

OWN, FORGED, NOTICES = 5, 7, 11
PORT = 7643
EVERY_S = 0.1


def said(*targets: bytes) -> bytes:
    """Return a datagram: these objects are not on the screen."""
    return b"A3s1" + bytes([len(targets)]) + b"".join(struct.pack("!BH", 0, len(one)) + one for one in targets)


def packet(source: str, to: str, protocol: int, data: bytes) -> bytes:
    """Return an IP packet; the kernel computes its checksum."""
    head = struct.pack("!BBHHHBBH", 0x45, 0, 20 + len(data), 0, 0, 64, protocol, 0)
    return head + socket.inet_aton(source) + socket.inet_aton(to) + data


def main() -> None:
    """Send everything, a little at a time."""
    router, phone, server = sys.argv[1:]
    noise = random.Random(1)
    words = said(*(f"/{number}.png".encode() for number in range(1, 13)))
    raw = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_RAW)
    plain = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    for number in range(max(OWN, FORGED, NOTICES)):
        if number < OWN:
            plain.sendto(words, (router, PORT))
        if number < FORGED:
            udp = struct.pack("!HHHH", 999, PORT, 8 + len(words), 0) + words
            raw.sendto(packet(phone, router, socket.IPPROTO_UDP, udp), (router, 0))
        if number < NOTICES:
            tcp = struct.pack("!HHIIBBHHH", 40000, 80, 0, 0, 5 << 4, 0, 0, 0, 0)
            raw.sendto(packet(phone, server, 253, tcp + b"\xa3\x02" + noise.randbytes(1 + 2 * number)), (server, 0))
        time.sleep(EVERY_S)


if __name__ == "__main__":
    main()
