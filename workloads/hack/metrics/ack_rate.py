# SPDX-License-Identifier: MIT
"""TCP ACKs over time, compressed and native."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from lab.metrics.base import Context, Metric, MetricValues, Source, chosen, instances, series_of
from lab.probes.base import Samples, TimeSeries
from lab.shared import types

_SECOND = 1_000_000_000
_KINDS = {"compressed": "sent_acks", "native": "sent_natives"}


class AckRate(Metric):
    """TCP ACKs without data that a node sends per second, from the first sample of its probe in the run to the last.

    Compressed ones count once they are known to have arrived. Rows and series have these and native ones for
    each peer. An event that switches ``hack`` resets the counters: what they counted since the last sample is missing,
    and while it is off nothing is counted.
    """

    about = "TCP ACKs per second that a node sends, compressed and native, from hack-acks"
    takes = (Samples("sent_acks"),)
    unit = "ACKs/s"
    columns = tuple(_KINDS)

    def compute(self, metric: types.PlannedMetric, context: Context) -> MetricValues:
        computed = MetricValues()
        names = types.names_by_mac(context.plan.nodes)
        for source in chosen(metric, context):
            samples_ns = [t_ns for t_ns in series_of(source, "pairs").t_ns if t_ns >= 0]
            if len(samples_ns) < 2:
                continue
            rows = []
            for peer in instances(source, "sent_acks"):
                row, series = _of_peer(source, peer, names.get(peer, peer), samples_ns)
                rows.append(row)
                computed.series += series
            computed.rows += [{"node": source.node.name, **row} for row in rows]
            computed.values.append(sum(row[kind] for row in rows for kind in _KINDS))
        return computed


def _of_peer(
    source: Source, peer: str, name: str, samples_ns: Sequence[int]
) -> tuple[dict[str, Any], list[TimeSeries]]:
    """Return the mean of each kind, and its rate in each interval, stamped with the interval's end."""
    row: dict[str, Any] = {"peer": name}
    found = []
    for kind, quantity in _KINDS.items():
        counter = instances(source, quantity).get(peer, TimeSeries("", ""))
        series = TimeSeries(f"{source.node.name} to {name}, {kind}", AckRate.unit)
        total = 0.0
        for (before_ns, t_ns), grown in growth(counter, samples_ns):
            total += grown
            series.t_ns.append(t_ns)
            series.values.append(grown * _SECOND / (t_ns - before_ns))
        row[kind] = total * _SECOND / (samples_ns[-1] - samples_ns[0])
        found.append(series)
    return row, found


def growth(counter: TimeSeries, samples_ns: Sequence[int]) -> Iterator[tuple[tuple[int, int], float]]:
    """Yield each interval between samples at whose end there is a counter, and by how much it grew.

    It starts from 0 if it was absent or is smaller than before.
    """
    values = dict(zip(counter.t_ns, counter.values, strict=True))
    for before_ns, t_ns in pairwise(samples_ns):
        if t_ns in values:
            before, after = values.get(before_ns, 0), values[t_ns]
            yield (before_ns, t_ns), after - before if after >= before else after
