# SPDX-License-Identifier: MIT
"""Counters that begin anew now and then, added up."""

from __future__ import annotations

from collections.abc import Sequence

from lab.probes.base import Series


def increase(counter: Series, samples_ns: Sequence[int]) -> float:
    """How much a counter grew during a run.

    It begins at 0 whenever it appears: after a sample without it (the peer was gone), and where it is smaller
    than before. What it held at the very first sample was counted before the run and is left out.

    Args:
        counter: cumulative values.
        samples_ns: when samples were taken at all, ascending.
    """
    position = {t_ns: index for index, t_ns in enumerate(samples_ns)}
    total = 0.0
    last: float | None = None
    last_index = -1
    for t_ns, value in zip(counter.t_ns, counter.values, strict=True):
        index = position[t_ns]
        if last is None and index == 0:
            base = value
        elif last is None or index != last_index + 1 or value < last:
            base = 0.0
        else:
            base = last
        total += value - base
        last, last_index = value, index
    return total
