# SPDX-License-Identifier: MIT
"""Thin messages of which no copy arrived."""

from __future__ import annotations

from lab.metrics.base import Context, Metric, MetricValues
from lab.probes.base import Capture
from lab.shared import types
from lab.units import PERCENT

from ._copies import messages

COPIES = 3  # the message and two more


class ThinLost(Metric):
    """Of each thin message of RAR 100 % if none of its first three copies arrived, otherwise 0 %.

    ``of`` names two captures with a filter for one direction: one where the copies leave, and one behind what loses
    them. RAR sends the copies again if no answer comes. If the first arrival is later than that, none of the first
    three has arrived.
    """

    about = "thin messages of A3's RAR of which no copy arrived before they were sent again"
    takes = (Capture,)
    per = ("message",)
    dimension = PERCENT
    unit = "%"

    def compute(self, metric: types.PlannedMetric, context: Context) -> MetricValues:
        computed = MetricValues()
        for left_ns, arrived_ns in messages(metric, context):
            again_ns = left_ns[COPIES] if len(left_ns) > COPIES else None
            came = arrived_ns and (again_ns is None or min(arrived_ns) < again_ns)
            computed.values.append(0.0 if came else 100.0)
        return computed
