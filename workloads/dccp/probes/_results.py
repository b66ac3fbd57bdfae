# SPDX-License-Identifier: MIT
"""The types of results that probes of this stack yield and its metrics take, in addition to the lab's own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from lab.probes.base import TimeSeries


@dataclass(frozen=True)
class Variation:
    """How the one-way delay of a flow varied; None: too few packets arrived."""

    label: ClassVar[str] = "variation of delay"

    name: str
    packets_ns: float | None  # between packets, meaned over each interval, then over intervals
    intervals_ns: float | None  # between the mean delays of intervals
    smoothed_ns: float | None  # RFC 3550, at the end of each interval, meaned
    over_time: TimeSeries  # ms: the first, of each interval


@dataclass(frozen=True)
class Order:
    """Packets of a flow that arrived behind one with a higher number."""

    label: ClassVar[str] = "packets out of order"

    name: str
    arrived: int
    out_of_order: int
