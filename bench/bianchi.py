# SPDX-License-Identifier: MIT
"""Saturation throughput of DCF, in closed form.

G. Bianchi, Performance Analysis of the IEEE 802.11 Distributed Coordination Function, IEEE JSAC 18(3), 2000, with a
correction for a backoff that may follow its predecessor immediately (1/W). A station that heard a collision waits for
DIFS or for EIFS; the correct value is in between, since stations that collided do not wait for EIFS.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Dcf:
    """Times in µs. ``eifs_us`` is the time that stations wait after a collision that they heard."""

    slot_us: float
    sifs_us: float
    difs_us: float
    eifs_us: float
    data_us: float
    ack_us: float
    cw_min: int = 15
    cw_max: int = 1023


# 1500 B of IP at 54 Mbit/s in mode g (clause 18): short slot, 6 µs of signal extension, ACK at 24 Mbit/s. EIFS is SIFS,
# an ACK at the lowest mandatory rate, which is 1 Mbit/s with the long preamble, and DIFS (10.3.2.3.7).
G54 = Dcf(slot_us=9, sifs_us=10, difs_us=28, eifs_us=10 + 304 + 28, data_us=254, ack_us=34)


def throughput_mbps(dcf: Dcf, stations: int, payload_bytes: int, after_collision_us: float) -> float:
    """Return the throughput of all stations together, if stations that heard a collision wait that long."""
    window = dcf.cw_min + 1
    tau = _attempt(stations, window, ((dcf.cw_max + 1) // window).bit_length() - 1)
    some = 1 - (1 - tau) ** stations
    success = stations * tau * (1 - tau) ** (stations - 1)
    success_us = (dcf.data_us + dcf.sifs_us + dcf.ack_us + dcf.difs_us) * window / (window - 1) + dcf.slot_us
    collision_us = dcf.data_us + after_collision_us
    mean_us = (1 - some) * dcf.slot_us + success * success_us + (some - success) * collision_us
    return success * payload_bytes * 8 * window / (window - 1) / mean_us


def _attempt(stations: int, window: int, doublings: int) -> float:
    """Return the probability that a station sends in a slot: the solution of the two equations, by bisection."""
    low, high = 0.0, 1.0  # of the collision probability
    for _ in range(60):
        collide = (low + high) / 2
        tau = 2 / (1 + window + collide * window * sum((2 * collide) ** i for i in range(doublings)))
        if 1 - (1 - tau) ** (stations - 1) > collide:
            low = collide
        else:
            high = collide
    return tau
