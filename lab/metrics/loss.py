# SPDX-License-Identifier: MIT
"""Loss: packets that did not arrive."""

from __future__ import annotations

from lab.metrics.base import Context, Figures, Metric, Source, chosen
from lab.plan import types
from lab.units import PERCENT


class Loss(Metric):
    """Requests of ping without a reply, or datagrams of iperf3 that its receiver missed, in percent of those sent."""

    about = "packets that did not arrive: ping without reply, UDP datagrams of iperf3"
    of = ("ping", "iperf3", "iperf3-server")
    dimension = PERCENT
    unit = "%"
    columns = ("loss",)

    def figures(self, metric: types.Metric, context: Context) -> Figures:
        """One row per source that sent anything."""
        figures = Figures()
        for source in chosen(metric, context):
            sent, lost = _counts(source)
            if sent:
                percent = 100 * lost / sent
                figures.values.append(percent)
                figures.rows.append({"process": source.id, "sent": sent, "lost": lost, "loss": percent})
        return figures


def _counts(source: Source) -> tuple[int, int]:
    values = source.parsed.values
    if source.probe == "ping":
        sent = values.get("transmitted", 0)
        return sent, sent - values.get("received", 0)
    return values.get("packets", 0), values.get("lost", 0)


METRIC = Loss()
