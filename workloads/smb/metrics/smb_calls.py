# SPDX-License-Identifier: MIT
"""SMB calls: requests that a file server has had."""

from __future__ import annotations

from lab.metrics.base import Context, Metric, MetricValues, chosen, instances
from lab.probes.base import Samples
from lab.shared import types


class SmbCalls(Metric):
    """Requests that a file server has had by the last sample; a row for each command that occurred."""

    about = "requests that a file server has had, by command of the protocol"
    takes = (Samples("smb_calls"),)
    per = ("process", "command")
    unit = "requests"

    def compute(self, metric: types.PlannedMetric, context: Context) -> MetricValues:
        computed = MetricValues()
        for source in chosen(metric, context):
            last = {command: series.values[-1] for command, series in instances(source, "smb_calls").items()}
            counted = {command: count for command, count in last.items() if count}
            computed.rows += [
                {"node": source.node.name, "command": command, "requests": count} for command, count in counted.items()
            ]
            computed.values += counted.values() if metric.per == "command" else [sum(counted.values())]
        return computed
