# SPDX-License-Identifier: MIT
"""Which points are tried before anything runs, and what is reported about them."""

import itertools
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from lab.errors import InputError
from lab.experiments.file.points import MOST_TRIED, chosen, plans
from lab.experiments.types import Point
from lab.plan.load import load
from tests.refused import refused

SIZES = st.lists(st.integers(1, 12), min_size=1, max_size=4)


def points(sizes: list[int]) -> list[Point]:
    choices = itertools.product(*(range(size) for size in sizes))
    return [
        Point(number, {f"a{axis}": str(level) for axis, level in enumerate(choice)}, "t", "w", ())
        for number, choice in enumerate(choices)
    ]


def shown(some: list[Point], together: int) -> set[Any]:
    return {labels for point in some for labels in itertools.combinations(point.labels.items(), together)}


@settings(deadline=None)
@given(SIZES)
def test_every_value_of_every_axis_is_tried(sizes: list[int]) -> None:
    every = points(sizes)
    tried = chosen(every, 60)
    assert len(tried) == min(len(every), 60)
    assert shown(tried, 1) == shown(every, 1)
    assert [point.number for point in tried] == sorted({point.number for point in tried})


def test_pairs_of_values_come_next() -> None:
    every = points([5, 4, 3, 3])
    assert shown(chosen(every, 60), 2) == shown(every, 2)


def test_a_long_axis_is_tried_evenly_and_at_its_ends() -> None:
    tried = [point.number for point in chosen(points([5000]))]
    assert (len(tried), tried[0], tried[-1]) == (MOST_TRIED, 0, 4999)


def test_a_few_plans_are_made_of_thousands_of_points() -> None:
    made = []

    def make(point: Point) -> Any:
        made.append(point)
        return load("wired-pair", "idle")

    assert len(list(plans(points([50, 50]), make))) == len(made) == MOST_TRIED < 2500


def test_each_mistake_is_reported_once_with_a_point_where_it_shows() -> None:
    def make(point: Point) -> Any:
        if point.labels["a0"] == "1":
            raise InputError("is wrong", where="x.yaml:3", hint="write it right")
        return load("wired-pair", "idle")

    assert refused(list, plans(points([3, 2]), make)) == "x.yaml:3  is wrong\n  write it right\n  where a0: 1, a1: 0"


def test_not_every_mistake_of_thousands_is_reported() -> None:
    tried = []

    def make(point: Point) -> Any:
        tried.append(point)
        raise InputError(f"wrong {point.number}")

    assert len(refused(list, plans(points([50]), make)).splitlines()) == 2 * len(tried) == 20
