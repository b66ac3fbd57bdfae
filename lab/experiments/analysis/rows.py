# SPDX-License-Identifier: MIT
"""From the outcomes of trials to statistics by point."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from lab.experiments.analysis import statistics
from lab.experiments.types import Experiment, Outcome, Row


def rows_of(experiment: Experiment, outcomes: Iterable[Outcome]) -> Iterable[Row]:
    """Yield each point of an experiment with the statistics of its trials."""
    by_point: dict[int, list[Outcome]] = defaultdict(list)
    for outcome in sorted(outcomes, key=lambda one: (one.point, one.seed)):
        by_point[outcome.point].append(outcome)
    for point in experiment.points:
        found = by_point[point.number]
        summaries = {}
        for metric in experiment.metrics:
            values = [outcome.values.get(metric.name) for outcome in found if outcome.error is None]
            numbers = [value for value in values if value is not None]
            summaries[metric.name] = statistics.summarise(
                numbers,
                metric.unit,
                missing=len(found) - len(numbers),
                share=experiment.repetitions.share(metric.name),
                normal=experiment.repetitions.normal,
            )
        yield Row(point, summaries)
