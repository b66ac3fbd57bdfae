# SPDX-License-Identifier: MIT
"""Common code of views that draw a quantity over the time of a run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar

from lab.drawing import Figure, Line
from lab.numbers import plain
from lab.record.record import Record, RecordedMetric
from lab.views.base import View
from lab.views.parts.lines import gap, line
from lab.views.parts.many import over_time

RecordedSeries = Sequence[Mapping[str, Any]]


class OverTime(View):
    """One figure with a line for each series, or a summary of many. Subclasses override what they show differently."""

    from_zero: ClassVar[bool] = True
    one_named: ClassVar[bool] = False  # the legend names also a single line
    height: ClassVar[int] = 260
    quantity: ClassVar[str] = ""  # label of the y axis; default: the name of the metric

    def figures(self, result: RecordedMetric, record: Record) -> Iterator[Figure]:
        """Yield the figure, if there is anything to show."""
        series = self.series(result)
        if series:
            yield over_time(
                record,
                result.name,
                self.title(result),
                self.about(result, series),
                self.lines(series, record),
                y_label=f"{self.quantity or result.name}, {result.unit}".rstrip(", "),
                from_zero=self.from_zero,
                one_named=self.one_named,
                height=self.height,
            )

    def series(self, result: RecordedMetric) -> RecordedSeries:
        """Return what is shown."""
        return result.series

    def lines(self, series: RecordedSeries, record: Record) -> list[Line]:
        """Return the series as lines."""
        return [line(one, dots=True) for one in series]

    def title(self, result: RecordedMetric) -> str:
        """Return the title of the figure."""
        return f"{result.name}: {between(result)}"

    def about(self, result: RecordedMetric, series: RecordedSeries) -> str:
        """Return what the figure shows."""
        return f"{result.name}: {result.about}"


class PerPeer(OverTime):
    """A line for each peer of a radio. A subclass sets the class attributes."""

    one_named = True
    noun: ClassVar[str] = ""  # begins the title
    verb: ClassVar[str] = ""  # between the node and its peer in the legend
    dots: ClassVar[bool] = False  # else steps

    def lines(self, series: RecordedSeries, record: Record) -> list[Line]:
        """Return the lines, named as ``sta1 hears ap1`` after the node of the probe and its peer."""
        found = []
        for one in series:
            source, _, peer = one["name"].partition(" ")
            label = f"{record.data['sources'][source]['node']} {self.verb} {peer or 'its access point'}"
            found.append(line(one, label, dots=self.dots, step=not self.dots, gap=gap(one)))
        return found

    def title(self, result: RecordedMetric) -> str:
        return f"{self.noun} {between(result)}"


def between(result: RecordedMetric) -> str:
    """Return ``between 1 and 5 Mbit/s``, or ``5 Mbit/s``."""
    low, high = plain(result.values["min"] or 0), plain(result.values["max"] or 0)
    return f"{f'between {low} and {high}' if low != high else low} {result.unit}".rstrip()
