"""Saturation of a cell of 802.11a: python3 model.py STATIONS SIZE, such as python3 model.py 5 '1472 B'."""

import math
import sys

SLOT_US, SIFS_US, DIFS_US, PREAMBLE_US, ACK_US = 9, 16, 34, 20, 28
CW_MIN, CW_MAX = 15, 1023
BITS_PER_SYMBOL = 216  # 54 Mbit/s: a symbol lasts 4 us and carries 216 bits


def frame_us(size):
    """Return how long a data frame takes. UDP, IP, LLC, MAC header and FCS add 64 bytes, and the PHY adds 22 bits."""
    return PREAMBLE_US + 4 * math.ceil((22 + 8 * (size + 64)) / BITS_PER_SYMBOL)


def attempts(collide):
    """Return how likely a station sends in a slot, if its attempts collide with that probability."""
    window = CW_MIN + 1
    doublings = round(math.log2((CW_MAX + 1) / window))
    return 2 / (1 + window + collide * window * sum((2 * collide) ** i for i in range(doublings)))


def collisions(stations):
    """Return the share of attempts that collide, from 0 to 1: where both equations hold."""
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        if 1 - (1 - attempts(middle)) ** (stations - 1) > middle:
            low = middle
        else:
            high = middle
    return low


def throughput(stations, size):
    """Return the UDP payload of all stations together, in Mbit/s; ``size``: bytes in each datagram."""
    sends = attempts(collisions(stations))
    busy = 1 - (1 - sends) ** stations
    success = stations * sends * (1 - sends) ** (stations - 1)
    success_us = frame_us(size) + SIFS_US + ACK_US + DIFS_US
    collision_us = frame_us(size) + DIFS_US
    return success * 8 * size / ((1 - busy) * SLOT_US + success * success_us + (busy - success) * collision_us)


if __name__ == "__main__":
    stations, size = int(sys.argv[1]), int(sys.argv[2].split()[0])
    print("throughput", throughput(stations, size))
    print("collisions", 100 * collisions(stations))
