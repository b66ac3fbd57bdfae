"""Goodput of a TCP download at 802.11a: python3 model.py RATE..., in Mbit/s, such as python3 model.py 24 54.

Prints a line for each rate, with the goodput in Mbit/s: RATE without GOODPUT with GOODPUT.
"""

import math
import sys

SLOT_US, SIFS_US, DIFS_US, PREAMBLE_US = 9, 16, 34, 20
CW_MIN = 15
ACK_BYTES = 14  # a link-layer ACK
AROUND_BYTES = 36  # MAC header, LLC and FCS, around an IP packet
SEGMENT_BYTES, PAYLOAD_BYTES = 1500, 1448  # an IP packet of the download, and the data in it
TCP_ACK_BYTES = 52  # an IP packet with nothing but a TCP ACK


def frame_us(size, rate):
    """Return how long a frame takes; ``size``: bytes in all. A symbol lasts 4 us, and the PHY adds 22 bits."""
    return PREAMBLE_US + 4 * math.ceil((22 + 8 * size) / (4 * rate))


def answer_rate(rate):
    """Return the rate at which a frame of that rate is answered."""
    return max(answer for answer in (6, 12, 24) if answer <= rate)


def access_us():
    """Return how long a station waits before it sends, if nobody else does."""
    return DIFS_US


def exchange_us(size, rate, more=0):
    """Return how long a frame with an IP packet takes, with its answer, which is longer by ``more`` bytes."""
    answer_us = frame_us(ACK_BYTES + more, answer_rate(rate))
    return access_us() + frame_us(AROUND_BYTES + size, rate) + SIFS_US + answer_us


def without(rate):
    """Return the goodput if TCP ACKs are frames of their own."""
    cycle_us = 2 * exchange_us(SEGMENT_BYTES, rate) + exchange_us(TCP_ACK_BYTES, rate)
    return 2 * 8 * PAYLOAD_BYTES / cycle_us


def with_hack(rate):
    """Return the goodput if all TCP ACKs ride in link-layer ACKs."""
    cycle_us = exchange_us(SEGMENT_BYTES, rate) + exchange_us(SEGMENT_BYTES, rate, more=4)
    return 2 * 8 * PAYLOAD_BYTES / cycle_us


if __name__ == "__main__":
    for argument in sys.argv[1:]:
        rate = int(argument)
        print(f"{rate} without {without(rate):.2f} with {with_hack(rate):.2f}")
