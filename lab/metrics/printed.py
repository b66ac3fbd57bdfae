# SPDX-License-Identifier: MIT
"""What programs print: numbers that ``prints:`` of a process reads from their output."""

from __future__ import annotations

from collections.abc import Mapping

from lab.metrics.base import PRINTED, Context, Metric, MetricValues, series_of, summary
from lab.probes.base import TimeSeries
from lab.shared import types
from lab.units import dimension_of


class Printed(Metric):
    """Numbers that a program prints, each at the time when it was printed.

    Per ``sample`` (default): each number. Per ``process``: the last one of each process.
    """

    about = "numbers that a program prints"
    takes = (PRINTED,)
    per = ("sample", "process")
    unit = "as printed"  # for readers: the unit of a series is that of the workload
    columns = ("last", "mean", "median", "min", "max", "sum")

    def check(self, of: Mapping[str, str | None], unit: str, per: str | None) -> None:
        """Check all but the unit, which has to fit what the process declares (lab.plan.workload.metrics_and_checks)."""
        super().check(of, self.unit, per)

    def units(self) -> list[str]:
        """Return what stands for all units, among them words for what is counted."""
        return [self.unit]

    def scale(self, unit: str) -> float:
        """Return 1: ``compute`` converts, since the base unit depends on what is printed."""
        return 1.0

    def compute(self, metric: types.PlannedMetric, context: Context) -> MetricValues:
        """Return one row and one series for each value of a process."""
        computed = MetricValues()
        for name in metric.of:
            process, _, quantity = name.rpartition(".")
            if process not in context.sources:
                continue
            printed = series_of(context.sources[process], quantity)
            if not printed.values:
                continue
            factor = _factor(printed.unit, metric.unit)
            values = [value * factor for value in printed.values] if factor != 1 else printed.values
            computed.series.append(TimeSeries(name, metric.unit, printed.t_ns, values))
            computed.rows.append({"source": name, "last": values[-1], **summary(values)})
            computed.values += values if metric.per != "process" else [values[-1]]
        return computed


def _factor(printed: str, wanted: str) -> float:
    """Return how many of one unit are one of the other; 1 for words of what is counted."""
    dimension = dimension_of(printed)
    return float(dimension.factors[printed] / dimension.factors[wanted]) if dimension else 1.0
