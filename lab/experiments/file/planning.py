# SPDX-License-Identifier: MIT
"""Whether the points of an experiment can be run: their plans are made, not all of thousands, but enough of them.

Settings that lead nowhere, or to something that cannot be, are told before anything runs. Each value of each axis is
tried, then each pair of values of two axes, up to ``MOST_TRIED`` points; what only more of them together could get
wrong is told when the plan of that trial is made.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence

from lab.errors import InputError, flat, raise_all
from lab.experiments.types import Point
from lab.shared.types import Plan

MOST_TRIED = 200  # a draft of a plan takes 5 ms to 15 ms
_MOST_TOLD = 10  # mistakes


def chosen(points: Sequence[Point], most: int = MOST_TRIED) -> list[Point]:
    """Points that show every value of every axis, as far as ``most`` of them can; then pairs of values, then others."""
    if len(points) <= most:
        return list(points)
    picked = _new(points, 1)
    if len(picked) > most:  # one axis is that long: evenly, the ends too
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
    """The points that show so many labels together for the first time."""
    seen: set[object] = set()
    found = []
    for point in points:
        shown = set(itertools.combinations(point.labels.items(), together))
        if not shown <= seen:
            seen |= shown
            found.append(point)
    return found


def plans(points: Sequence[Point], make: Callable[[Point], Plan]) -> Iterator[tuple[Point, Plan]]:
    """The plans of the chosen points.

    Raises:
        InputError: after the last plan: what is wrong, each mistake once, with a point where it shows.
    """
    tried = chosen(points)
    wrong: dict[tuple[str | None, str], tuple[InputError, Point]] = {}
    counts: dict[tuple[str | None, str], int] = {}
    for point in tried:
        if len(wrong) >= _MOST_TOLD:
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
    """A mistake with the point where it shows."""
    if not point.labels:
        return error
    told = ", ".join(f"{axis}: {label}" for axis, label in point.labels.items())
    hint = f"{error.hint}\n  where {told}" if error.hint else f"where {told}"
    return InputError(error.message, where=error.where, hint=hint)
