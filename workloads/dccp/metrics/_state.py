# SPDX-License-Identifier: MIT
"""A quantity that a probe of this stack samples: common code."""

from __future__ import annotations

from lab.metrics.base import Context, Metric, MetricValues, chosen, series_of
from lab.probes.base import Samples, TimeSeries
from lab.shared import types


class OfState(Metric):
    """A subclass sets ``takes``, ``dimension`` and ``unit``; the first of ``takes`` is what it shows."""

    per = ("sample",)
    factor = 1  # the probe's unit in base units

    def compute(self, metric: types.PlannedMetric, context: Context) -> MetricValues:
        """Return one series per process that has the quantity."""
        computed = MetricValues()
        kind = self.takes[0]
        assert isinstance(kind, Samples)
        for source in chosen(metric, context, kind):
            sampled = series_of(source, kind.quantity)
            values = [value * self.factor for value in sampled.values]
            if values:
                computed.series.append(TimeSeries(source.id, self.unit, sampled.t_ns, values))
                computed.values += values
        return computed
