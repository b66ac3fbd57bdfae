# SPDX-License-Identifier: MIT
"""The monitor of a browser's state (ASM): which objects of a page are on the screen. Runs with the guest's Python.

    asm.py PORT A3D [A3D_PORT]    PORT: of the browser's DevTools protocol, on this node; A3D: address of the a3d

It attaches to each browser that opens the port, one after the other, and adds a script to its pages that watches all
pictures. As soon as one appears on the screen, leaves it, or is added outside of it, it tells a3d, by a datagram
(a3d/monitor.h). It prints a line of JSON for each datagram. It runs until it is ended.
"""

from __future__ import annotations

import base64
import contextlib
import http.client
import json
import os
import socket
import struct
import sys
import time
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

RETRY_S = 0.01  # between two looks for a browser
A3D_PORT = 7643
MOST_OBJECTS, MOST_TARGET, MOST_BYTES = 64, 1024, 1400  # of a datagram
WATCH = """\
(() => {
  if (window.a3watched) return;
  window.a3watched = true;
  const said = one => [one.target.src, one.isIntersecting && one.intersectionRatio > 0.05];
  const changed = new IntersectionObserver(all => a3said(JSON.stringify(all.map(said))), {threshold: [0, 0.05, 0.1]});
  const found = node => {
    if (node.tagName === "IMG") changed.observe(node);
    if (node.querySelectorAll) for (const image of node.querySelectorAll("img")) changed.observe(image);
  };
  new MutationObserver(all => all.forEach(one => one.addedNodes.forEach(found)))
    .observe(document, {childList: true, subtree: true});
  found(document);
})()"""
TEXT, CLOSE, PING, PONG = 1, 8, 9, 10  # kinds of frames of a WebSocket (RFC 6455 5.2)


class Socket:
    """A WebSocket to a browser."""

    def __init__(self, url: str) -> None:
        place = urlsplit(url)
        self._socket = socket.create_connection((place.hostname, place.port or 80))
        key = base64.b64encode(os.urandom(16)).decode()
        head = f"GET {place.path} HTTP/1.1\r\nHost: {place.netloc}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        self._socket.sendall(f"{head}Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n".encode())
        self._file = self._socket.makefile("rb")
        if b" 101 " not in self._file.readline():
            raise ConnectionError("the browser does not talk")
        while self._file.readline() not in (b"\r\n", b""):
            pass

    def close(self) -> None:
        """Leave the browser without a word; it goes on."""
        self._file.close()
        self._socket.close()

    def send(self, data: bytes, kind: int = TEXT) -> None:
        """Send a frame (RFC 6455, 5.2)."""
        length = len(data)
        head = bytes([0x80 | kind])
        if length < 126:
            head += bytes([0x80 | length])
        else:
            head += (
                struct.pack("!BH", 0x80 | 126, length) if length < 1 << 16 else struct.pack("!BQ", 0x80 | 127, length)
            )
        self._socket.sendall(head + bytes(4) + data)  # masked with zeros: nothing is between the two

    def messages(self) -> Iterator[bytes]:
        """Yield messages, until the browser ends."""
        whole = b""
        while True:
            head = self._exactly(2)
            length = head[1] & 0x7F
            if length > 125:
                length = int.from_bytes(self._exactly(2 if length == 126 else 8), "big")
            data, kind = self._exactly(length), head[0] & 0x0F
            if kind == CLOSE:
                return
            if kind == PING:
                self.send(data, PONG)
            elif kind != PONG:
                whole += data
                if head[0] & 0x80:
                    yield whole
                    whole = b""

    def _exactly(self, length: int) -> bytes:
        data = self._file.read(length)
        if len(data) < length:
            raise ConnectionError("the browser has ended")
        return data


def browser(port: int) -> Socket:
    """Wait for a browser, and connect to it."""
    while True:
        for host in ("127.0.0.1", "::1"):
            with contextlib.suppress(OSError, http.client.HTTPException, ValueError, KeyError):
                asked = http.client.HTTPConnection(host, port)
                asked.request("GET", "/json/version")
                return Socket(json.load(asked.getresponse())["webSocketDebuggerUrl"])
        time.sleep(RETRY_S)


def watch(browser: Socket) -> Iterator[list[tuple[str, bool]]]:
    """Yield what changes on the pages of a browser: the URL of a picture, and whether it is on the screen."""
    number = 0

    def ask(method: str, session: str | None = None, **params: Any) -> None:
        nonlocal number
        number += 1
        message = {"id": number, "method": method, "params": params} | ({"sessionId": session} if session else {})
        browser.send(json.dumps(message).encode())

    ask("Target.setAutoAttach", autoAttach=True, waitForDebuggerOnStart=False, flatten=True)
    for message in map(json.loads, browser.messages()):
        params = message.get("params", {})
        if message.get("method") == "Target.attachedToTarget" and params["targetInfo"]["type"] == "page":
            session = params["sessionId"]
            ask("Page.enable", session)
            ask("Runtime.enable", session)
            ask("Runtime.addBinding", session, name="a3said")
            ask("Page.addScriptToEvaluateOnNewDocument", session, source=WATCH)
            ask("Runtime.evaluate", session, expression=WATCH)
        elif message.get("method") == "Runtime.bindingCalled" and params["name"] == "a3said":
            yield said(params["payload"])


def said(payload: str) -> list[tuple[str, bool]]:
    """Return the pictures of a message from the page, and whether each is on the screen.

    A script of the page can send such messages as well: what is not of this form is left out.
    """
    try:
        changes = json.loads(payload)
    except (ValueError, RecursionError):
        return []
    pairs = [one for one in changes if isinstance(one, list) and len(one) == 2] if isinstance(changes, list) else []
    return [(url, on_screen) for url, on_screen in pairs if isinstance(url, str) and isinstance(on_screen, bool)]


def target(url: str) -> bytes:
    """Return what a request for a URL asks for; empty: none is sent, it is too long, or it is no URL."""
    try:
        place = urlsplit(url)
        found = ((place.path or "/") + (f"?{place.query}" if place.query else "")).encode()
    except ValueError:
        return b""
    if place.scheme != "http":
        return b""
    return found if len(found) <= MOST_TARGET else b""


def datagrams(objects: list[tuple[bytes, bool]]) -> Iterator[bytes]:
    """Yield what to send to a3d (a3d/monitor.h)."""
    count, said = 0, b""
    for what, on_screen in objects:
        one = struct.pack("!BH", on_screen, len(what)) + what
        if count and (count == MOST_OBJECTS or len(said) + len(one) > MOST_BYTES):
            yield b"A3s1" + bytes([count]) + said
            count, said = 0, b""
        count, said = count + 1, said + one
    if count:
        yield b"A3s1" + bytes([count]) + said


def main() -> None:
    """Watch one browser after the other."""
    port, a3d = int(sys.argv[1]), (sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else A3D_PORT)
    family = socket.AF_INET6 if ":" in a3d[0] else socket.AF_INET
    with socket.socket(family, socket.SOCK_DGRAM) as out:
        while True:
            with contextlib.suppress(OSError), contextlib.closing(browser(port)) as watched:
                for changes in watch(watched):
                    objects = [(target(url), on_screen) for url, on_screen in changes if target(url)]
                    for one in datagrams(objects):
                        with contextlib.suppress(OSError):
                            out.sendto(one, a3d)
                    on = sum(on_screen for _, on_screen in objects)
                    now_ns = time.clock_gettime_ns(time.CLOCK_REALTIME)
                    print(json.dumps({"t_ns": now_ns, "on_screen": on, "others": len(objects) - on}), flush=True)


if __name__ == "__main__":
    main()
