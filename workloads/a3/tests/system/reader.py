# SPDX-License-Identifier: MIT
"""Fetch a file by HTTP/1.0, read slowly, and print its hash. Runs with the guest's Python.

reader.py ADDRESS TARGET OWN_PORT STOP_S     after 100 000 bytes, it does not read for STOP_S
reader.py serve FOLDER                       serve files, and print when all of a file was acknowledged
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import socket
import struct
import sys
import termios
import time
from pathlib import Path

if sys.argv[1] == "serve":
    server = socket.create_server(("", 80))
    while True:
        one, _ = server.accept()
        target = one.recv(4096).split()[1].decode()
        data = (Path(sys.argv[2]) / target.strip("/")).read_bytes()
        began_s = time.monotonic()
        one.sendall(b"HTTP/1.0 200 OK\r\nContent-Length: %d\r\n\r\n" % len(data) + data)
        while struct.unpack("i", fcntl.ioctl(one, termios.TIOCOUTQ, bytes(4)))[0]:
            time.sleep(0.01)
        print(json.dumps({"target": target, "took_ms": round((time.monotonic() - began_s) * 1000)}), flush=True)
        one.close()
else:
    address, target, port, stop_s = sys.argv[1], sys.argv[2], int(sys.argv[3]), float(sys.argv[4])
    one = socket.socket()
    one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
    one.bind(("", port))
    one.connect((address, 80))
    one.sendall(b"GET /%s HTTP/1.0\r\nHost: server\r\nAccept: text/html\r\n\r\n" % target.encode())
    began_s, stopped, got = time.monotonic(), False, b""
    while data := one.recv(65536):
        got += data
        if len(got) > 100_000 and not stopped:
            time.sleep(stop_s)
            stopped = True
    sha256 = hashlib.sha256(got.split(b"\r\n\r\n", 1)[1]).hexdigest()
    print(json.dumps({"sha256": sha256, "took_ms": round((time.monotonic() - began_s) * 1000)}), flush=True)
