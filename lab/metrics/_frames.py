# SPDX-License-Identifier: MIT
"""Frames of links on the medium, for metrics that are a percentage of the frames sent."""

from __future__ import annotations

from typing import Any

from lab.metrics.base import MEDIUM, Context, Metric, MetricValues
from lab.shared import types
from lab.shared.medium_types import FrameCounts, total
from lab.units import PERCENT

MISSING = ("damaged", "collided", "lost", "header", "away")  # why a frame did not arrive


def missing(counts: FrameCounts) -> int:
    """Return how many frames did not arrive."""
    return sum(getattr(counts, key) for key in MISSING)


class FrameShare(Metric):
    """A percentage for each link on which frames were sent, or for each sender. A subclass defines ``row``."""

    takes = (MEDIUM,)
    per = ("link", "node")
    dimension = PERCENT
    unit = "%"

    def compute(self, metric: types.PlannedMetric, context: Context) -> MetricValues:
        computed = MetricValues()
        for name in metric.of if context.medium is not None else ():
            assert context.medium is not None
            links = [link for link in context.medium.links if link.sender == name and link.total.sent]
            found: list[tuple[str | None, FrameCounts]] = [(link.receiver, link.total) for link in links]
            if metric.per == "node" and links:
                found = [(None, total(link.total for link in links))]
            computed.rows += [{"from": name, "to": receiver} | self.row(counts) for receiver, counts in found]
        computed.values = [row[self.columns[0]] for row in computed.rows]
        return computed

    def row(self, counts: FrameCounts) -> dict[str, Any]:
        """Return the percentage, in the only entry of ``columns``, and what it is computed from."""
        raise NotImplementedError
