# SPDX-License-Identifier: MIT
"""Goodput of the flow that starts first, once the others are there."""

from __future__ import annotations

import statistics

from lab.metrics.base import Context, Metric, MetricValues, chosen, series_of
from lab.probes.base import Samples
from lab.shared import types
from lab.units import RATE

from ._windows import SECOND_NS, begin_ns, between

_FROM_S = 25  # the later flows start at 20 s (the paper's section 3.3), and need some seconds to take their share
_UNTIL_S = 300


class Alongside(Metric):
    """Mean goodput of a ``flow-sink`` from 25 s to 300 s of its flow, in which it competes with the later ones.

    The paper's mean (equation 1) has 300 s, 20 of which the first flow has alone. No value if the flow is shorter. A
    flow that starves has 0.
    """

    about = "goodput of a flow from its second 25 on"
    takes = (Samples("goodput"),)
    dimension = RATE
    unit = "bit/s"
    columns = ("goodput",)

    def compute(self, metric: types.PlannedMetric, context: Context) -> MetricValues:
        """Return one row per flow."""
        computed = MetricValues()
        for source in chosen(metric, context, self.takes[0]):
            goodput = series_of(source, "goodput")
            start_ns = begin_ns(goodput)
            during = between(goodput, start_ns + _FROM_S * SECOND_NS, start_ns + _UNTIL_S * SECOND_NS)
            if during:
                mean = statistics.fmean(during)
                computed.rows.append({"process": source.id, "goodput": mean})
                computed.values.append(mean)
        return computed
