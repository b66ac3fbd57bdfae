"""Receive a walk over SAP: python3 receiver.py ADDRESS PORT. Prints positions, in degrees, and the mean speed."""

import math
import struct
import sys
from itertools import pairwise

import sap  # type: ignore[import-not-found]  # in the guest only

EARTH_M = 6371008.8
FASTEST_M_S = 3.0  # the walker


def distance_m(start, end):
    """Return the distance between two positions in degrees (haversine formula); inf if one of them is no number."""
    if not all(map(math.isfinite, (*start, *end))):
        return math.inf
    north = math.sin(math.radians(end[0] - start[0]) / 2)
    east = math.sin(math.radians(end[1] - start[1]) / 2)
    a = north * north + math.cos(math.radians(start[0])) * math.cos(math.radians(end[0])) * east * east
    return 2 * EARTH_M * math.asin(math.sqrt(min(a, 1.0)))


def receive(address, port):
    """Return how many datagrams there are, how many positions each has, and the positions of those that arrived."""
    with sap.listen(address, port) as socket:
        first, *others = socket
    datagrams, count = struct.unpack(">HH", first.data)
    arrived = {}
    for message in others:
        (number,) = struct.unpack(">H", message.data[:2])
        arrived[number] = list(struct.iter_unpack(">dd", message.data[2:]))
    return datagrams, count, arrived


def repair(datagrams, count, arrived):
    """Return the positions of all seconds, as good as they can be had."""
    return [position for positions in arrived.values() for position in positions]


def mean_speed_m_s(positions):
    """Return the mean speed of a walk with a position for each second."""
    return sum(distance_m(start, end) for start, end in pairwise(positions)) / (len(positions) - 1)


if __name__ == "__main__":
    walk = repair(*receive(sys.argv[1], int(sys.argv[2])))
    for position in walk:
        print("{:.9f} {:.9f}".format(*position))
    print(f"speed {mean_speed_m_s(walk):.4f}")
