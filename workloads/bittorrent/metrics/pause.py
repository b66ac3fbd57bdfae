# SPDX-License-Identifier: MIT
"""Pause: the longest time in which a peer gives nothing."""

from __future__ import annotations

from itertools import pairwise

from lab.metrics.base import Context, Metric, MetricValues, chosen, series_of
from lab.shared import types
from lab.units import DURATION

from ..probes._results import Exchange


class Pause(Metric):
    """The longest time in which a peer uploads nothing, to whomever, from its first byte until the run ends.

    The metric stall is about what a peer gets, from anybody; this one is about a peer that serves. It is known to the
    interval at which the probe looks at the client.
    """

    about = "longest time in which a peer gives nothing, from the first byte that it gives"
    takes = (Exchange,)
    dimension = DURATION
    unit = "ns"
    columns = ("pause",)

    def compute(self, metric: types.PlannedMetric, context: Context) -> MetricValues:
        """Return one row per peer that has given something: the pause, and when it began."""
        computed = MetricValues()
        for source in chosen(metric, context):
            up = series_of(source, "uploaded")
            looks = list(zip(up.t_ns, up.values, strict=True))
            gave_ns = [t_ns for (_, before), (t_ns, now) in pairwise(looks) if now > before]
            if not gave_ns:
                continue
            pauses = [(after - before, before) for before, after in pairwise([*gave_ns, up.t_ns[-1]])]
            length_ns, begin_ns = max(pauses, key=lambda pause: (pause[0], -pause[1]))
            computed.values.append(length_ns)
            computed.rows.append({"process": source.id, "at_ns": begin_ns, "pause": length_ns})
        return computed
