# SPDX-License-Identifier: MIT
"""What each peer could play, over time."""

from lab.numbers import plain
from lab.record.record import RecordedMetric

from ._progress import ProgressOverTime


class Playable(ProgressOverTime):
    """A line for each peer."""

    def title(self, result: RecordedMetric) -> str:
        least = min((row["share"] for row in result.rows), default=0)
        return f"Every peer can play at least {plain(least, 3)} % at the end"
