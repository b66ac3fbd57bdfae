# SPDX-License-Identifier: MIT
"""Checks of this exercise. What was sent is what the sender says, on a node where nothing of the student runs."""

from __future__ import annotations

import math
from itertools import pairwise

from lab.model.exercise_check import Evidence, EvidenceError

EARTH_M = 6371008.8
FRACTION_BITS = 52  # of a binary64
UNTOUCHED_M, UNTOUCHED_SHARE = 0.01, 0.7
WORST_M, WORST_PARTLY_M = 6, 12
SPEED, SPEED_PARTLY = 0.01, 0.05

_Position = tuple[float, ...]


def lost(evidence: Evidence) -> tuple[float, str]:
    """Compare the number of datagrams that were lost."""
    return float(_number(evidence, "lost") == right_lost(evidence)), _seen(evidence, "lost")


def right_lost(evidence: Evidence) -> int:
    """Return how many datagrams were lost."""
    said = evidence.output("raw").partition("\n")[0].split()  # "# 73 of 80 datagrams, ..."
    return int(said[3]) - int(said[1])


def wrong(evidence: Evidence) -> tuple[float, str]:
    """Compare the number of positions that were damaged."""
    return float(abs(_number(evidence, "wrong") - right_wrong(evidence)) <= 1), _seen(evidence, "wrong")


def right_wrong(evidence: Evidence) -> int:
    """Return how many positions were damaged."""
    sent = evidence.output("first-walk").splitlines()
    lines = [line.split(maxsplit=1) for line in evidence.output("raw").splitlines()[1:]]
    return sum(sent[int(second)] != position for second, position in lines)


def harmless(evidence: Evidence) -> tuple[float, str]:
    """Compare the number of bits that may be wrong."""
    off = abs(_number(evidence, "harmless") - right_harmless(evidence))
    return 1.0 if off == 0 else 0.5 if off <= 1 else 0.0, _seen(evidence, "harmless")


def right_harmless(evidence: Evidence) -> int:
    """Return how many bits move the position by less than the student's distance."""
    numbers = evidence.values["numbers"]
    exponent, near_m = math.frexp(numbers["latitude"].value)[1] - 1, float(numbers["near"].within("m"))
    moves_m = [math.radians(2.0 ** (exponent - FRACTION_BITS + bit)) * EARTH_M for bit in range(FRACTION_BITS)]
    return sum(one < near_m for one in moves_m)


def worst(evidence: Evidence) -> tuple[float, str]:
    """Look for the position that is farthest from the walk."""
    errors = _errors_m(evidence)
    most = max(errors)
    share = 1.0 if most < WORST_M else 0.4 if most < WORST_PARTLY_M else 0.0
    return share, f"second {errors.index(most)} is off by {_metres(most)}, wanted less than {WORST_M} m"


def untouched(evidence: Evidence) -> tuple[float, str]:
    """Count the positions that are as they were sent."""
    errors = _errors_m(evidence)
    share = sum(error < UNTOUCHED_M for error in errors) / len(errors)
    seen = f"{share:.0%} of the positions are as they were sent, wanted {UNTOUCHED_SHARE:.0%}"
    return float(share >= UNTOUCHED_SHARE), seen


def speed(evidence: Evidence) -> tuple[float, str]:
    """Compare the mean speed."""
    walk = _sent(evidence)
    right = math.fsum(_distance_m(*ends) for ends in pairwise(walk)) / (len(walk) - 1)
    lines = [line for line in evidence.output("receiver").splitlines() if line.startswith("speed ")]
    try:
        said = float(lines[-1].split()[1])
    except (IndexError, ValueError):
        return 0.0, "receiver.py printed no line such as: speed 1.5"
    off = abs(said / right - 1)
    share = 1.0 if off < SPEED else 0.4 if off < SPEED_PARTLY else 0.0
    return share, f"{said:.4g} m/s is off by {off:.2%}, wanted less than {SPEED:.0%}"


def _number(evidence: Evidence, answer: str) -> float:
    given = evidence.values["answers"][answer]
    return math.nan if given is None else float(given.value)


def _seen(evidence: Evidence, answer: str) -> str:
    """Return what students see: not the right number."""
    number = _number(evidence, answer)
    return "not answered" if math.isnan(number) else f"your answer: {number:g}"


def _sent(evidence: Evidence) -> list[_Position]:
    return [tuple(map(float, line.split())) for line in evidence.output("second-walk").splitlines()]


def _errors_m(evidence: Evidence) -> list[float]:
    """Return how far each position that was printed is from the one that was sent."""
    walk = _sent(evidence)
    lines = [line.split() for line in evidence.output("receiver").splitlines() if not line.startswith("speed ")]
    if not walk or len(lines) != len(walk):
        raise EvidenceError(f"receiver.py printed {len(lines)} positions, wanted {len(walk)}")
    return [_error_m(place, line) for place, line in zip(walk, lines, strict=True)]


def _error_m(place: _Position, printed: list[str]) -> float:
    try:
        latitude, longitude = map(float, printed)
    except ValueError:
        raise EvidenceError(f"receiver.py printed {' '.join(printed)[:60]}, which is no position") from None
    return _distance_m(place, (latitude, longitude))


def _distance_m(start: _Position, end: _Position) -> float:
    """Return the distance between two positions in degrees; inf if one of them is no number."""
    if not all(map(math.isfinite, (*start, *end))):
        return math.inf
    (south, west), (north, east) = (tuple(map(math.radians, place)) for place in (start, end))
    half = math.sin((north - south) / 2) ** 2 + math.cos(south) * math.cos(north) * math.sin((east - west) / 2) ** 2
    return 2 * EARTH_M * math.asin(math.sqrt(min(max(half, 0.0), 1.0)))


def _metres(distance_m: float) -> str:
    return f"{distance_m:.1f} m" if distance_m < 1000 else "a kilometre or more"
