# SPDX-License-Identifier: MIT
"""Runs in a node: takes all connections, answers all data, and connects, too. It prints what its kernel has delivered.

InDelivers of IP counts the packets that a handler of a transport has taken, and DCCP is the only one that anybody uses
here. So it is the number of calls of dccp_v4_rcv().
"""

from __future__ import annotations

import contextlib
import select
import socket
import struct
import sys
import time
from pathlib import Path

SOL_DCCP, SERVICE, CCIDS = 269, 2, 13
LISTENS, CONNECTS_TO = 5001, 5003
MOST = 60  # connections
PRINT_S, CONNECT_S = 0.5, 0.3


def dccp() -> socket.socket:
    """A socket that takes both CCIDs."""
    found = socket.socket(socket.AF_INET, 6, 33)
    found.setsockopt(SOL_DCCP, SERVICE, struct.pack("!I", 1))
    found.setsockopt(SOL_DCCP, CCIDS, bytes([2, 3]))
    found.setblocking(False)
    return found


def delivered() -> int:
    """The counter of this node."""
    counters = Path("/proc/net/snmp").read_text().splitlines()
    names, values = [line.split() for line in counters if line.startswith("Ip:")]
    return int(values[names.index("InDelivers")])


def served(connection: socket.socket) -> bool:
    """Answer what has come; False: it is over."""
    try:
        data = connection.recv(65_535)
        if data:
            connection.send(data[:1000])
    except BlockingIOError:
        return True
    except OSError:
        return False
    return bool(data)


def main(own: str, other: str) -> None:
    """Serve until the run ends."""
    listener = dccp()
    listener.bind((own, LISTENS))
    listener.listen(20)
    connections: list[socket.socket] = []
    print_s, connect_s = 0.0, 0.0
    print("ready", flush=True)
    while True:
        now_s = time.monotonic()
        if now_s >= print_s:
            print_s = now_s + PRINT_S
            print(delivered(), flush=True)
        if now_s >= connect_s:
            connect_s = now_s + CONNECT_S
            connections.append(dccp())
            with contextlib.suppress(OSError):
                connections[-1].connect((other, CONNECTS_TO))
        if len(connections) > MOST:
            connections.pop(0).close()
        for one in select.select([listener, *connections], [], [], 0.1)[0]:
            if one is listener:
                with contextlib.suppress(OSError):
                    connections.append(listener.accept()[0])
                    connections[-1].setblocking(False)
            elif not served(one):
                connections.remove(one)
                one.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
