# SPDX-License-Identifier: MIT
"""Checks of this exercise."""

from __future__ import annotations

from lab.model.exercise_check import Evidence

MOST_SCANS = 9


def patient(evidence: Evidence) -> tuple[bool, str]:
    """Count the scans of the call."""
    events = evidence.source("wpa-events")["occurrences"]
    scans = sum(event["kind"] == "scan-started" and event["t_ns"] >= 0 for event in events)
    return 1 <= scans <= MOST_SCANS, f"{scans} scans"
