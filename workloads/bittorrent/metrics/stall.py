# SPDX-License-Identifier: MIT
"""Stall: the longest time in which nothing new reaches a peer."""

from __future__ import annotations

from itertools import pairwise

from lab.metrics.base import Context, Metric, MetricValues, chosen, series_of
from lab.shared import types
from lab.units import DURATION

from ..probes._results import Exchange


class Stall(Metric):
    """The longest time without a new byte, from the first byte until the download is complete or the run ends.

    It is known to the interval at which the probe looks at the client.
    """

    about = "longest time without a new byte, from a peer's first byte until it has everything"
    takes = (Exchange,)
    dimension = DURATION
    unit = "ns"
    columns = ("stall",)

    def compute(self, metric: types.PlannedMetric, context: Context) -> MetricValues:
        """Return one row per peer that has downloaded something: the stall, and when it began."""
        computed = MetricValues()
        for source in chosen(metric, context):
            down, have = series_of(source, "downloaded"), series_of(source, "have")
            size = source.parsed.values.get("size")
            moments = list(zip(down.t_ns, down.values, have.values, strict=True))
            grown_ns = [t_ns for (_, before, _), (t_ns, now, _) in pairwise(moments) if now > before]
            if not grown_ns:
                continue
            done_ns = next((t_ns for t_ns, _, owned in moments if owned == size), down.t_ns[-1])
            times_ns = [t_ns for t_ns in grown_ns if t_ns < done_ns] + [done_ns]
            gaps = [(after - before, before) for before, after in pairwise(times_ns)] or [(0, done_ns)]
            length_ns, begin_ns = max(gaps, key=lambda gap: (gap[0], -gap[1]))
            computed.values.append(length_ns)
            computed.rows.append({"process": source.id, "at_ns": begin_ns, "stall": length_ns})
        return computed
