# SPDX-License-Identifier: MIT
"""Lines over the time of a run, for figures of metrics, probes and the medium."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from lab.drawing import Line
from lab.record.record import Record

SECOND = 1_000_000_000


def run_range(record: Record) -> tuple[float, float]:
    """Return the range of a whole run in s."""
    return 0.0, record.plan.duration_ns / SECOND


def line(series: Mapping[str, Any], label: str | None = None, **look: Any) -> Line:
    """Return a recorded series as a line."""
    times = [t_ns / SECOND for t_ns in series["t_ns"]]
    return Line(series["name"] if label is None else label, times, series["values"], **look)


def gap(series: Mapping[str, Any]) -> float:
    """Return the distance in s between two samples from which on the line between them is interrupted."""
    closest_ns: int = min((after - before for before, after in pairwise(series["t_ns"])), default=SECOND)
    return 3.5 * closest_ns / SECOND
