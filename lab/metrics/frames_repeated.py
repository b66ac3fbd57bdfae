# SPDX-License-Identifier: MIT
"""Repeated frames: frames that were sent more than once."""

from __future__ import annotations

from lab.metrics.base import MEDIUM, Context, Figures, Metric
from lab.shared import types
from lab.units import PERCENT

_COUNTS = ("sent", "retries", "repeated")


class FramesRepeated(Metric):
    """Percentage of MPDUs, counting each only once, that were sent more than once.

    Frames that are sent without retries, such as approximate ones, never are.
    """

    about = "frames of a role's nodes that were sent more than once"
    takes = (MEDIUM,)
    per = ("link", "node")
    dimension = PERCENT
    unit = "%"
    columns = ("repeated",)

    def figures(self, metric: types.Metric, context: Context) -> Figures:
        figures = Figures()
        for name in metric.of if context.medium is not None else ():
            assert context.medium is not None
            links = [link for link in context.medium["links"] if link["from"] == name and link["sent"]]
            if metric.per == "node" and links:
                links = [{"from": name, "to": None} | {key: sum(link[key] for link in links) for key in _COUNTS}]
            for link in links:
                frames = link["sent"] - link["retries"]
                figures.rows.append(
                    {"from": link["from"], "to": link["to"], "frames": frames}
                    | {"repeated": 100 * link["repeated"] / frames if frames else 0.0}
                )
        figures.values = [row["repeated"] for row in figures.rows]
        return figures
