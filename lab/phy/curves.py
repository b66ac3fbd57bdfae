# SPDX-License-Identifier: MIT
"""Bit error curves. They depend on the modulation and code rate only, not on other properties of a rate.

Rates with the same modulation and code share a curve: 802.11a at 6 Mbit/s and 802.11n's MCS 0 are both bpsk-1/2.
The order is that of the kernel's enum; append new curves at the end.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True)
class Coding:
    """The number of constellation points and the rate of the convolutional code (IEEE 802.11-2020 17.3.5)."""

    points: int
    rate: Fraction


@dataclass(frozen=True)
class Curve:
    """One curve. ``index`` is its index in the kernel; DSSS and CCK have no ``coding``."""

    index: int
    name: str
    coding: Coding | None


_POINTS = {"bpsk": 2, "qpsk": 4, "16qam": 16, "64qam": 64, "256qam": 256}
_NAMES = (
    *("dsss-1", "dsss-2", "cck-5.5", "cck-11"),
    *("bpsk-1/2", "bpsk-3/4", "qpsk-1/2", "qpsk-3/4", "16qam-1/2", "16qam-3/4"),
    *("64qam-2/3", "64qam-3/4", "64qam-5/6", "256qam-3/4", "256qam-5/6"),
)


def _coding(name: str) -> Coding | None:
    modulation, rate = name.split("-")
    return Coding(_POINTS[modulation], Fraction(rate)) if modulation in _POINTS else None


CURVES = tuple(Curve(index, name, _coding(name)) for index, name in enumerate(_NAMES))
NAMED = {curve.name: curve for curve in CURVES}
