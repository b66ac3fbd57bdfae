# SPDX-License-Identifier: MIT
"""Decline: whether a flow falls around second 35, as the paper's figure 2 has it."""

from __future__ import annotations

import statistics

from lab.metrics.base import Context, Metric, MetricValues, chosen, series_of
from lab.probes.base import Samples
from lab.shared import types
from lab.units import PERCENT

from ._windows import SECOND_NS, begin_ns, between

_AROUND_S = (30, 40)  # “around second 35”
_LATER_S = (50, 90)  # what it is compared with: before the first handoff


class Decline(Metric):
    """Mean goodput of a ``flow-sink`` from 30 s to 40 s, as a percentage of that from 50 s to 90 s.

    Times are of the flow. No value if it does not last that long, or nothing arrives then. The lowest interval would
    say nothing: of ten that scatter, one is always below the mean.
    """

    about = "goodput of a flow around second 35, as a share of that from 50 s to 90 s"
    takes = (Samples("goodput"),)
    dimension = PERCENT
    unit = "%"
    columns = ("share",)

    def compute(self, metric: types.PlannedMetric, context: Context) -> MetricValues:
        """Return one row per flow."""
        computed = MetricValues()
        for source in chosen(metric, context, self.takes[0]):
            goodput = series_of(source, "goodput")
            start_ns = begin_ns(goodput)
            around, later = (
                between(goodput, *(start_ns + part * SECOND_NS for part in window)) for window in (_AROUND_S, _LATER_S)
            )
            if around and any(later):
                share = 100 * statistics.fmean(around) / statistics.fmean(later)
                computed.rows.append({"process": source.id, "share": share})
                computed.values.append(share)
        return computed
