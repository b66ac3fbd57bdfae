# SPDX-License-Identifier: MIT
"""How long RAR takes to send a thin message and its copies."""

from __future__ import annotations

from lab.metrics.base import Context, Metric, MetricValues
from lab.probes.base import Capture
from lab.shared import types
from lab.units import DURATION

from ._copies import messages
from .thin_lost import COPIES


class CopiesSpan(Metric):
    """The time from the first copy of each thin message of RAR to the last one of the first round.

    ``of`` names the captures of ``thin-lost``.
    """

    about = "time from the first copy of a thin message of A3's RAR to the last"
    takes = (Capture,)
    per = ("message",)
    dimension = DURATION
    unit = "ns"

    def compute(self, metric: types.PlannedMetric, context: Context) -> MetricValues:
        computed = MetricValues()
        spans_ns = (
            left_ns[COPIES - 1] - left_ns[0] for left_ns, _ in messages(metric, context) if len(left_ns) >= COPIES
        )
        computed.values += spans_ns
        return computed
