# SPDX-License-Identifier: MIT
"""Places drawn from the ranges of uncertain parameters, and the experiment in each of them.

A Latin hypercube: with N places, each parameter has one value in each Nth of its range (M. D. McKay, R. J. Beckman,
W. J. Conover, Technometrics 21, 1979).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

from lab.errors import InputError
from lab.experiments.file import points
from lab.experiments.sensitivity.parameters import Parameter
from lab.experiments.types import Experiment, Outcome, Point, Repetitions
from lab.plan.load import load as load_plan
from lab.shared.types import Plan

LEAST, MOST = 2, 1000  # places
SEEDS = 10_000  # from a place to the next
_TRIED = 100  # plans


@dataclass(frozen=True)
class Place:
    """A drawn place."""

    number: int  # from 0
    values: dict[str, str]  # by parameter, as text
    numbers: dict[str, float]  # by parameter


def places(parameters: Sequence[Parameter], count: int, seed: int) -> tuple[Place, ...]:
    """Return ``count`` places; the same for equal ranges, count and seed.

    Raises:
        InputError: too few or too many.
    """
    if not LEAST <= count <= MOST:
        raise InputError(f"--sensitivity {count}: write {LEAST} to {MOST} places")
    from scipy.stats import qmc  # slow to import

    shares = qmc.LatinHypercube(d=len(parameters), rng=seed).random(count)
    found = []
    for number, row in enumerate(shares.tolist()):
        drawn = {one.name: one.at(share) for one, share in zip(parameters, row, strict=True)}
        values = {name: text for name, (text, _) in drawn.items()}
        found.append(Place(number, values, {name: value for name, (_, value) in drawn.items()}))
    return tuple(found)


def in_all(experiment: Experiment, parameters: Sequence[Parameter], found: Sequence[Place], reps: int) -> Experiment:
    """Return an experiment whose points are those of ``experiment`` in each place, place by place.

    Each place has seeds of its own, else chance would be the same in all of them.
    """
    points = []
    for place in found:
        for point in experiment.points:
            applied = [one for one in parameters if one.applies(point)]
            points.append(_moved(point, place, place.number * len(experiment.points) + point.number, applied))
    return dataclasses.replace(
        experiment, points=tuple(points), repetitions=Repetitions(reps, reps), figures=(), claims=(), unjudged=()
    )


def _moved(point: Point, place: Place, number: int, parameters: Sequence[Parameter]) -> Point:
    """Return a point with the values of a place."""
    added = tuple(f"{key}={place.values[one.name]}" for one in parameters for key in one.free(point))
    where = {key: one.where for one in parameters for key in one.free(point)}
    return dataclasses.replace(
        point,
        number=number,
        settings=(*added, *point.settings),
        places={**where, **point.places},
        seed_offset=SEEDS * (place.number + 1),
    )


def try_all(experiment: Experiment) -> None:
    """Resolve plans of the points in all places, or of a sample of them, before anything runs.

    Raises:
        InputError: a value that cannot be set, with FILE:LINE of its parameter.
    """

    def plan(point: Point) -> Plan:
        topology, workload, settings = point.topology, point.workload, point.settings
        return load_plan(topology, workload, experiment.seed, settings, places=point.places, draft=True)

    step = max(1, len(experiment.points) // _TRIED)
    for _ in points.plans(experiment.points[::step], plan):
        continue


def of_place(outcomes: Sequence[Outcome], number: int, size: int) -> list[Outcome]:
    """Return the outcomes of a place, with the numbers of the experiment's ``size`` points."""
    return [
        dataclasses.replace(outcome, point=outcome.point % size)
        for outcome in outcomes
        if outcome.point // size == number
    ]
