# SPDX-License-Identifier: MIT
"""Experiments for tests, as lab.experiments.file.resolve makes them."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence

from lab.experiments.analysis.statistics import summarise
from lab.experiments.types import Axis, Experiment, FigureSpec, Level, Point, Repetitions, Row, Summary, TrialMetric

AXES = {"distance": ["2 m", "4 m", "6 m"], "roaming": ["never", "quick", "swp-approximate"]}


def experiment(
    axes: Mapping[str, Sequence[str]] = AXES,
    metrics: Mapping[str, str] | None = None,
    figures: Iterable[FigureSpec] = (),
    zipped: bool = False,
) -> Experiment:
    """A grid of these labels (``zipped``: the axes advance together), metrics with their units."""
    together = zip(*axes.values(), strict=True) if zipped else itertools.product(*axes.values())
    points = [
        Point(number, dict(zip(axes, labels, strict=True)), "t", "w", ()) for number, labels in enumerate(together)
    ]
    return Experiment(
        name="e",
        about="",
        cites={},
        path="e.yaml",
        seed=1,
        axes=tuple(Axis(name, tuple(Level(label, None) for label in labels)) for name, labels in axes.items()),
        points=tuple(points),
        repetitions=Repetitions(3, 3),
        metrics=tuple(TrialMetric(name, name, unit) for name, unit in (metrics or {"throughput": "Mbit/s"}).items()),
        figures=tuple(figures),
        published=(),
        claims=(),
    )


def rows(experiment: Experiment, **means: Sequence[float | None]) -> list[Row]:
    """Rows with these means, of two trials each; None: both have no value."""
    return [
        Row(
            point,
            {
                metric.name: _summary(means[metric.name][index], metric.unit)
                for metric in experiment.metrics
                if metric.name in means
            },
        )
        for index, point in enumerate(experiment.points)
    ]


def _summary(mean: float | None, unit: str) -> Summary:
    return summarise([], unit, 2) if mean is None else summarise([mean - 0.25, mean + 0.25], unit)
