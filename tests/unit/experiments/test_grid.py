# SPDX-License-Identifier: MIT
"""The grid: its points are every combination once, in order, whatever the axes are."""

import itertools
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lab import units
from lab.experiments import labels as axis_labels
from lab.experiments.file import grid
from lab.experiments.labels import amount as amount_of
from lab.experiments.types import Experiment, Repetitions
from lab.model.build import build
from lab.model.document import Document
from lab.model.experiment import ExperimentFile as Model
from lab.model.experiment import Range
from lab.plan.problems import Problems, ValidatedFile
from tests.refused import refused


def resolved(axes: dict[str, Any], zipped: list[list[str]] | None = None) -> grid.Grid:
    """The grid of axes, all of which are filled in somewhere."""
    data = {
        "name": "x",
        "topology": "t",
        "workload": "w",
        "set": {f"key.{name}": f"{{{name}}}" for name in axes},
        "grid": axes,
        "zip": zipped or [],
        "metrics": {"m": "ms"},
    }
    document = Document(Path("x.yaml"), "x.yaml", data)
    problems = Problems()
    found = grid.resolve(ValidatedFile(document, build(Model, document)), problems)
    problems.raise_all()
    return found


LEVELS = st.lists(st.from_regex(r"[a-z]{1,4}", fullmatch=True), min_size=1, max_size=4, unique=True)
AXES = st.dictionaries(st.sampled_from("abcdef"), LEVELS, max_size=4)


@settings(deadline=None)  # other work on the machine must not fail a test
@given(AXES)
def test_a_product_has_every_combination_once_the_last_axis_fastest(axes: dict[str, list[str]]) -> None:
    points = resolved(axes).points()
    assert [tuple(point.labels.values()) for point in points] == list(itertools.product(*axes.values()))
    assert [point.number for point in points] == list(range(len(points)))
    assert all(list(point.labels) == list(axes) for point in points)
    assert len({point.overrides for point in points}) == len(points)


@settings(deadline=None)  # other work on the machine must not fail a test
@given(st.data())
def test_zipped_axes_advance_together_and_all_others_are_a_product(data: st.DataObject) -> None:
    names = data.draw(st.permutations("abcde"))
    size = data.draw(st.integers(1, 4))
    together = data.draw(st.integers(2, 4))
    zipped = sorted(names[:together], key=lambda _: data.draw(st.integers()))
    sizes = {name: size if name in zipped else data.draw(st.integers(1, 3)) for name in "abcde"}
    axes = {name: [f"{name}{number}" for number in range(count)] for name, count in sizes.items()}
    points = resolved(axes, [zipped]).points()
    assert len(points) == size * math.prod(count for name, count in sizes.items() if name not in zipped)
    assert len({tuple(point.labels.items()) for point in points}) == len(points)
    for point in points:
        assert len({point.labels[name][1:] for name in zipped}) == 1
    free = [name for name in "abcde" if name not in zipped]
    seen = {tuple(point.labels[name] for name in free) for point in points}
    assert seen == set(itertools.product(*(axes[name] for name in free)))


@settings(deadline=None)  # other work on the machine must not fail a test
@given(AXES)
def test_settings_have_the_values_of_their_axes(axes: dict[str, list[str]]) -> None:
    for point in resolved(axes).points():
        assert dict(text.split("=") for text in point.overrides) == {
            f"key.{name}": '"null"' if label == "null" else label for name, label in point.labels.items()
        }


NUMBERS = st.decimals(0, 1000, places=2, allow_nan=False).map(lambda number: format(number.normalize(), "f"))


@settings(deadline=None)  # other work on the machine must not fail a test
@given(NUMBERS, NUMBERS, st.integers(1, 50), st.sampled_from(["m", "ms", "dBm", "%", ""]))
def test_a_range_goes_by_equal_steps_and_never_beyond(start: str, length: str, parts: int, unit: str) -> None:
    first, last = Fraction(start), Fraction(start) + Fraction(length)
    step = axis_labels.decimal(Fraction(round(float(last - first) / parts * 100), 100))
    if last <= first or Fraction(step) <= 0:
        return
    dimension = units.dimension_of(unit)
    write = dimension.write if dimension else lambda number, _: number
    said = {"from": write(start, unit), "to": write(axis_labels.decimal(last), unit), "step": write(step, unit)}
    wrong: list[str] = []
    labels = axis_labels.spread(Range.model_validate(said), lambda message, key: wrong.append(message))
    assert not wrong
    numbers = [amount.value for amount in map(amount_of, labels) if amount is not None]
    assert len(numbers) == len(labels) > 0
    assert numbers[0] == first
    assert {b - a for a, b in itertools.pairwise(numbers)} <= {Fraction(step)}
    assert last - Fraction(step) < numbers[-1] <= last
    axis = axis_labels.axis("a", labels, lambda message, index: wrong.append(message))
    assert axis.unit == (unit or None) and not wrong


@settings(deadline=None)  # other work on the machine must not fail a test
@given(st.integers(1, 10**6), st.integers(1, 10**6), st.integers(2, 60), st.sampled_from(["linear", "log"]))
def test_points_of_a_range_rise_from_end_to_end(start: int, more: int, points: int, spacing: str) -> None:
    said = {"from": f"{start} m", "to": f"{start + more} m", "points": points, "spacing": spacing}
    wrong: list[str] = []
    labels = axis_labels.spread(Range.model_validate(said), lambda message, key: wrong.append(message))
    axis = axis_labels.axis("a", labels, lambda message, index: wrong.append(message))
    numbers = [level.number for level in axis.levels if level.number is not None]
    assert len(numbers) == points
    assert (numbers[0], numbers[-1]) == (start, start + more)
    assert numbers == sorted(numbers) or wrong
    assert wrong or len(set(numbers)) == points


@pytest.mark.parametrize(
    ("said", "labels"),
    [
        ({"from": "1 m", "to": "60 m", "step": "20 m"}, ["1 m", "21 m", "41 m"]),
        ({"from": "100 m", "to": "0.2 km", "step": "5000 cm"}, ["100 m", "150 m", "200 m"]),
        ({"from": 1, "to": 3, "step": 1}, ["1", "2", "3"]),
        ({"from": "0%", "to": "1%", "step": "0.5%"}, ["0%", "0.5%", "1%"]),
        (
            {"from": "1 Mbit/s", "to": "100 Mbit/s", "points": 3, "spacing": "log"},
            ["1 Mbit/s", "10 Mbit/s", "100 Mbit/s"],
        ),
        ({"from": 0, "to": 1, "points": 4}, ["0", "0.333333", "0.666667", "1"]),
    ],
)
def test_ranges(said: dict[str, Any], labels: list[str]) -> None:
    assert [level.label for level in resolved({"a": said}).axes[0].levels] == labels


@pytest.mark.parametrize(
    ("labels", "unit", "numbers"),
    [
        (["2 m", "4 m"], "m", [2.0, 4.0]),
        (["500 ms", "1 s"], "ms", [500.0, 1000.0]),
        ([1, 2.5], None, [1.0, 2.5]),
        (["tcp", "swp-precise"], None, [None, None]),
        (["54 Mbit/s", "MCS 7"], None, [None, None]),  # names among them make all of them names
        ([True, False], None, [None, None]),
    ],
)
def test_numbers_of_an_axis_are_in_one_unit(labels: list[Any], unit: str | None, numbers: list[float | None]) -> None:
    (axis,) = resolved({"a": labels}).axes
    assert axis.unit == unit
    assert [level.number for level in axis.levels] == numbers


def test_how_many_trials_there_can_be() -> None:
    found = Experiment(
        "x", "", {}, "x.yaml", 1, (), resolved({"a": [1, 2, 3]}).points(), Repetitions(3, 10, 0.05), (), (), (), ()
    )
    assert grid.trials(found) == 30
    grid.check_size(found)
    grid.check_size(found, 30)
    assert refused(grid.check_size, found, 29) == (
        "x has 3 points, each run up to 10 times: 30 trials, more than 29\n"
        "  add --yes to run them all, or reduce them with --only axis=value or --reps n"
    )


def test_where_a_setting_is_written_is_known_of_each_point() -> None:
    data = {
        "name": "x",
        "topology": "t",
        "workload": "w",
        "set": {"k": 1},
        "grid": {"a": {"on": {"k": 2}, "off": {}}},
        "metrics": {"m": "ms"},
    }
    document = Document(
        Path("x.yaml"), "x.yaml", data, {("set", "k"): "x.yaml:5", ("grid", "a", "on", "k"): "x.yaml:7"}
    )
    found = grid.resolve(ValidatedFile(document, build(Model, document)), Problems())
    assert [point.locations["k"] for point in found.points()] == ["x.yaml:7", "x.yaml:5"]
    assert [point.overrides for point in found.points()] == [("k=2",), ("k=1",)]
