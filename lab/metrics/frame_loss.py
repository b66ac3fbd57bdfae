# SPDX-License-Identifier: MIT
"""Frame loss: frames lost on the air."""

from __future__ import annotations

from typing import Any

from lab.metrics.base import MEDIUM, Context, Figures, Metric
from lab.shared import types
from lab.units import PERCENT

_MISSING = ("damaged", "collided", "lost", "header", "away")  # why a frame did not arrive
_COUNTS = ("sent", *_MISSING, "dropped", "approximate")


class FrameLoss(Metric):
    """Percentage of MPDUs, counting every attempt, that a node sent to another and that did not arrive.

    Noise damaged them (their payload, or the PHY ``header``), they collided, the receiver did not detect them
    (``lost``), or it was ``away`` on another channel. ``dropped`` counts frames that were given up after all retries:
    only these are lost to higher layers. ``approximate`` counts damaged frames that an approximate receiver accepted;
    they are also in ``damaged`` and ``collided``.
    """

    about = "frames that a role's nodes sent and that did not arrive; every retry counts"
    takes = (MEDIUM,)
    per = ("link", "node")
    dimension = PERCENT
    unit = "%"
    columns = ("loss",)

    def figures(self, metric: types.Metric, context: Context) -> Figures:
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
