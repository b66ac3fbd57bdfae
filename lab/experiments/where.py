# SPDX-License-Identifier: MIT
"""Descriptions of trials, as ``delay 5 ms, seeds 1 to 3; delay 20 ms, seed 7``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from lab.experiments.types import Outcome, Results

_POINTS = 5  # listed by name


def point(labels: dict[str, str]) -> str:
    """Describe a point of the grid."""
    return ", ".join(f"{axis} {label}" for axis, label in labels.items()) or "the only point"


def trials(results: Results, outcomes: Iterable[Outcome]) -> str:
    """Describe trials of an experiment: each point once, with its seeds."""
    labels = {one.number: one.labels for one in results.experiment.points}
    seeds: dict[int, list[int]] = {}
    for outcome in outcomes:
        seeds.setdefault(outcome.point, []).append(outcome.seed)
    points = [f"{point(labels.get(number, {}))}, {_seeds(found)}" for number, found in seeds.items()]
    left = len(points) - _POINTS
    more = [f"and at {left} more points"] if left > 1 else points[_POINTS:]
    return "; ".join([*points[:_POINTS], *more])


def _seeds(seeds: Sequence[int]) -> str:
    """``seed 1``, ``seeds 1 to 3``, ``seeds 1, 2, 5 to 7``."""
    runs: list[list[int]] = []
    for seed in sorted(seeds):
        if runs and seed == runs[-1][-1] + 1:
            runs[-1].append(seed)
        else:
            runs.append([seed])
    ranges = [f"{run[0]} to {run[-1]}" if len(run) > 2 else ", ".join(map(str, run)) for run in runs]
    return f"seed{'' if len(seeds) == 1 else 's'} {', '.join(ranges)}"
