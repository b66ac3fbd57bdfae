# SPDX-License-Identifier: MIT
"""SMTP commands: what a mail server has been asked."""

from __future__ import annotations

from lab.metrics.base import Context, Metric, MetricValues, chosen
from lab.shared import types

from ..probes._results import Commands


class SmtpCommands(Metric):
    """Commands of SMTP in sessions that have ended; a row for each command that occurred."""

    about = "commands of SMTP that a server has had"
    takes = (Commands,)
    per = ("process", "command")
    unit = "commands"

    def compute(self, metric: types.PlannedMetric, context: Context) -> MetricValues:
        computed = MetricValues()
        for source in chosen(metric, context):
            for commands in source.found(Commands):
                computed.rows += [
                    {"node": source.node.name, "command": name, "commands": count}
                    for name, count in commands.counts.items()
                ]
                counts = list(commands.counts.values())
                computed.values += counts if metric.per == "command" else [sum(counts)]
        return computed
