# SPDX-License-Identifier: MIT
"""Simulate saturated stations that share a channel by EDCA, backoff by backoff: a reference for the medium.

IEEE 802.11-2020 10.23.2: each station has frames of one access category, all stations hear each other, only collisions
damage frames, and a TXOP is one frame. The counter is decremented at each slot boundary, the first of which is the end
of AIFS (10.23.2.4). EIFS and ACK timeouts are as in ``dcf.py``. It shares no code with the medium.

``python -m tests.system.edca`` prints the figures that test_medium.py expects (a minute).
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass

from tests.system.dcf import Phy

CASES = (  # categories and their stations
    ("voice", 1, "best effort", 1),
    ("voice", 1, "best effort", 4),
    ("video", 2, "best effort", 3),
    ("best effort", 3, "background", 3),
)
ATTEMPTS = 20
IP_BYTES = 1500


@dataclass(frozen=True)
class Category:
    """Contention parameters of an access category: AIFSN and windows in slots."""

    aifsn: int
    cw_min: int
    cw_max: int


# hostapd's default for stations
CATEGORIES = {
    "voice": Category(2, 3, 7),
    "video": Category(2, 7, 15),
    "best effort": Category(3, 15, 1023),
    "background": Category(7, 15, 1023),
}

# as of dcf.py, with two bytes of QoS Control more in the frame: a symbol
A54_QOS = Phy(252, 28, 44, 20, 16, 9, 4, 15)


def successes_per_second(
    phy: Phy, categories: list[str], attempts: int, frames: int = 2_000_000, seed: int = 1
) -> dict[str, float]:
    """Return the successful frames per second of all stations of each category, measured over ``frames`` frames.

    There is a station for each entry of ``categories``. A frame is given up after so many attempts.
    """
    chance = random.Random(seed)
    stations = [CATEGORIES[name] for name in categories]
    count = [chance.randint(0, category.cw_min) for category in stations]
    window = [category.cw_min for category in stations]
    tried = [0] * len(stations)
    aifs_us = [phy.sifs_us + category.aifsn * phy.slot_us for category in stations]
    counts_from_us = list(aifs_us)
    done: Counter[str] = Counter()
    end_us = 0
    while done.total() < frames:
        start_us = [since + slots * phy.slot_us for since, slots in zip(counts_from_us, count, strict=True)]
        first_us = min(start_us)
        senders = [i for i, start in enumerate(start_us) if start < first_us + phy.cca_us]
        end_us = max(start_us[i] for i in senders) + phy.data_us
        success = len(senders) == 1
        idle_us = end_us + phy.sifs_us + (phy.ack_us if success else phy.ack_lowest_us)  # SIFS and ACK, or EIFS
        for i, category in enumerate(stations):
            if i not in senders:
                if first_us >= counts_from_us[i]:
                    count[i] -= min(count[i], (first_us - counts_from_us[i]) // phy.slot_us + 1)
                counts_from_us[i] = idle_us + aifs_us[i]
                continue
            tried[i] += 1
            done[categories[i]] += success
            if success or tried[i] == attempts:
                window[i], tried[i] = category.cw_min, 0
            else:
                window[i] = min(2 * window[i] + 1, category.cw_max)
            count[i] = chance.randint(0, window[i])
            timeout_us = start_us[i] + phy.data_us + phy.sifs_us + phy.slot_us + phy.preamble_us
            counts_from_us[i] = (idle_us if success else max(timeout_us, end_us)) + aifs_us[i]
    return {name: number * 1e6 / end_us for name, number in done.items()}


if __name__ == "__main__":
    for one, ones, other, others in CASES:
        both = successes_per_second(A54_QOS, [one] * ones + [other] * others, ATTEMPTS)
        print(one, ones, other, others, *(f"{per_s * IP_BYTES * 8e-6:.4g} Mbit/s" for per_s in both.values()))
