# SPDX-License-Identifier: MIT
"""Frames of links on the medium, for metrics that are a percentage of the frames sent."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from lab.metrics.base import Context, Figures
from lab.shared import types

MISSING = ("damaged", "collided", "lost", "header", "away")  # why a frame did not arrive
COUNTS = ("sent", *MISSING, "approximate")


def shares(metric: types.Metric, context: Context, column: str, count: Callable[[Mapping[str, Any]], int]) -> Figures:
    """Return the percentage of sent frames that ``count`` selects: one row per link, or per sender."""
    figures = Figures()
    for name in metric.of if context.medium is not None else ():
        assert context.medium is not None
        links = [link for link in context.medium["links"] if link["from"] == name and link["sent"]]
        if metric.per == "node" and links:
            links = [{"from": name, "to": None} | {key: sum(link[key] for link in links) for key in COUNTS}]
        figures.rows += [
            {key: link[key] for key in ("from", "to", "sent")} | {column: 100 * count(link) / link["sent"]}
            for link in links
        ]
    figures.values = [row[column] for row in figures.rows]
    return figures
