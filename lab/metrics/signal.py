# SPDX-License-Identifier: MIT
"""Signal: the level at which a radio hears its peer."""

from __future__ import annotations

from lab.metrics.base import Context, Figures, Metric, Source, chosen, instances, series_of
from lab.probes.base import Samples, Series
from lab.shared import types
from lab.units import POWER


class Signal(Metric):
    """Levels of the last frame received from the peer, in each sample. The mean is that of the dBm figures."""

    about = "received signal level in each sample of iw station dump or iw link"
    takes = (Samples("signal"),)
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
    names = {node.radio.mac: node.name for node in context.plan.nodes if node.radio}
    found = {source.id: series_of(source, "signal")}
    found |= {f"{source.id} {names.get(peer, peer)}": level for peer, level in instances(source, "signal").items()}
    return [Series(name, "dBm", level.t_ns, level.values) for name, level in found.items()]


METRIC = Signal()
