# SPDX-License-Identifier: MIT
"""Common code of metrics of TCP ACKs that nodes sent or received with link-layer ACKs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import ClassVar

from lab.metrics.base import MEDIUM, Context, Metric, MetricValues
from lab.shared import types
from lab.shared.medium_types import OnAir


class OfAcks(Metric):
    """One value for each node: of what became of its TCP ACKs to all peers together, or of theirs to it.

    A subclass has one column, and ``value``.
    """

    takes = (MEDIUM,)
    way: ClassVar[str] = "sent"  # or received
    counters: ClassVar[Mapping[str, str]] = {"acks": "acks", "natives": "native"}  # what rows have, with its heading

    def compute(self, metric: types.PlannedMetric, context: Context) -> MetricValues:
        """Return one row per node that has a value; none without a medium."""
        computed = MetricValues()
        for name in metric.of if context.medium is not None else ():
            assert context.medium is not None
            counts = counts_of(name, self.way, context.medium)
            value = self.value(counts)
            if value is not None:
                known = {heading: counts[key] for key, heading in self.counters.items()}
                computed.rows.append({"node": name, **known, **dict.fromkeys(self.columns, value)})
                computed.values.append(value)
        return computed

    def value(self, counts: Mapping[str, int]) -> float | None:
        """Return the value of a node, in base units; None if it has none. A counter that is missing is 0."""
        raise NotImplementedError


def counts_of(node: str, way: str, medium: OnAir) -> Counter[str]:
    """Return the counters of a node's TCP ACKs, of all peers together."""
    total: Counter[str] = Counter()
    for pair in medium.parts.get("hack", ()):
        if pair.node == node:
            total.update(pair.counts[way])
    return total
