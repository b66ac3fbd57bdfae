# SPDX-License-Identifier: MIT
"""A quantity of each peer of a radio, sampled by iw: common code of signal, rx-bitrate and tx-bitrate."""

from __future__ import annotations

from lab.metrics.base import Context, Metric, MetricValues, Source, chosen, instances, series_of
from lab.probes.base import TimeSeries
from lab.shared import types


class PeerQuantity(Metric):
    """A subclass sets ``takes``, ``quantity``, ``dimension`` and ``unit``."""

    per = ("sample",)
    quantity = ""  # its name in probes
    factor = 1  # the probes' unit in base units

    def compute(self, metric: types.PlannedMetric, context: Context) -> MetricValues:
        computed = MetricValues()
        for source in chosen(metric, context):
            for name, sampled in self._peers(source, context).items():
                if sampled.values:
                    values = [value * self.factor for value in sampled.values]
                    computed.series.append(TimeSeries(name, self.unit, sampled.t_ns, values))
                    computed.values += values
        return computed

    def _peers(self, source: Source, context: Context) -> dict[str, TimeSeries]:
        names = types.names_by_mac(context.plan.nodes)
        peers = instances(source, self.quantity)
        found = {source.id: series_of(source, self.quantity)}
        return found | {f"{source.id} {names.get(peer, peer)}": series for peer, series in peers.items()}
