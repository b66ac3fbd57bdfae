# SPDX-License-Identifier: MIT
"""From the outcomes of trials to results: statistics by point, and verdicts on claims."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from lab.experiments.analysis import claims, statistics
from lab.experiments.run.engine import Run
from lab.experiments.types import Experiment, Outcome, Results, Row


def assemble(experiment: Experiment, run: Run, command: str, wall_s: float) -> Results:
    """The results of a run of all trials.

    Args:
        experiment: the experiment.
        run: the outcomes of its trials.
        command: the ``lab reproduce`` command.
        wall_s: its wall time.
    """
    rows = tuple(_rows(experiment, run.outcomes))
    return Results(
        experiment=experiment,
        rows=rows,
        verdicts=tuple(claims.judge(claim, experiment, rows) for claim in experiment.claims),
        outcomes=tuple(run.outcomes),
        hashes=run.hashes,
        versions=run.versions,
        command=command,
        wall_s=wall_s,
    )


def _rows(experiment: Experiment, outcomes: Iterable[Outcome]) -> Iterable[Row]:
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
                numbers, metric.unit, missing=len(found) - len(numbers), share=experiment.repetitions.half_width
            )
        yield Row(point, summaries)
