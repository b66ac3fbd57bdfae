# SPDX-License-Identifier: MIT
"""A quantity of each peer of a radio over time: common code of the views of signal, rx-bitrate and tx-bitrate."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from lab.drawing import Figure, Panel
from lab.numbers import plain
from lab.record.record import Record, Result
from lab.views.base import View
from lab.views.parts.lines import gap, line, run_range
from lab.views.parts.many import shown
from lab.views.parts.moments import rules


class PeerView(View):
    """One line for each peer, or a summary of many. A subclass sets the class attributes."""

    noun: ClassVar[str] = ""  # begins the title
    verb: ClassVar[str] = ""  # between the node and its peer in the legend
    from_zero: ClassVar[bool] = True
    look: ClassVar[dict[str, Any]] = {}  # of the lines

    def figures(self, result: Result, record: Record) -> Iterator[Figure]:
        """Yield one figure of all peers."""
        lines = [
            line(series, index, self._label(record, series["name"]), **self.look, gap=gap(series))
            for index, series in enumerate(result.series)
        ]
        if not lines:
            return
        drawn = shown(lines, f"{result.name}-over-time", one_named=True)
        low, high = plain(result.values["min"] or 0), plain(result.values["max"] or 0)
        range_ = f"between {low} and {high}" if low != high else low
        panel = Panel(
            x_label="virtual time, s",
            y_label=f"{result.name}, {result.unit}",
            x_range=run_range(record),
            lines=drawn.lines,
            rules=rules(record),
            from_zero=self.from_zero,
        )
        title = f"{self.noun} {range_} {result.unit}"
        about = f"{result.name}: {result.about}{drawn.note}"
        yield Figure(result.name, title, about, [panel], drawn.legend, height=260)

    def _label(self, record: Record, name: str) -> str:
        """Return ``sta1 hears ap1`` for a series that is named after its probe and its peer."""
        source, _, peer = name.partition(" ")
        return f"{record.data['sources'][source]['node']} {self.verb} {peer or 'its access point'}"
