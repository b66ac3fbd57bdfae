# SPDX-License-Identifier: MIT
"""The experiment with each change, and what that does to its claims."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lab.experiments.analysis import claims
from lab.experiments.analysis.margin import margin
from lab.experiments.analysis.statistics import rows_of
from lab.experiments.changes.listed import Change
from lab.experiments.sensitivity.sample import of_place
from lab.experiments.types import Claim, Experiment, Outcome, Verdict


@dataclass(frozen=True)
class Judged:
    """A claim with one change, or with none."""

    passed: bool | None  # None: it fails, since a point that it needs has no value
    margin: float | None
    value: str


@dataclass(frozen=True)
class Changed:
    """All claims with one change."""

    change: Change
    judged: tuple[Judged, ...]  # by claim
    failed: int  # trials


@dataclass(frozen=True)
class Changes:
    """All claims of an experiment, as it is and with each change."""

    claims: tuple[Claim, ...]
    base: tuple[Judged, ...]  # by claim
    changed: tuple[Changed, ...]
    trials: int  # with changes

    def turned(self, number: int) -> list[Changed]:
        """Return the changes that turn a claim, from failing to holding or the other way."""
        before = bool(self.base[number].passed)
        verdicts = ((one, one.judged[number].passed) for one in self.changed)
        return [one for one, passed in verdicts if passed is not None and passed != before]

    def without_value(self, number: int) -> list[Changed]:
        """Return the changes with which a claim cannot be evaluated."""
        return [one for one in self.changed if one.judged[number].passed is None]

    def nearest(self, number: int) -> Changed | None:
        """Return the change that brings a claim nearest to turning, if it comes nearer than without any."""
        before = self.base[number].margin
        known = [(abs(margin), one) for one in self.changed if (margin := one.judged[number].margin) is not None]
        if before is None or not known:
            return None
        least, found = min(known, key=lambda pair: pair[0])
        return found if least < abs(before) else None


def in_all(experiment: Experiment, found: Sequence[Change]) -> Experiment:
    """Return an experiment whose points are those of ``experiment`` with each change, change by change.

    The seeds are the same, so that chance is as like as it can be.
    """
    points = [
        dataclasses.replace(change.at(point), number=number * len(experiment.points) + point.number)
        for number, change in enumerate(found)
        for point in experiment.points
    ]
    return dataclasses.replace(experiment, points=tuple(points), figures=(), claims=(), unjudged=())


def analyse(
    experiment: Experiment, base: Sequence[Outcome], found: Sequence[Change], outcomes: Sequence[Outcome]
) -> Changes:
    """Judge every claim with every change.

    Args:
        experiment: the experiment.
        base: the outcomes of its trials.
        found: the changes.
        outcomes: of the trials of ``in_all``.
    """
    size = len(experiment.points)
    changed = []
    for number, change in enumerate(found):
        own = of_place(outcomes, number, size)
        failed = sum(outcome.error is not None for outcome in own)
        changed.append(Changed(change, tuple(_judged(experiment, own)), failed))
    return Changes(experiment.claims, tuple(_judged(experiment, base)), tuple(changed), len(outcomes))


def _judged(experiment: Experiment, outcomes: Sequence[Outcome]) -> Iterator[Judged]:
    rows = tuple(rows_of(experiment, outcomes))
    for claim in experiment.claims:
        yield _of(claims.judge(claim, experiment, rows), margin(claim, experiment, rows))


def _of(verdict: Verdict, found: float | None) -> Judged:
    return Judged(None if found is None else verdict.passed, found, verdict.value)
