# SPDX-License-Identifier: MIT
"""Checks of this exercise: what the best fixed rate would carry at each place, by the lab's own error curves."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import pairwise

from lab.model.exercise_check import Evidence, EvidenceError
from lab.phy import error_models
from lab.phy.curves import NAMED
from lab.phy.error_rates import per
from lab.shared.types import Plan

CURVES = {  # of each rate in Mbit/s
    6: "bpsk-1/2",
    9: "bpsk-3/4",
    12: "qpsk-1/2",
    18: "qpsk-3/4",
    24: "16qam-1/2",
    36: "16qam-3/4",
    48: "64qam-2/3",
    54: "64qam-3/4",
}
SLOT_US, SIFS_US, DIFS_US, ATTEMPTS, CW_MIN, CW_MAX = 9, 16, 34, 7, 15, 1023
PAYLOAD, FRAME, ACK = 1472, 1472 + 64, 14  # bytes
START_NS = 1_000_000_000  # of the sender
FULL, HALF = 0.7, 0.55  # of what the best rates carry: shares for all points, and for half of them
EXPONENT, FIRST_M, CLOSE_DB = 3, 15, 0.11  # of the propagation; of the first place; of what is weaker
NEARLY = 0.97  # two rates may be equally good


def controlled(evidence: Evidence) -> tuple[float, str]:
    """Compare what has arrived with what the best fixed rate of each place would have carried."""
    plan = evidence.plan
    best = sum(
        max(goodput_mbps(rate, snr_db) for rate in CURVES) * (end - max(begin, START_NS)) / 8000
        for begin, end, snr_db in places(plan)
        if end > START_NS
    )
    share = evidence.source("sink")["values"]["bytes"] / best
    points = 1.0 if share >= FULL else 0.5 if share >= HALF else 0.0
    return points, f"{share:.0%} of what the best fixed rates would carry, wanted {FULL:.0%}"


def weaker(evidence: Evidence) -> tuple[bool, str]:
    """Judge by how much the signal is weaker at the third place than at the first."""
    given = evidence.values["answers"]["weaker"]
    if given is None:
        return False, "no answer"
    return abs(float(given.value) - right_weaker(evidence)) <= CLOSE_DB, f"your answer: {float(given.value):g} dB"


def right_weaker(evidence: Evidence) -> float:
    """Return that difference in dB: propagation by distance, with the exponent of walk.yaml."""
    return 10 * EXPONENT * math.log10(float(evidence.values["numbers"]["far"].value) / FIRST_M)


def middle(evidence: Evidence) -> tuple[bool, str]:
    """Judge the answer for the second place."""
    return _best(evidence, "middle", 1)


def far(evidence: Evidence) -> tuple[bool, str]:
    """Judge the answer for the third place."""
    return _best(evidence, "far", 2)


def right_middle(evidence: Evidence) -> float:
    """Return the best rate at the second place, in Mbit/s."""
    return _rate(evidence, 1)


def right_far(evidence: Evidence) -> float:
    """Return the best rate at the third place, in Mbit/s."""
    return _rate(evidence, 2)


def _rate(evidence: Evidence, place: int) -> float:
    snr_db = list(places(evidence.plan))[place][2]
    return float(max(CURVES, key=lambda rate: goodput_mbps(rate, snr_db)))


def _best(evidence: Evidence, answer: str, place: int) -> tuple[bool, str]:
    given = evidence.values["answers"][answer]
    if given is None:
        return False, "no answer"
    snr_db = list(places(evidence.plan))[place][2]
    carried = {rate: goodput_mbps(rate, snr_db) for rate in CURVES}
    rate = float(given.within("Mbit/s"))
    return carried.get(round(rate), 0) >= NEARLY * max(carried.values()), f"your answer: {rate:g} Mbit/s"


def places(plan: Plan) -> Iterator[tuple[int, int, float]]:
    """Yield begin, end (both ns) and SNR at the access point (dB) of each place of the camera."""
    medium = plan.medium
    if medium is None:
        raise EvidenceError("the run has no medium")
    index = {radio.node: radio.index for radio in medium.radios}
    station, ap = (next(radio for radio in medium.radios if radio.index == index[node]) for node in ("sta1", "ap1"))
    each = [medium.links, *(update.links for update in medium.updates)]
    times = [0, *(update.at_ns for update in medium.updates), plan.duration_ns]
    for links, (begin, end) in zip(each, pairwise(times), strict=True):
        gain_mb = next(link.gain_mb for link in links if (link.transmitter, link.receiver) == (station.index, ap.index))
        yield begin, end, (station.power_mbm + gain_mb - ap.noise_mbm) / 100


def goodput_mbps(rate: int, snr_db: float) -> float:
    """Return what a station alone gets at a rate: each frame is tried up to seven times."""
    model = error_models.load("nist")
    lost = 1 - (1 - float(per(model, NAMED[CURVES[rate]], snr_db, 8 * FRAME))) * (
        1 - float(per(model, NAMED[CURVES[rate]], snr_db, 8 * ACK))
    )
    once_us = DIFS_US + _air_us(rate, FRAME) + SIFS_US + _air_us(rate, ACK)
    windows = [min((CW_MIN + 1) << attempt, CW_MAX + 1) - 1 for attempt in range(ATTEMPTS)]
    spent_us = sum(lost**attempt * (once_us + window / 2 * SLOT_US) for attempt, window in enumerate(windows))
    return 8 * PAYLOAD * (1 - lost**ATTEMPTS) / spent_us


def _air_us(rate: int, size: int) -> int:
    return 20 + 4 * math.ceil((22 + 8 * size) / (4 * rate))
