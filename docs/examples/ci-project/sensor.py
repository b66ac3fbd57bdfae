# SPDX-License-Identifier: MIT
"""Sends readings to a collector, ten per second. Usage: sensor.py HOST PORT COUNT"""

import contextlib
import socket
import sys
import time

PERIOD_S = 0.1
PATIENCE_S = 1.0  # for an answer, or for a connection


def main(host, port, count):
    """Send all readings; each until it is acknowledged."""
    connections, acknowledged = 0, 0
    while acknowledged < count:
        try:
            with socket.create_connection((host, port), timeout=PATIENCE_S) as connection:
                connections += 1
                answers = connection.makefile("rb")
                while acknowledged < count:
                    connection.sendall(b"%d %d\n" % (acknowledged, 20 + acknowledged % 5))
                    if not answers.readline():
                        break
                    acknowledged += 1
                    time.sleep(PERIOD_S)
        except OSError:  # also a timeout
            time.sleep(PERIOD_S)
    print(f"acknowledged {acknowledged} connections {connections}")


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
