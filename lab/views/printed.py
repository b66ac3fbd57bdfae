# SPDX-License-Identifier: MIT
"""What programs print, over time."""

from lab.record.record import RecordedMetric
from lab.views.parts.over_time import OverTime, RecordedSeries


class Printed(OverTime):
    """One line with dots for each value of a process; none if it was printed only once."""

    def series(self, result: RecordedMetric) -> RecordedSeries:
        return [series for series in result.series if len(series["values"]) > 1]
