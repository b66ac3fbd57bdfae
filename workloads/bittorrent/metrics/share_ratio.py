# SPDX-License-Identifier: MIT
"""Share ratio: what a peer has given, by what it has taken."""

from __future__ import annotations

from lab.metrics.base import Context, Metric, MetricValues, all_found
from lab.shared import types

from ..probes._results import Exchange


class ShareRatio(Metric):
    """Bytes uploaded per byte downloaded, as clients and trackers count it; for a seed, per byte of the torrent."""

    about = "bytes that a peer uploaded per byte that it downloaded"
    takes = (Exchange,)
    unit = "times"
    columns = ("ratio",)

    def compute(self, metric: types.PlannedMetric, context: Context) -> MetricValues:
        computed = MetricValues()
        for _, peer in all_found(metric, context, Exchange):
            taken = peer.downloaded or peer.size
            if taken:
                ratio = peer.uploaded / taken
                amounts = {"downloaded": peer.downloaded, "uploaded": peer.uploaded}
                computed.rows.append({"process": peer.name, **amounts, "ratio": ratio})
                computed.values.append(ratio)
        return computed
