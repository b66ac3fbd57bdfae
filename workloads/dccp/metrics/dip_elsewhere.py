# SPDX-License-Identifier: MIT
"""The control of ``dip``: how far a flow falls where there is no handoff."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence

from lab.metrics.base import Context, Metric, MetricValues, chosen, series_of
from lab.probes.base import Samples, TimeSeries
from lab.shared import types
from lab.units import PERCENT

from ._windows import BEFORE_S, HANDOFF_S, SECOND_NS, fall, handoffs

_FIRST_S = 45  # of the run: the last flows began more than 20 s ago
_CALM_S = 20  # after a handoff, in which a flow may still be recovering


class DipElsewhere(Metric):
    """What ``dip`` finds (per ``lowest``) where there is no handoff: mean over these moments, for each ``flow-sink``.

    The moments are all whole seconds of the run, from 45 s on, with no handoff in the 3 s after and none in the 30 s
    before. The lowest of three values that scatter is below their mean anyway, so a dip says something only beside
    this. No value if there is no such moment.
    """

    about = "what dip finds at moments without a handoff"
    takes = (Samples("goodput"),)
    dimension = PERCENT
    unit = "%"
    columns = ("lowest", "moments")

    def compute(self, metric: types.PlannedMetric, context: Context) -> MetricValues:
        """Return one row per flow."""
        computed = MetricValues()
        for source in chosen(metric, context, self.takes[0]):
            found = list(_falls(series_of(source, "goodput"), handoffs(context)))
            if found:
                mean = statistics.fmean(found)
                computed.rows.append({"process": source.id, "lowest": mean, "moments": len(found)})
                computed.values.append(mean)
        return computed


def _falls(goodput: TimeSeries, roams_ns: Sequence[int]) -> Iterator[float]:
    end_s = goodput.t_ns[-1] // SECOND_NS if goodput.t_ns else 0
    for second in range(_FIRST_S, end_s - HANDOFF_S + 1):
        moment_ns = second * SECOND_NS
        begin_ns, end_ns = moment_ns - (_CALM_S + BEFORE_S) * SECOND_NS, moment_ns + HANDOFF_S * SECOND_NS
        if not any(begin_ns < roam_ns < end_ns for roam_ns in roams_ns):
            share = fall(goodput, moment_ns)
            if share is not None:
                yield share
