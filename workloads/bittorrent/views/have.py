# SPDX-License-Identifier: MIT
"""What each peer has, over time: the picture of a swarm."""

from lab.record.record import RecordedMetric

from ._progress import ProgressOverTime


class Have(ProgressOverTime):
    """A line for each peer."""

    def title(self, result: RecordedMetric) -> str:
        done = sum(1 for row in result.rows if row["share"] == 100)
        return f"{done} of {len(result.rows)} peers have everything at the end"
