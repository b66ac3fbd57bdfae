# SPDX-License-Identifier: MIT
"""Signal: the level at which a radio hears its peer."""

from __future__ import annotations

from lab.metrics.base import Context, Figures, Metric, Source, chosen, instances, series_of
from lab.probes.base import Series
from lab.shared import types
from lab.units import POWER


class Signal(Metric):
    """Levels of the last frame received from the peer, in each sample. The mean is that of the dBm figures."""

    about = "received signal level in each sample of iw station dump or iw link"
    of = ("station-dump", "link")
    per = ("sample",)
    dimension = POWER
    unit = "dBm"

    def figures(self, metric: types.Metric, context: Context) -> Figures:
        """One series per source and peer."""
        figures = Figures()
        for source in chosen(metric, context):
            for series in _levels(source, context):
                if series.values:
                    figures.series.append(series)
                    figures.values += series.values
        return figures


def _levels(source: Source, context: Context) -> list[Series]:
    if source.probe == "link":
        level = series_of(source, "signal")
        return [Series(source.id, "dBm", level.t_ns, level.values)]
    names = {node.radio.mac: node.name for node in context.plan.nodes if node.radio}
    return [
        Series(f"{source.id} {names.get(peer, peer)}", "dBm", level.t_ns, level.values)
        for peer, level in instances(source, "signal").items()
    ]


METRIC = Signal()
