# SPDX-License-Identifier: MIT
"""Checks of this exercise. A model is compared with one that is within 4 % of the runs at 24 to 54 Mbit/s."""

from __future__ import annotations

import math
import re

from lab.model.exercise_check import Evidence

SLOT_US, SIFS_US, DIFS_US, PREAMBLE_US, CW_MIN = 9, 16, 34, 20, 15
ACK_BYTES, RIDING_BYTES, AROUND_BYTES = 14, 4, 36
SEGMENT_BYTES, PAYLOAD_BYTES, TCP_ACK_BYTES = 1500, 1448, 52
RATES = (6, 9, 12, 18, 24, 36, 48, 54)
CLOSE, CLOSE_PARTLY = 0.04, 0.1
CLOSE_US = 2  # half a symbol
_LINE = re.compile(
    r"(?P<rate>\d{1,3}) without (?P<without>\d{1,6}\.?\d{0,9}) with (?P<with>\d{1,6}\.?\d{0,9})", re.ASCII
)


def longer(evidence: Evidence) -> tuple[bool, str]:
    """Compare how much longer an ACK takes that carries TCP ACKs."""
    return _answered(evidence, "longer", right_longer(evidence), 0)


def right_longer(evidence: Evidence) -> float:
    """Return that time, in us."""
    answer, more = _answer_rate(_rate(evidence)), int(evidence.values["numbers"]["bytes"].value)
    return _frame_us(ACK_BYTES + more, answer) - _frame_us(ACK_BYTES, answer)


def exchange(evidence: Evidence) -> tuple[bool, str]:
    """Compare how long the exchange of a segment with the student's payload takes."""
    return _answered(evidence, "exchange", right_exchange(evidence), CLOSE_US)


def right_exchange(evidence: Evidence) -> float:
    """Return that time, in us."""
    size = int(evidence.values["numbers"]["payload"].value) + SEGMENT_BYTES - PAYLOAD_BYTES
    return _exchange_us(size, _rate(evidence), 0)


def _answered(evidence: Evidence, name: str, right_us: float, close_us: float) -> tuple[bool, str]:
    given = evidence.values["answers"][name]
    said = "not answered" if given is None else f"your answer: {float(given.value):g} us"
    return given is not None and abs(float(given.value) - right_us) <= close_us, said


def without(evidence: Evidence) -> tuple[float, str]:
    """Compare the model's goodput without HACK, at the student's rate."""
    return _near(evidence, "without")


def with_hack(evidence: Evidence) -> tuple[float, str]:
    """Compare the model's goodput with HACK, at the student's rate."""
    return _near(evidence, "with")


def elsewhere(evidence: Evidence) -> tuple[float, str]:
    """Compare both at all other rates."""
    printed = _printed(evidence)
    others = [rate for rate in RATES if rate != _rate(evidence)]
    off = {rate: max(_off(printed, rate, key) for key in ("without", "with")) for rate in others}
    good = sum(one < CLOSE for one in off.values())
    return good / len(off), f"both are within {CLOSE:.0%} at {good} of {len(off)} other rates"


def _near(evidence: Evidence, key: str) -> tuple[float, str]:
    rate, printed = _rate(evidence), _printed(evidence)
    if rate not in printed:
        return 0.0, f"model.py printed no line such as: {rate} without 10.5 with 12.25"
    off = _off(printed, rate, key)
    share = 1.0 if off < CLOSE else 0.5 if off < CLOSE_PARTLY else 0.0
    return share, f"{printed[rate][key]:g} Mbit/s is off by {off:.0%}, wanted less than {CLOSE:.0%}"


def _off(printed: dict[int, dict[str, float]], rate: int, key: str) -> float:
    return abs(printed[rate][key] / _goodput(rate, key) - 1) if rate in printed else math.inf


def _rate(evidence: Evidence) -> int:
    return int(evidence.values["numbers"]["rate"].value)


def _printed(evidence: Evidence) -> dict[int, dict[str, float]]:
    """Return what the model said, by rate."""
    lines = filter(None, map(_LINE.fullmatch, evidence.output("model").splitlines()))
    return {int(line["rate"]): {key: float(line[key]) for key in ("without", "with")} for line in lines}


def _goodput(rate: int, key: str) -> float:
    """Return the goodput in Mbit/s: two segments, and the TCP ACK for both."""
    riding = RIDING_BYTES if key == "with" else 0
    cycle_us = _exchange_us(SEGMENT_BYTES, rate, 0) + _exchange_us(SEGMENT_BYTES, rate, riding)
    return 2 * 8 * PAYLOAD_BYTES / (cycle_us if riding else cycle_us + _exchange_us(TCP_ACK_BYTES, rate, 0))


def _exchange_us(size: int, rate: int, riding: int) -> float:
    answer_us = _frame_us(ACK_BYTES + riding, _answer_rate(rate))
    return DIFS_US + SLOT_US * CW_MIN / 2 + _frame_us(AROUND_BYTES + size, rate) + SIFS_US + answer_us


def _frame_us(size: int, rate: int) -> int:
    return PREAMBLE_US + 4 * math.ceil((22 + 8 * size) / (4 * rate))


def _answer_rate(rate: int) -> int:
    return max(answer for answer in (6, 12, 24) if answer <= rate)
