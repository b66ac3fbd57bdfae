# SPDX-License-Identifier: MIT
"""Loss of frames on the air."""

from __future__ import annotations

from typing import Any

from lab.metrics.base import MEDIUM, Context, Figures, Metric
from lab.shared import types
from lab.units import PERCENT

_MISSING = ("damaged", "collided", "lost", "header", "away")  # why a frame did not arrive
_COUNTS = ("sent", *_MISSING, "dropped", "approximate")


class FrameLoss(Metric):
    """Percent of MPDUs, each attempt by itself, that a node sent to another and that did not arrive.

    They were damaged by noise (in their payload, or in the PHY's ``header``), collided, were lost otherwise (the
    receiver did not notice them), or it was ``away`` on another channel. ``dropped`` of a row counts frames that were
    given up after all retries: only those are lost to what is above. ``approximate`` counts damaged ones that an
    approximate receiver took nevertheless; they are in ``damaged`` and ``collided``, too.
    """

    about = "frames that a role's nodes sent and that did not arrive, each retry by itself"
    takes = (MEDIUM,)
    per = ("link", "node")
    dimension = PERCENT
    unit = "%"
    columns = ("loss",)

    def figures(self, metric: types.Metric, context: Context) -> Figures:
        """One row per link, or per sender."""
        figures = Figures()
        if context.medium is None:
            return figures
        for name in metric.of:
            links = [link for link in context.medium["links"] if link["from"] == name and link["sent"]]
            if metric.per == "node" and links:
                links = [{"from": name, "to": None} | {key: sum(link[key] for link in links) for key in _COUNTS}]
            figures.rows += map(_row, links)
        figures.values = [row["loss"] for row in figures.rows]
        return figures


def _row(link: dict[str, Any]) -> dict[str, Any]:
    missing = sum(link[key] for key in _MISSING)
    row = {key: link[key] for key in ("from", "to", *_COUNTS)}
    return {**row, "loss": 100 * missing / link["sent"]}


METRIC = FrameLoss()
