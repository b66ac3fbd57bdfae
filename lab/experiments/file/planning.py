# SPDX-License-Identifier: MIT
"""Checks that the points of an experiment can be run, by resolving the plans of a sample of them.

Settings that match nothing or are invalid are reported before anything runs. The sample has each value of each axis,
then each pair of values of two axes, up to ``MOST_TRIED`` points. A mistake that needs more values in combination is
reported when the plan of that trial is resolved.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence

from lab.errors import InputError, flat, raise_all
from lab.experiments.types import Point
from lab.shared.types import Plan

MOST_TRIED = 200  # drafting a plan takes 5 to 15 ms
_MOST_REPORTED = 10  # mistakes


def chosen(points: Sequence[Point], most: int = MOST_TRIED) -> list[Point]:
    """Choose up to ``most`` points that cover every value of every axis, then pairs of values, then others."""
    if len(points) <= most:
        return list(points)
    picked = _new(points, 1)
    if len(picked) > most:  # one axis is longer than that: evenly spaced, including both ends
        return [picked[index * (len(picked) - 1) // (most - 1)] for index in range(most)]
    numbers = {point.number for point in picked}
    for point in itertools.chain(_new(points, 2), points):
        if len(picked) == most:
            break
        if point.number not in numbers:
            numbers.add(point.number)
            picked.append(point)
    return sorted(picked, key=lambda point: point.number)


def _new(points: Sequence[Point], together: int) -> list[Point]:
    """Return the points that are the first with some combination of ``together`` labels."""
    seen: set[object] = set()
    found = []
    for point in points:
        shown = set(itertools.combinations(point.labels.items(), together))
        if not shown <= seen:
            seen |= shown
            found.append(point)
    return found


def plans(points: Sequence[Point], make: Callable[[Point], Plan]) -> Iterator[tuple[Point, Plan]]:
    """Yield the plans of the chosen points.

    Raises:
        InputError: after the last plan: all mistakes, each once, with a point that has it.
    """
    tried = chosen(points)
    wrong: dict[tuple[str | None, str], tuple[InputError, Point]] = {}
    counts: dict[tuple[str | None, str], int] = {}
    for point in tried:
        if len(wrong) >= _MOST_REPORTED:
            break
        try:
            yield point, make(point)
        except InputError as error:
            for one in flat(error):
                key = (one.where, one.message)
                wrong.setdefault(key, (one, point))
                counts[key] = counts.get(key, 0) + 1
    everywhere = len(tried)
    raise_all([error if counts[key] == everywhere else located(error, point) for key, (error, point) in wrong.items()])


def located(error: InputError, point: Point) -> InputError:
    """Add the point to a mistake."""
    if not point.labels:
        return error
    where = ", ".join(f"{axis}: {label}" for axis, label in point.labels.items())
    hint = f"{error.hint}\n  where {where}" if error.hint else f"where {where}"
    return InputError(error.message, where=error.where, hint=hint)
