# SPDX-License-Identifier: MIT
"""Longest gap: the longest time without an answer."""

from __future__ import annotations

from itertools import pairwise

from lab.metrics.base import Context, Metric, MetricValues, chosen, series_of
from lab.probes.base import Samples
from lab.shared import types
from lab.units import DURATION


class LongestGap(Metric):
    """The longest time without a reply to a ping: between two replies, or up to the first or from the last one.

    It is longer than the outage by at most the interval of the pings.
    """

    about = "longest time without a reply to a ping: how long an outage lasted"
    takes = (Samples("rtt"),)
    dimension = DURATION
    unit = "ns"
    columns = ("longest_gap",)

    def compute(self, metric: types.PlannedMetric, context: Context) -> MetricValues:
        """Return one row per source: the gap, and when it began."""
        computed = MetricValues()
        for source in chosen(metric, context):
            late_ns = [one.t_ns for one in source.parsed.occurrences if one.kind == "late"]
            replies_ns = series_of(source, "rtt").t_ns or late_ns[:1]
            before_ns = [late for late in late_ns if late < replies_ns[0]][:1]
            times_ns = [*before_ns, *replies_ns, *[late for late in late_ns if late > replies_ns[-1]][-1:]]
            gaps = [(after - before, before) for before, after in pairwise(times_ns)]
            if gaps:
                length_ns, begin_ns = max(gaps, key=lambda gap: (gap[0], -gap[1]))
                computed.values.append(length_ns)
                computed.rows.append({"process": source.id, "at_ns": begin_ns, "longest_gap": length_ns})
        return computed
