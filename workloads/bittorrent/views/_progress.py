# SPDX-License-Identifier: MIT
"""A part of the torrent that each peer has, over time: common code of have and playable."""

from __future__ import annotations

from lab.drawing import Line
from lab.record.record import Record
from lab.views.parts.lines import line
from lab.views.parts.over_time import OverTime, RecordedSeries


class ProgressOverTime(OverTime):
    """Steps: what a peer had at a look, it has until the next one."""

    one_named = True
    height = 300

    def lines(self, series: RecordedSeries, record: Record) -> list[Line]:
        return [line(one, step=True) for one in series]
