# SPDX-License-Identifier: MIT
"""Checks of this exercise: the ping that finds the student's own queue full."""

from __future__ import annotations

from lab.expressions.values import ValueWithUnit
from lab.model.exercise_check import Evidence

LINK = "home"
PACKET_BIT = 12_000
CLOSE, CLOSE_PARTLY = 0.02, 0.1


def longest(evidence: Evidence) -> tuple[float, str]:
    """Compare how long a ping takes that finds the queue full."""
    given, right_ms = evidence.values["answers"]["longest"], float(right_longest(evidence).value)
    if given is None:
        return 0, "not answered"
    off = abs(float(given.within("ms")) - right_ms) / right_ms
    return 1 if off <= CLOSE else 0.5 if off <= CLOSE_PARTLY else 0, f"your answer: {given}"


def right_longest(evidence: Evidence) -> ValueWithUnit:
    """Return that time: netem counts those that are on the line, too, and only others wait."""
    netem = next(link.netem for link in evidence.plan.links if link.name == LINK)
    assert netem.rate_bps  # places.yaml has one
    on_line = netem.rate_bps * netem.delay_ns / 1e9 / PACKET_BIT
    wait_ms = max(0, netem.limit_packets - on_line) * PACKET_BIT / netem.rate_bps * 1e3
    return ValueWithUnit(2 * netem.delay_ns / 1e6 + wait_ms, "ms")
