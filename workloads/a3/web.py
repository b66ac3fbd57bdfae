# SPDX-License-Identifier: MIT
"""A browser of the 2000s, as traffic only: pages over a few persistent connections. Runs with the guest's Python.

    web.py ADDRESS PAGES CONNECTIONS ON_SCREEN [A3D]

It asks for the page, and when that has come, for its pictures in the order of the HTML, on all connections (RFC 2616
allowed two), each with one request under way. ON_SCREEN pictures, by their place on the page, are on the screen; when
the page has come, the a3d at the address A3D is told so, as a monitor of a browser does (a3d/monitor.h). The pages are
those of the probe web-site. It prints a line of JSON for each page: how long it took from the start of the first
connection until all on the screen had come (screen) and until everything had (all), in ms; a hash as the probe computes
it (sha256), and how many objects did not come (failures). It asks a second time if the server ends the connection.
"""

from __future__ import annotations

import hashlib
import http.client
import json
import queue
import re
import socket
import struct
import sys
import threading
import time

A3D_PORT = 7643
PICTURE = re.compile(rb'<div style="order: (\d+)"><img src="([^"]+)">')


def told(places: list[tuple[int, str]], on_screen: int) -> bytes:
    """Return the datagram that says which of a few pictures are on the screen, for each its place and path."""
    objects = [struct.pack("!BH", place < on_screen, len(path)) + path.encode() for place, path in places]
    return struct.pack("!4sB", b"A3s1", len(objects)) + b"".join(objects)


class Load:
    """One load of a page."""

    def __init__(self, address: str, connections: int, on_screen: int, a3d: str | None = None) -> None:
        self.address = address
        self.connections = connections
        self.on_screen = on_screen
        self.a3d = a3d
        self.contents: dict[str, bytes] = {}
        self.came_ns: dict[str, int] = {}
        self.visible = {"/"}  # what is on the screen
        self.failures = 0

    def fetch(self, connection: http.client.HTTPConnection, path: str, kind: str) -> None:
        """Ask for an object, and read the answer."""
        for again in (True, False):
            try:
                connection.request("GET", path, headers={"Accept": kind})
                answer = connection.getresponse()
                content = answer.read()
                break
            except (OSError, http.client.HTTPException):
                connection.close()  # a server may end a connection that was idle; browsers then ask again
                if not again:
                    self.failures += 1
                    return
        if answer.status != 200:
            self.failures += 1
            return
        self.came_ns[path] = time.monotonic_ns()
        self.contents[path] = content

    def pictures(self, connection: http.client.HTTPConnection, paths: queue.SimpleQueue[str]) -> None:
        """Fetch one picture after the other, until there is none left."""
        while True:
            try:
                path = paths.get_nowait()
            except queue.Empty:
                return
            self.fetch(connection, path, "image/png,*/*")

    def run(self) -> dict[str, object]:
        """Load the page; return what is printed of it."""
        began_ns = time.monotonic_ns()
        connections = [http.client.HTTPConnection(self.address) for _ in range(self.connections)]
        self.fetch(connections[0], "/", "text/html,*/*")
        found = [(int(place), f"/{name.decode()}") for place, name in PICTURE.findall(self.contents.get("/", b""))]
        if self.a3d is not None:
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as monitor:
                monitor.sendto(told(found, self.on_screen), (self.a3d, A3D_PORT))
        paths: queue.SimpleQueue[str] = queue.SimpleQueue()
        for _, path in found:
            paths.put(path)
        threads = [threading.Thread(target=self.pictures, args=(one, paths)) for one in connections]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for connection in connections:
            connection.close()
        self.visible |= {path for place, path in found if place < self.on_screen}
        screen_ns = max(self.came_ns.get(path, began_ns) for path in self.visible)
        lines = (f"{path} {hashlib.sha256(content).hexdigest()}\n" for path, content in sorted(self.contents.items()))
        return {
            "screen": (screen_ns - began_ns) / 1e6,
            "all": (max(self.came_ns.values(), default=began_ns) - began_ns) / 1e6,
            "sha256": hashlib.sha256("".join(lines).encode()).hexdigest(),
            "failures": self.failures,
        }


def main() -> None:
    """Load so many pages, one after the other."""
    address, pages, connections, on_screen, *a3d = sys.argv[1:]
    hashes: set[object] = set()
    failures = 0
    for number in range(int(pages)):
        done = Load(address, int(connections), int(on_screen), a3d[0] if a3d else None).run()
        hashes.add(done["sha256"])
        failures += int(str(done["failures"]))
        same = done["sha256"] if len(hashes) == 1 else "various"
        print(json.dumps(done | {"sha256": same, "failures": failures, "pages": number + 1}), flush=True)


if __name__ == "__main__":
    main()
