# SPDX-License-Identifier: MIT
"""Simulates saturated stations that share a channel by DCF, from backoff to backoff: a reference besides Bianchi.

IEEE 802.11-2020 10.3: all stations hear each other, retries are unlimited, only collisions damage frames. Unlike
Bianchi's model it has EIFS, ACK timeouts, and the time until a transmission is detected. It shares no code with the
medium.
"""

from __future__ import annotations

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
    """Return the number of successful frames per second, measured over ``frames`` frames."""
    chance = random.Random(seed)
    difs_us = phy.sifs_us + 2 * phy.slot_us
    windows = [phy.cw_min] * stations
    slots = [chance.randint(0, phy.cw_min) for _ in range(stations)]
    counting_us = [0] * stations  # when each begins to count its slots
    end_us = done = 0
    while done < frames:
        starts = [since + count * phy.slot_us for since, count in zip(counting_us, slots, strict=True)]
        first_us = min(starts)
        senders = [i for i in range(stations) if starts[i] < first_us + phy.cca_us]
        end_us = max(starts[i] for i in senders) + phy.data_us
        for i in range(stations):
            if i not in senders and first_us > counting_us[i]:
                slots[i] -= (first_us - counting_us[i]) // phy.slot_us
        alone = len(senders) == 1
        done += alone
        for i in senders:
            windows[i] = phy.cw_min if alone else min(2 * windows[i] + 1, phy.cw_max)
            slots[i] = chance.randint(0, windows[i])
        if alone:
            counting_us = [end_us + phy.sifs_us + phy.ack_us + difs_us] * stations
            continue
        counting_us = [end_us + phy.sifs_us + phy.ack_lowest_us + difs_us] * stations  # EIFS
        for i in senders:
            timeout_us = starts[i] + phy.data_us + phy.sifs_us + phy.slot_us + phy.preamble_us
            counting_us[i] = max(timeout_us, end_us) + difs_us
    return done * 1e6 / end_us
