# SPDX-License-Identifier: MIT
"""After a drop: how many packets wait for a leg after it had to drop one, by how many waited before."""

from __future__ import annotations

import statistics
from itertools import pairwise

from lab.metrics.base import Context, Metric, MetricValues, chosen, series_of
from lab.probes.base import Samples
from lab.shared import types
from lab.units import PERCENT

_SECOND = 1_000_000_000
WINDOW_NS = _SECOND  # that is compared, before and after
REACTION_NS = _SECOND // 4  # a round trip: until then, TCP does not know of the drop


class AfterDrop(Metric):
    """Packets in the queue of a ``shared-rate`` after congestion events, by those before: one value for each event.

    An event is a drop, together with all that follow within 1.25 s of it: no two windows after events overlap. The mean
    of the queue from 0.25 s to 1.25 s after its first drop is divided by the mean of the second before it. Events whose
    windows are not whole, or before which nothing waits, have none.
    """

    about = "packets that wait for a shared rate after a drop, as a share of those that waited before it"
    takes = (Samples("queued"),)
    dimension = PERCENT
    unit = "%"
    columns = ("share",)

    def compute(self, metric: types.PlannedMetric, context: Context) -> MetricValues:
        """Return one row per event."""
        computed = MetricValues()
        for source in chosen(metric, context):
            queued, lost = series_of(source, "queued"), series_of(source, "lost")
            looks = list(zip(queued.t_ns, queued.values, strict=True))
            for at_ns in _events(list(zip(lost.t_ns, lost.values, strict=True))):
                if looks[0][0] > at_ns - WINDOW_NS or looks[-1][0] < at_ns + REACTION_NS + WINDOW_NS:
                    continue
                before = _mean(looks, at_ns - WINDOW_NS, at_ns)
                after = _mean(looks, at_ns + REACTION_NS, at_ns + REACTION_NS + WINDOW_NS)
                if before:
                    row = {"process": source.id, "at_ns": at_ns, "before": before, "after": after}
                    computed.rows.append(row | {"share": 100 * after / before})
                    computed.values.append(100 * after / before)
        return computed


def _events(lost: list[tuple[int, float]]) -> list[int]:
    """Return the look before each event: the drop came after it."""
    found: list[int] = []
    for (before_ns, before), (_, now) in pairwise(lost):
        if now > before and (not found or before_ns >= found[-1] + REACTION_NS + WINDOW_NS):
            found.append(before_ns)
    return found


def _mean(looks: list[tuple[int, float]], from_ns: int, until_ns: int) -> float:
    return statistics.fmean(value for t_ns, value in looks if from_ns <= t_ns <= until_ns)
