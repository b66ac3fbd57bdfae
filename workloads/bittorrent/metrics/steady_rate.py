# SPDX-License-Identifier: MIT
"""Steady rate: how fast a peer downloads once it has begun."""

from __future__ import annotations

from lab.metrics.base import Context, Metric, MetricValues, chosen, series_of
from lab.shared import types
from lab.units import RATE

from ..probes._results import Exchange

_BEGINNING = 4  # the first quarter


class SteadyRate(Metric):
    """What a peer downloads without the first quarter of its time, divided by that time, until it has everything.

    In the first quarter, peers find each other, and decide to whom they upload.
    """

    about = "rate of a peer's download, without the first quarter of its time"
    takes = (Exchange,)
    dimension = RATE
    unit = "bit/s"
    columns = ("rate",)

    def compute(self, metric: types.PlannedMetric, context: Context) -> MetricValues:
        """Return one row per peer that has downloaded something."""
        computed = MetricValues()
        for source in chosen(metric, context):
            down, have = series_of(source, "downloaded"), series_of(source, "have")
            size = source.parsed.values.get("size")
            looks = list(zip(down.t_ns, down.values, have.values, strict=True))
            if not looks or not size:
                continue
            begin_ns = looks[0][0]
            end_ns, total, _ = next((look for look in looks if look[2] == size), looks[-1])
            from_ns = begin_ns + (end_ns - begin_ns) / _BEGINNING
            start_ns, before, _ = next((look for look in looks if look[0] >= from_ns), looks[-1])
            if end_ns > start_ns:
                rate = 8e9 * (total - before) / (end_ns - start_ns)
                computed.values.append(rate)
                computed.rows.append({"process": source.id, "bytes": total - before, "rate": rate})
        return computed
