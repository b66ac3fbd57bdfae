# SPDX-License-Identifier: MIT
"""A file over HTTP/1.0 to a client that reads slowly, or stops for a while. Runs with the guest's Python.

slow.py serve FOLDER
    Serves files. Of each, it prints the time until all was acknowledged (sent), and the longest time in which no
    byte of it was sent (frozen), in ms.
slow.py get ADDRESS NAME STOP_S SHARE LINE_KBPS
    Does not read for STOP_S after 100 000 bytes, and reads at most SHARE of LINE_KBPS, or with 0 as fast as it can.
    Prints how long that took (read), in ms, and the hash of what arrived.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import socket
import struct
import sys
import time
from pathlib import Path

PORT = 80
BEFORE_STOP = 100_000  # bytes
CHUNK = 4096
LOOK_S = 0.01
TCP_INFO_BYTES = 216
BYTES_ACKED, BYTES_SENT = 120, 200  # places in struct tcp_info of linux/tcp.h; the second counts repeated bytes as well


def counters(connection: socket.socket) -> tuple[int, int]:
    """Return how many bytes were acknowledged, and how many were sent."""
    info = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, TCP_INFO_BYTES)
    return struct.unpack_from("=Q", info, BYTES_ACKED)[0], struct.unpack_from("=Q", info, BYTES_SENT)[0]


def sent(connection: socket.socket, data: bytes) -> dict[str, float]:
    """Send all; return how long that took, and its longest pause."""
    connection.setblocking(False)
    before, known = counters(connection)
    began_s = last_s = time.monotonic()
    frozen_s, left = 0.0, memoryview(data)
    while True:
        with contextlib.suppress(BlockingIOError):
            while left:
                left = left[connection.send(left) :]
        acknowledged, sent_so_far = counters(connection)
        now_s = time.monotonic()
        if sent_so_far != known:
            known, frozen_s, last_s = sent_so_far, max(frozen_s, now_s - last_s), now_s
        if acknowledged - before >= len(data):
            return {"sent": (now_s - began_s) * 1e3, "frozen": frozen_s * 1e3}
        time.sleep(LOOK_S)


def serve(folder: str) -> None:
    """Serve one client after the other."""
    listening = socket.create_server(("", PORT))
    while True:
        connection, _ = listening.accept()
        name = connection.recv(4096).split()[1].decode().strip("/")
        data = (Path(folder) / name).read_bytes()
        head = f"HTTP/1.0 200 OK\r\nContent-Length: {len(data)}\r\n\r\n".encode()
        print(json.dumps(sent(connection, head + data)), flush=True)
        connection.close()


def get(address: str, name: str, stop_s: float, rate_kbps: float) -> None:
    """Fetch a file."""
    began_s = time.monotonic()
    connection = socket.create_connection((address, PORT))
    connection.sendall(f"GET /{name} HTTP/1.0\r\nHost: server\r\nAccept: text/html\r\n\r\n".encode())
    arrived = bytearray()
    while data := connection.recv(CHUNK):
        arrived += data
        if len(arrived) >= BEFORE_STOP and stop_s:
            time.sleep(stop_s)
            stop_s = 0.0
        if rate_kbps:
            time.sleep(max(0.0, began_s + len(arrived) * 8 / (rate_kbps * 1000) - time.monotonic()))
    took_s = time.monotonic() - began_s
    content = bytes(arrived).partition(b"\r\n\r\n")[2]
    print(json.dumps({"read": took_s * 1e3, "sha256": hashlib.sha256(content).hexdigest()}))


def main() -> None:
    """Do what the first argument says."""
    if sys.argv[1] == "serve":
        serve(sys.argv[2])
    else:
        address, name, stop_s, share, line_kbps = sys.argv[2:]
        get(address, name, float(stop_s), float(share) * float(line_kbps))


if __name__ == "__main__":
    main()
