# SPDX-License-Identifier: MIT
"""A quantity of each peer of a radio over time: common code of the views of signal, rx-bitrate and tx-bitrate."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from lab.drawing import Figure
from lab.numbers import plain
from lab.record.record import Record, Result
from lab.views.base import View
from lab.views.parts.lines import gap, line
from lab.views.parts.many import over_time


class PeerView(View):
    """One line for each peer, or a summary of many. A subclass sets the class attributes."""

    noun: ClassVar[str] = ""  # begins the title
    verb: ClassVar[str] = ""  # between the node and its peer in the legend
    from_zero: ClassVar[bool] = True
    look: ClassVar[dict[str, Any]] = {}  # of the lines

    def figures(self, result: Result, record: Record) -> Iterator[Figure]:
        """Yield one figure of all peers."""
        lines = [
            line(series, self._label(record, series["name"]), **self.look, gap=gap(series)) for series in result.series
        ]
        if not lines:
            return
        low, high = plain(result.values["min"] or 0), plain(result.values["max"] or 0)
        range_ = f"between {low} and {high}" if low != high else low
        yield over_time(
            record,
            result.name,
            f"{self.noun} {range_} {result.unit}",
            f"{result.name}: {result.about}",
            lines,
            y_label=f"{result.name}, {result.unit}",
            from_zero=self.from_zero,
            one_named=True,
        )

    def _label(self, record: Record, name: str) -> str:
        """Return ``sta1 hears ap1`` for a series that is named after its probe and its peer."""
        source, _, peer = name.partition(" ")
        return f"{record.data['sources'][source]['node']} {self.verb} {peer or 'its access point'}"
