# SPDX-License-Identifier: MIT
"""A program for a node: records each packet of a netfilter queue, and lets it pass.

Packets that TCP sends are not seen by tcpdump if the driver takes them at the egress of the interface. Before that they
pass the output hooks of netfilter, and nfnetlink_queue there. It prints a line a packet: the time in ns, the packet.
"""

from __future__ import annotations

import socket
import struct
import time
from collections.abc import Iterator

QUEUE = 0
RULES = (
    "table inet record { chain out { type filter hook postrouting priority 300; tcp sport 5201 queue num 0 bypass; }; }"
)
# linux/netfilter/nfnetlink_queue.h
_NETFILTER, _SUBSYSTEM = 12, 3 << 8
_PACKET, _VERDICT, _CONFIG = _SUBSYSTEM | 0, _SUBSYSTEM | 1, _SUBSYSTEM | 2
_CFG_CMD, _CFG_PARAMS, _CFG_MAXLEN = 1, 2, 3
_BIND, _COPY_PACKET, _ACCEPT = 1, 2, 1
_PACKET_HDR, _VERDICT_HDR, _PAYLOAD = 1, 2, 10
_REQUEST = 1


def _attribute(kind: int, data: bytes) -> bytes:
    size = 4 + len(data)
    return struct.pack("<HH", size, kind) + data + bytes(-size % 4)


def _message(kind: int, attributes: bytes) -> bytes:
    body = struct.pack(">BBH", 0, 0, QUEUE) + attributes
    return struct.pack("<IHHII", 16 + len(body), kind, _REQUEST, 0, 0) + body


def _attributes(data: bytes) -> Iterator[tuple[int, bytes]]:
    while len(data) >= 4:
        size, kind = struct.unpack_from("<HH", data)
        yield kind & 0x3FFF, data[4:size]
        data = data[size + -size % 4 :]


def main() -> None:
    """Record until it is ended."""
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, _NETFILTER) as queue:
        queue.bind((0, 0))
        queue.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8 << 20)
        for attribute in (
            _attribute(_CFG_CMD, struct.pack(">BBH", _BIND, 0, 0)),
            _attribute(_CFG_PARAMS, struct.pack(">IB", 0xFFFF, _COPY_PACKET)),
            _attribute(_CFG_MAXLEN, struct.pack(">I", 100_000)),
        ):
            queue.send(_message(_CONFIG, attribute))
        print("ready", flush=True)
        while True:
            data = queue.recv(1 << 17)
            while len(data) >= 16:
                size, kind = struct.unpack_from("<IH", data)
                if kind == _PACKET:
                    found = dict(_attributes(data[20:size]))
                    print(time.time_ns(), found[_PAYLOAD].hex(), flush=True)
                    verdict = struct.pack(">I", _ACCEPT) + found[_PACKET_HDR][:4]
                    queue.send(_message(_VERDICT, _attribute(_VERDICT_HDR, verdict)))
                data = data[size + -size % 4 :]


if __name__ == "__main__":
    main()
