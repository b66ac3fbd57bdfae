# SPDX-License-Identifier: MIT
"""Frames of links on the medium, for metrics that are a percentage of the frames sent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lab.metrics.base import MEDIUM, Context, Figures, Metric
from lab.shared import types
from lab.units import PERCENT

MISSING = ("damaged", "collided", "lost", "header", "away")  # why a frame did not arrive


class FrameShare(Metric):
    """A percentage for each link on which frames were sent, or for each sender. A subclass defines ``row``."""

    takes = (MEDIUM,)
    per = ("link", "node")
    dimension = PERCENT
    unit = "%"

    def figures(self, metric: types.PlannedMetric, context: Context) -> Figures:
        figures = Figures()
        for name in metric.of if context.medium is not None else ():
            assert context.medium is not None
            links = [link for link in context.medium["links"] if link["from"] == name and link["sent"]]
            if metric.per == "node" and links:
                counts = [key for key, value in links[0].items() if isinstance(value, int)]
                links = [{"from": name, "to": None} | {key: sum(link[key] for link in links) for key in counts}]
            figures.rows += [{"from": name, "to": link["to"]} | self.row(link) for link in links]
        figures.values = [row[self.columns[0]] for row in figures.rows]
        return figures

    def row(self, link: Mapping[str, Any]) -> dict[str, Any]:
        """Return the percentage, in the only entry of ``columns``, and what it is computed from."""
        raise NotImplementedError
