# SPDX-License-Identifier: MIT
"""From the outcomes of trials to results: statistics by point, and verdicts on claims."""

from __future__ import annotations

from lab.experiments.analysis import claims
from lab.experiments.analysis.statistics import rows_of
from lab.experiments.run.engine import Run
from lab.experiments.types import Experiment, Results


def assemble(experiment: Experiment, run: Run, command: str, wall_s: float) -> Results:
    """The results of a run of all trials.

    Args:
        experiment: the experiment.
        run: the outcomes of its trials.
        command: the ``lab reproduce`` command.
        wall_s: its wall time.
    """
    rows = tuple(rows_of(experiment, run.outcomes))
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
