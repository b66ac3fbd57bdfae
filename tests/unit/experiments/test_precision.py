# SPDX-License-Identifier: MIT
"""A point that ended at the most trials with a wider interval than was asked for is marked, wherever it is reported."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest
from rich.console import Console

from lab.experiments.command import assemble
from lab.experiments.output import files, tables
from lab.experiments.output.page import page
from lab.experiments.run.engine import SweepResult
from lab.experiments.types import Repetitions, Results, TrialOutcome

from . import samples

RULE = Repetitions(3, 4, 0.05)
NARROW, WIDE = [10.0, 10.1, 9.9], [10.0, 12.0, 8.0, 10.0]
POINTS = {"2 m": NARROW, "4 m": WIDE, "6 m": [1.0, -1.0, 1.0, -1.0], "8 m": [], "10 m": [5.0], "12 m": [0.0] * 3}
REMARK = (
    "Not within ±5 % of the mean after at most 4 trials per point: 4 of 6 points. "
    "distance 4 m (±26 %); distance 6 m (the mean is 0); distance 8 m (no value); distance 10 m (one value)"
)


def results(points: Mapping[str, Sequence[float]], rule: Repetitions) -> Results:
    """Of trials with these values; what is left of four has none."""
    experiment = replace(samples.experiment({"distance": list(points)}), repetitions=rule)
    outcomes = [
        TrialOutcome(number, seed, "", "lab run", {"throughput": value}, None, None, 1.0, 1.0, cached=False)
        for number, values in enumerate(points.values())
        for seed, value in enumerate([*values, *[None] * (4 - len(values))] if len(values) < 3 else values, 1)
    ]
    return assemble(experiment, SweepResult(tuple(outcomes), {}, {}), "lab reproduce e", 1.0)


def test_results_json_and_csv_say_which_means_are_precise() -> None:
    found = results(POINTS, RULE)
    reported = {row["distance"]: row["throughput"]["precise"] for row in files.as_json(found)["rows"]}
    assert reported == {"2 m": True, "4 m": False, "6 m": False, "8 m": False, "10 m": False, "12 m": True}
    lines = csv.DictReader(io.StringIO(files.results_csv(found)), strict=True)
    assert {line["distance"]: line["precise"] == "yes" for line in lines} == reported


def test_the_remark_is_below_the_table_and_in_the_page() -> None:
    found = results(POINTS, RULE)
    console = Console(width=400, record=True)
    with console.capture() as caught:
        console.print(tables.tables(found))
    shown = caught.get()
    assert REMARK in shown
    assert shown.index("12 m") < shown.index(REMARK)
    assert REMARK in page(found, [])


def test_many_points_are_counted() -> None:
    (table,) = tables.means(results({f"{metres} m": WIDE for metres in range(20)}, RULE))
    assert table.remark.count("distance") == 6
    assert table.remark.endswith("distance 5 m (±26 %); and 14 more")


@pytest.mark.parametrize(
    ("points", "rule"), [(POINTS, Repetitions(4, 4)), ({"2 m": NARROW, "4 m": NARROW}, RULE)], ids=["fixed", "precise"]
)
def test_there_is_nothing_to_say(points: Mapping[str, Sequence[float]], rule: Repetitions) -> None:
    found = results(points, rule)
    assert [table.remark for table in tables.means(found)] == [""]
    assert "Not within" not in page(found, [])
    assert all(row.metrics["throughput"].precise is (rule.half_width and True) for row in found.rows)
