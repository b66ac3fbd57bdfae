# SPDX-License-Identifier: MIT
"""Collects readings: a line "NUMBER VALUE" is stored and answered with "NUMBER". Usage: collector.py PORT FILE"""

import socketserver
import sys
from pathlib import Path


class Sensor(socketserver.StreamRequestHandler):
    """A connection of a sensor."""

    def handle(self):
        """Store and acknowledge each line; ignore one that the end of the connection cuts off."""
        for line in self.rfile:
            if line.endswith(b"\n"):
                number, value = line.split()
                self.server.store(int(number), value.decode())
                self.wfile.write(b"%s\n" % number)


class Collector(socketserver.ThreadingTCPServer):
    """Accepts sensors."""

    allow_reuse_address = True
    daemon_threads = True

    def __init__(self, port, path):
        super().__init__(("0.0.0.0", port), Sensor)
        self.path, self.readings = path, {}

    def store(self, number, value):
        """Add a reading, and write all of them in their order."""
        self.readings[number] = value
        self.path.write_text("".join(f"{number} {value}\n" for number, value in sorted(self.readings.items())))


if __name__ == "__main__":
    with Collector(int(sys.argv[1]), Path(sys.argv[2])) as collector:
        collector.serve_forever()
