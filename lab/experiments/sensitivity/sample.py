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
from lab.experiments.sensitivity.parameters import Parameter
from lab.experiments.types import Experiment, Outcome, Point, Repetitions

LEAST, MOST = 2, 1000  # places


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
    """Return an experiment whose points are those of ``experiment`` in each place, place by place."""
    points = []
    for place in found:
        settings = {key: place.values[one.name] for one in parameters for key in one.keys}
        where = {key: one.where for one in parameters for key in one.keys}
        for point in experiment.points:
            points.append(_moved(point, place.number * len(experiment.points) + point.number, settings, where))
    return dataclasses.replace(
        experiment, points=tuple(points), repetitions=Repetitions(reps, reps), figures=(), claims=(), unjudged=()
    )


def _moved(point: Point, number: int, settings: dict[str, str], where: dict[str, str]) -> Point:
    """Return a point with the values of a place; what the point itself varies counts."""
    own = {text.partition("=")[0].strip() for text in point.settings}
    added = tuple(f"{key}={value}" for key, value in settings.items() if key not in own)
    return dataclasses.replace(
        point, number=number, settings=(*added, *point.settings), places={**where, **point.places}
    )


def of_place(outcomes: Sequence[Outcome], number: int, size: int) -> list[Outcome]:
    """Return the outcomes of a place, with the numbers of the experiment's ``size`` points."""
    return [
        dataclasses.replace(outcome, point=outcome.point % size)
        for outcome in outcomes
        if outcome.point // size == number
    ]
