# SPDX-License-Identifier: MIT
"""The figures of a report, from the record alone. A figure that has nothing to show is left out."""

from __future__ import annotations

from lab.drawing import Figure
from lab.record.record import Record
from lab.report import medium, sampled
from lab.views import base as views


def figures(record: Record) -> list[Figure]:
    """All figures, in the order of the report: metrics as the workload has them, the medium, what probes sampled."""
    of_metrics = [figure for result, view in views.shown(record) for figure in view.figures(result, record)]
    names = {figure.name for figure in of_metrics}
    further = [*medium.figures(record), *sampled.figures(record)]
    return [*of_metrics, *(figure for figure in further if figure.name not in names)]
