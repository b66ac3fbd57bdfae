# SPDX-License-Identifier: MIT
"""Sessions of HTTP that curl does not have. Runs with the guest's Python.

http_client.py ADDRESS page|ahead|old
"""

from __future__ import annotations

import http.client
import socket
import sys
from typing import Any


def page(address: str) -> None:
    """One connection: a page and objects, chunks both ways, HEAD, POST, 304, OPTIONS."""
    client = http.client.HTTPConnection(address)

    def ask(method: str, target: str, accept: str = "*/*", **more: Any) -> None:
        headers = {"Accept": accept, **more.pop("headers", {})}
        client.request(method, target, headers=headers, **more)
        client.getresponse().read()

    ask("GET", "/index.html", "text/html,application/xhtml+xml")
    ask("GET", "/a.png", "image/*")
    for target in ("/none", "/chunks.cgi", "/a.png"):
        ask("GET", target)
    ask("HEAD", "/a.png")
    ask("POST", "/chunks.cgi", body=b"x" * 3000)
    chunked = {"Transfer-Encoding": "chunked"}
    ask("POST", "/chunks.cgi", body=iter([b"abc", b"de"]), encode_chunked=True, headers=chunked)
    ask("GET", "/index.html", headers={"If-Modified-Since": "Fri, 01 Jan 2100 00:00:00 GMT"})
    ask("OPTIONS", "*")


def everything(tcp: socket.socket, requests: bytes) -> None:
    tcp.sendall(requests)
    while tcp.recv(9999):
        pass


def ahead(address: str) -> None:
    """Four requests before the first answer."""
    targets = (b"index.html", b"a.png", b"none")
    requests = b"".join(b"GET /%s HTTP/1.1\r\nHost: h1\r\n\r\n" % target for target in targets)
    with socket.create_connection((address, 80)) as tcp:
        everything(tcp, requests + b"GET / HTTP/1.1\r\nHost: h1\r\nConnection: close\r\n\r\n")


def old(address: str) -> None:
    """HTTP/1.0: the answer ends with the connection."""
    with socket.create_connection((address, 80)) as tcp:
        everything(tcp, b"GET /chunks.cgi HTTP/1.0\r\n\r\n")


if __name__ == "__main__":
    {"page": page, "ahead": ahead, "old": old}[sys.argv[2]](sys.argv[1])
