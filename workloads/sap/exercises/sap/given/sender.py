# SPDX-License-Identifier: MIT
"""Send a walk over SAP: python3 sender.py ADDRESS PORT LATITUDE. Prints its positions: degrees, one a second.

The first datagram is precise: how many others there are, and how many positions each of them has (two times 16 bits).
Datagram k of n has the positions k, k + n, k + 2n and so on: latitude and longitude, IEEE 754 binary64. Its first two
bytes are k, and they are protected. Everything else in it may be wrong. All numbers are big-endian.
"""

import math
import random
import struct
import sys

import sap  # type: ignore[import-not-found]  # in the guest only

DATAGRAMS, POSITIONS = 80, 50
METRE_DEG = math.degrees(1 / 6371008.8)


def walk(latitude):
    """Return the positions of a walk, which differs from run to run; nobody in it is faster than 3 m/s."""
    draw = random.SystemRandom()
    longitude, heading, pace_m_s = 10.0, draw.uniform(0, 2 * math.pi), 1.5
    positions = []
    for _ in range(DATAGRAMS * POSITIONS):
        positions.append((latitude, longitude))
        heading += draw.gauss(0, 0.1)
        pace_m_s = min(2.8, max(0.5, pace_m_s + draw.gauss(0, 0.1)))
        latitude += pace_m_s * math.cos(heading) * METRE_DEG
        longitude += pace_m_s * math.sin(heading) * METRE_DEG / math.cos(math.radians(latitude))
    return positions


def main(address, port, latitude):
    """Send a walk, and print it."""
    positions = walk(latitude)
    with sap.connect(address, port) as socket:
        socket.send(struct.pack(">HH", DATAGRAMS, POSITIONS))
        socket.flush()  # nothing overtakes it
        for number in range(DATAGRAMS):
            data = b"".join(struct.pack(">dd", *position) for position in positions[number::DATAGRAMS])
            socket.send_head(struct.pack(">H", number) + data, 2, once=True)
        socket.fin()
    for position in positions:
        print("{:.9f} {:.9f}".format(*position))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]))
