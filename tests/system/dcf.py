# SPDX-License-Identifier: MIT
"""Simulate saturated stations that share a channel by DCF, backoff by backoff: a reference next to Bianchi's model.

IEEE 802.11-2020 10.3: all stations hear each other, retries are unlimited, only collisions damage frames. Unlike
Bianchi's model it has EIFS, ACK timeouts, and the time until a transmission is detected. It shares no code with the
medium.
"""

from __future__ import annotations

import heapq
import random
from dataclasses import dataclass


@dataclass(frozen=True)
class Phy:
    """Durations in µs; ``ack_lowest_us``: an ACK at the lowest rate; ``cca_us``: time until a frame is detected."""

    data_us: int
    ack_us: int
    ack_lowest_us: int
    preamble_us: int
    sifs_us: int
    slot_us: int
    cca_us: int
    cw_min: int
    cw_max: int = 1023


PHYS = {
    "802.11b 11 Mbit/s": Phy(1310, 248, 304, 192, 10, 20, 15, 31),
    "802.11a 6 Mbit/s": Phy(2072, 44, 44, 20, 16, 9, 4, 15),
    "802.11a 54 Mbit/s": Phy(248, 28, 44, 20, 16, 9, 4, 15),
    # clause 18: SIFS of 10 µs, 6 µs of signal extension after data and ACK
    "802.11g 54 Mbit/s": Phy(254, 34, 50, 20, 10, 9, 4, 15),
    # default of mode g, with 802.11b's rates: the lowest is 1 Mbit/s with the long preamble
    "802.11g 54 Mbit/s, mixed": Phy(254, 34, 304, 20, 10, 9, 4, 15),
}


def successes_per_second(phy: Phy, stations: int, frames: int = 100_000, seed: int = 1) -> float:
    """Return the number of successful frames per second, measured over ``frames`` frames.

    Stations that count from the same moment are in a heap, by the slot in which they will send: then a transmission
    touches only those that take part. Senders of a collision wait for an ACK, and so count from another moment until
    the next transmission.
    """
    chance = random.Random(seed)
    difs_us = phy.sifs_us + 2 * phy.slot_us
    windows = [phy.cw_min] * stations
    slot = 0  # the first that those in the heap count from ``since_us``
    since_us = end_us = done = 0
    heap = [(chance.randint(0, phy.cw_min), i) for i in range(stations)]  # (slot, station)
    heapq.heapify(heap)
    apart: list[tuple[int, int, int]] = []  # (slots to count, station, since when in µs)
    while done < frames:
        starts_us = [since + count * phy.slot_us for count, _, since in apart]
        if heap:
            starts_us.append(since_us + (heap[0][0] - slot) * phy.slot_us)
        first_us = min(starts_us)
        senders: list[tuple[int, int]] = []  # (station, its start in µs)
        while heap and (start_us := since_us + (heap[0][0] - slot) * phy.slot_us) < first_us + phy.cca_us:
            senders.append((heapq.heappop(heap)[1], start_us))
        slot += max(0, first_us - since_us) // phy.slot_us
        for count, i, since in apart:
            start_us = since + count * phy.slot_us
            if start_us < first_us + phy.cca_us:
                senders.append((i, start_us))
            else:
                heapq.heappush(heap, (slot + count - max(0, first_us - since) // phy.slot_us, i))
        apart = []
        senders.sort()
        end_us = max(start_us for _, start_us in senders) + phy.data_us
        alone = len(senders) == 1
        done += alone
        since_us = end_us + phy.sifs_us + (phy.ack_us if alone else phy.ack_lowest_us) + difs_us  # DIFS or EIFS
        for i, start_us in senders:
            windows[i] = phy.cw_min if alone else min(2 * windows[i] + 1, phy.cw_max)
            count = chance.randint(0, windows[i])
            if alone:
                heapq.heappush(heap, (slot + count, i))
            else:
                timeout_us = start_us + phy.data_us + phy.sifs_us + phy.slot_us + phy.preamble_us
                apart.append((count, i, max(timeout_us, end_us) + difs_us))
    return done * 1e6 / end_us
