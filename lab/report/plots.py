# SPDX-License-Identifier: MIT
"""The figures of a report, from the record only, without empty ones."""

from __future__ import annotations

from lab.drawing import Figure
from lab.record.record import Record
from lab.report import medium, sampled
from lab.views import base as views


def figures(record: Record) -> list[Figure]:
    """Return all figures, in report order: metrics in the order of the workload, the medium, samples of probes."""
    of_metrics = views.collected(record, "figures", lambda view, result: view.figures(result, record))
    names = {figure.name for figure in of_metrics}
    further = [*medium.figures(record), *sampled.figures(record)]
    return [*of_metrics, *(figure for figure in further if figure.name not in names)]
