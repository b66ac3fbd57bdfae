# SPDX-License-Identifier: MIT
"""Retries: frames that the radio sent again."""

from __future__ import annotations

from typing import Any

from lab.metrics.base import Context, Metric, MetricValues, Source, chosen, increase, instances, series_of
from lab.probes.base import Samples
from lab.shared import types


class Retries(Metric):
    """Transmissions beyond the first of each frame, over all peers, during the run; rows also contain failures.

    mac80211 counts them from the transmit status of each frame. Samples miss what happens between the last sample of an
    association and its end.
    """

    about = "frames that the radio retransmitted (and those it gave up), from iw station dump"
    takes = (Samples("tx_retries"),)
    per = ("process", "peer")
    unit = "frames"

    def compute(self, metric: types.PlannedMetric, context: Context) -> MetricValues:
        computed = MetricValues()
        for source in chosen(metric, context):
            rows = [_row(source, peer, context) for peer in instances(source, "tx_retries")]
            computed.rows += rows
            retries = [row["retries"] for row in rows]
            computed.values += retries if metric.per == "peer" else [sum(retries)]
        return computed


def _row(source: Source, peer: str, context: Context) -> dict[str, Any]:
    samples_ns = series_of(source, "peers").t_ns
    stations = types.names_by_mac(context.plan.nodes)
    row: dict[str, Any] = {"node": source.node.name, "peer": stations.get(peer, peer)}
    for column, name in (("frames", "tx_packets"), ("retries", "tx_retries"), ("failed", "tx_failed")):
        counter = instances(source, name).get(peer)
        row[column] = increase(counter, samples_ns) if counter else 0
    return row
