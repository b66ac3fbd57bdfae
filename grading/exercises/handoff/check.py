# SPDX-License-Identifier: MIT
"""Checks of this exercise."""

from __future__ import annotations

import math

from lab.model.exercise_check import Evidence
from lab.numbers import count

MOST_SCANS, MOST_AT_DESK, LEAVES_NS = 9, 1, 7_000_000_000
POWER_DBM, FREQUENCY_HZ, EXPONENT, CLOSE_DB = 10, 2412e6, 4.5, 0.1  # of campus.yaml and office.yaml, ap1
ASIDE_M, ABOVE_M = 3, 2  # of ap1 from the corridor and from the telephone
LIGHT_M_S = 299_792_458


def patient(evidence: Evidence) -> tuple[bool, str]:
    """Count the scans of the call."""
    scans = _scans(evidence, evidence.plan.duration_ns)
    return 1 <= scans <= MOST_SCANS, count(scans, "scan")


def settled(evidence: Evidence) -> tuple[bool, str]:
    """Count the scans at the desk."""
    scans = _scans(evidence, LEAVES_NS)
    return scans <= MOST_AT_DESK, f"{count(scans, 'scan')} at the desk"


def _scans(evidence: Evidence, until_ns: int) -> int:
    events = evidence.source("wpa-events")["occurrences"]
    return sum(event["kind"] == "scan-started" and 0 <= event["t_ns"] < until_ns for event in events)


def level(evidence: Evidence) -> tuple[bool, str]:
    """Compare the signal strength at the desk."""
    given = evidence.values["answers"]["level"]
    if given is None:
        return False, "no answer"
    return abs(float(given.value) - right_level(evidence)) <= CLOSE_DB, f"your answer: {float(given.value):g} dBm"


def right_level(evidence: Evidence) -> float:
    """Return it in dBm: log-distance propagation, with that of free space for the first metre."""
    distance_m = math.hypot(float(evidence.values["numbers"]["desk"].within("m")), ASIDE_M, ABOVE_M)
    first_db = 20 * math.log10(4 * math.pi * FREQUENCY_HZ / LIGHT_M_S)
    return POWER_DBM - first_db - 10 * EXPONENT * math.log10(distance_m)
