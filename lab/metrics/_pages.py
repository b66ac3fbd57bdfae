# SPDX-License-Identifier: MIT
"""What the metrics of pages have in common: one time of each load."""

from __future__ import annotations

from typing import ClassVar

from lab.metrics.base import Context, Metric, MetricValues, chosen
from lab.probes._web import Page
from lab.shared import types
from lab.units import DURATION


class PageTime(Metric):
    """A time of each load of a page; ``key`` is its name in ``Page``."""

    takes = (Page,)
    per = ("load",)
    dimension = DURATION
    unit = "ns"
    columns = ("time",)
    key: ClassVar[str]

    def compute(self, metric: types.PlannedMetric, context: Context) -> MetricValues:
        computed = MetricValues()
        for source in chosen(metric, context):
            for number, page in enumerate(source.found(Page), 1):
                computed.rows.append({"process": source.id, "load": number, "time": getattr(page, self.key)})
                computed.values.append(getattr(page, self.key))
        return computed
