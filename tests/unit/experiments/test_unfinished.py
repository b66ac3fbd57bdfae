# SPDX-License-Identifier: MIT
"""Trials that did not finish: they count as more than their limit, and are shown as such."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import pytest
from rich.console import Console

from lab.drawing.figure import Scale
from lab.drawing.frame import AxesFrame
from lab.drawing.marks import Bar, Box, Dot, HeatCell, Trace
from lab.drawing.series import error_bar
from lab.drawing.shapes import Path as Drawn
from lab.errors import InputError
from lab.experiments.analysis import claims, metrics
from lab.experiments.analysis.compare import compare
from lab.experiments.analysis.statistics import rows_of, summarise
from lab.experiments.output import compared, figures, files, tables
from lab.experiments.types import Claim, FigureSpec, Results, Row, TrialMetric, TrialOutcome
from lab.numbers import NONE
from lab.plan.load import load

from . import files as samples
from .samples import experiment

TIMES = TrialMetric("time", "max(transfer-time)", "s", limit=150.0, expected=5)
TCP, UDP = "tcp", "udp"
# by trial; None: did not finish
TRIALS: dict[str, dict[str, list[float | None]]] = {
    TCP: {"2 m": [3.0, 4.0, 5.0], "8 m": [6.0, 7.0, None], "10 m": [8.0, None, None]},
    UDP: {"2 m": [1.0, 2.0, 2.0], "8 m": [2.0, 3.0, 4.0], "10 m": [3.0, 4.0, 5.0]},
}


def record(*times_ms: float) -> dict[str, Any]:
    values = {"unit": "ms", "each": list(times_ms)}
    return {"metrics": {"transfer-time": values, "loss": {"unit": "%", "each": [3.0]}}, "plan": {}}


@pytest.mark.parametrize(
    ("that", "times_ms", "value", "bound"),
    [
        ("max(transfer-time)", [1000, 2000, 3000, 4000, 5000], 5.0, False),
        ("max(transfer-time)", [1000, 2000, 3000, 4000], 150.0, True),
        ("median(transfer-time)", [1000, 2000, 3000, 4000], 3.0, False),
        ("median(transfer-time)", [1000, 2000], 150.0, True),
        ("transfer-time.p90", [1000, 2000, 3000, 4000], 91.6, True),
        ("p90(transfer-time)", [1000, 2000, 3000, 4000], 91.6, True),
        ("transfer-time", [1000, 2000, 3000, 4000], 32.0, True),
        ("min(transfer-time)", [1000], 1.0, False),
        ("max(transfer-time)", [], 150.0, True),
    ],
)
def test_requests_that_did_not_finish_are_above_the_limit(
    that: str, times_ms: list[float], value: float, bound: bool
) -> None:
    metric = replace(TIMES, that=that)
    assert metrics.values([metric], record(*times_ms)) == {"time": pytest.approx(value)}
    assert metrics.unfinished([metric], record(*times_ms)) == (frozenset({"time"}) if bound else frozenset())


def test_without_expected_it_is_the_value_that_may_be_missing() -> None:
    metric = replace(TIMES, expected=None)
    assert metrics.values([metric], record()) == {"time": 150.0} and metrics.unfinished([metric], record())
    assert metrics.values([metric], record(2000)) == {"time": 2.0} and not metrics.unfinished([metric], record(2000))


def test_other_metrics_of_an_expression_are_as_they_are() -> None:
    metric = TrialMetric("m", "max(transfer-time) * (1 + loss / 100%)", "s", limit=100.0, expected=2)
    assert metrics.values([metric], record(1000)) == {"m": pytest.approx(103.0)}


@pytest.mark.parametrize(
    "that", ["10 s - max(transfer-time)", "5 s", "1 s * transfer-time.count", "1 s * goodput.count"]
)
def test_what_does_not_grow_has_no_limit(that: str) -> None:
    with pytest.raises(InputError, match="does not become larger if what it is about takes longer"):
        metrics.check(replace(TIMES, that=that), load("two-aps-handoff", "http/download"))


def test_times_have_a_limit() -> None:
    metrics.check(TIMES, load("two-aps-handoff", "http/download"))


@pytest.mark.parametrize(
    ("written", "reported"),
    [
        ("limit: 150", '17  metrics.delay.limit: "150" has no unit; write 150 ms'),
        ("limit: 5 Mbit/s", '17  metrics.delay.limit: "5 Mbit/s" is not in the unit of the metric, ms'),
        ("limit: long", '17  metrics.delay.limit: "long" is not a limit; write a number with its unit, such as 150 s'),
        ("expected: 5", "17  metrics.delay.expected: works only with limit; write limit: and the time"),
    ],
)
def test_mistakes(written: str, reported: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError) as caught:
        samples.loaded(samples.changed(("delay: ms", f"delay: {{that: delay, unit: ms, {written}}}")))
    assert reported in str(caught.value)


def test_a_limit_is_in_the_unit_of_its_metric(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = samples.changed(("delay: ms", "delay: {that: delay, unit: ms, limit: 2 s, expected: 3}"))
    metric = samples.loaded(text).metrics[1]
    assert (metric.limit, metric.expected) == (2000.0, 3)


def results(kind: Literal["line", "bar", "box", "cdf", "heat-map"] = "line", *judged: Claim) -> Results:
    """The trials above."""
    figure = FigureSpec(kind, "", "distance", "time", "transport")
    if kind == "cdf":
        figure = FigureSpec(kind, "", "time", "", "transport")
    if kind == "heat-map":
        figure = FigureSpec(kind, "", "distance", "transport", value="time")
    axes = {"distance": list(TRIALS[TCP]), "transport": [TCP, UDP]}
    whole = replace(experiment(axes, {"time": "s"}, [figure]), metrics=(TIMES,), claims=judged)
    outcomes = [
        TrialOutcome(
            point.number,
            seed,
            "",
            f"lab run --seed {seed}",
            {"time": 150.0 if value is None else value},
            None,
            None,
            150.0,
            1.0,
            cached=False,
            unfinished=frozenset({"time"} if value is None else ()),
        )
        for point in whole.points
        for seed, value in enumerate(TRIALS[point.labels["transport"]][point.labels["distance"]], 1)
    ]
    rows = tuple(rows_of(whole, outcomes))
    verdicts = tuple(claims.judge(claim, whole, rows) for claim in judged)
    return Results(whole, rows, verdicts, tuple(outcomes), {}, {}, "lab reproduce e", 1.0)


def row(of: str, distance: str) -> Row:
    return next(one for one in results().rows if one.point.labels == {"distance": distance, "transport": of})


def test_a_summary_has_bounds() -> None:
    found = row(TCP, "8 m").metrics["time"]
    assert (found.n, found.unfinished, found.missing) == (3, 1, 0)
    assert found.mean == pytest.approx(163 / 3) and found.ci95 is None and found.deviation is None
    assert (found.median, found.median_is_bound) == (7.0, False)
    assert row(TCP, "10 m").metrics["time"].median_is_bound
    assert not row(UDP, "10 m").metrics["time"].bounds
    assert summarise([1.0, 1.0], "s", share=0.1, bounds=[1]).precise is False
    assert summarise([1.0, 1.0], "s", share=0.1, bounds=[1], normal=True).precise is False


MEDIANS: Any = {"of": "medians"}


@pytest.mark.parametrize(
    ("that", "options", "passed", "value"),
    [
        # it holds however late they finish
        ("all(time[udp] < time[tcp])", {}, True, "holds at all 3 points; time[udp] from 1.667 s (distance 2 m) to 4 s"),
        ("time[tcp, 10 m] > 100 s", {}, True, "time[tcp, 10 m] > 102.7 s (2 of 3 trials did not finish)"),
        ("time[tcp, 10 m] / time[udp, 10 m] > 20", {}, True, "time[tcp, 10 m] / time[udp, 10 m] > 25.67"),
        ("geomean(time) > 8 s", {}, True, "geomean(time) > 8.742 s (3 of 18 trials"),
        ("time[tcp, 8 m] == 7 s", MEDIANS, True, "time[tcp, 8 m] = 7 s (medians) (1 of 3 trials did not finish)"),
        ("time[tcp, 10 m] >= 150 s", MEDIANS, True, "time[tcp, 10 m] > 150 s (medians) (2 of 3"),
        ("rising(time[tcp])", MEDIANS, True, "4 s at distance 2 m, > 150 s at distance 10 m"),
        ("trend(time[tcp]) == 1", MEDIANS, True, "trend(time[tcp]) = 1"),
        # whatever they are
        ("time[tcp, 10 m] < 100 s", {}, False, "time[tcp, 10 m] > 102.7 s"),
        ("time[tcp, 10 m] < 100 s", MEDIANS, False, "time[tcp, 10 m] > 150 s"),
        # that depends
        (
            "time[tcp, 8 m] < 100 s",
            {},
            False,
            "undecided, since trials did not finish (of a mean, only that it is above is known; write of: medians): "
            "time[tcp, 8 m] > 54.33 s",
        ),
        ("time[tcp, 10 m] < 200 s", MEDIANS, False, "undecided, since trials did not finish: time[tcp, 10 m] > 150"),
        ("time[udp, 10 m] / time[tcp, 10 m] > 0.01", MEDIANS, False, "undecided, since trials did not finish: "),
        ("time[tcp, 8 m] < time[tcp, 10 m]", {}, False, "undecided, since trials did not finish ("),
    ],
)
def test_a_claim_holds_if_it_does_however_late_they_finish(that: str, options: Any, passed: bool, value: str) -> None:
    found = results("line", Claim("c", that, None, "e.yaml:9", **options))
    (verdict,) = found.verdicts
    assert verdict.value.startswith(value) and verdict.passed is passed


def test_a_ratio_to_what_did_not_finish_is_at_most_that() -> None:
    (verdict,) = results("line", Claim("c", "time[udp, 10 m] / time[tcp, 10 m] < 1", of="medians")).verdicts
    assert verdict.passed and "time[udp, 10 m] / time[tcp, 10 m] < 0.02667" in verdict.value


def test_too_many_series_cannot_be_judged() -> None:
    whole = experiment({"n": [str(number) for number in range(9)]}, {"time": "s"})
    late = summarise([1.0, 150.0], "s", bounds=[1])
    rows = [Row(point, {"time": late}) for point in whole.points]
    that = " and ".join(f"time[n={number}] > 1 s" for number in range(9))
    verdict = claims.judge(Claim("c", that), whole, rows)
    assert not verdict.passed and "9 series with trials that did not finish; write several claims" in verdict.value


def printed(found: Results) -> str:
    console = Console(width=160, file=io.StringIO(), force_terminal=False)
    console.print(tables.tables(found))
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_the_table_has_medians_maxima_and_counts() -> None:
    lines = [line.split() for line in printed(results()).splitlines()]
    assert [
        "distance",
        "transport",
        "mean",
        "±",
        "95",
        "%",
        "CI",
        "deviation",
        "n",
        "median",
        "largest",
        "unfinished",
    ] in lines
    assert ["8", "m", "tcp", ">", "54.33", NONE, "3", "7", ">", "150", "1"] in lines
    assert ["10", "m", "tcp", ">", "102.7", NONE, "3", ">", "150", ">", "150", "2"] in lines
    (plain,) = tables.means(replace(results(), rows=results().rows[:2]))
    assert "unfinished" not in [column.key for column in plain.columns]


def marks(found: Results, kind: type) -> list[Any]:
    (chart,) = figures.charts(found)
    return [mark for panel in chart.panels for mark in panel.axes.marks if isinstance(mark, kind)]


def test_an_arrow_shows_that_the_mean_is_above() -> None:
    trace = marks(results("line"), Trace)[0]
    assert [dot.beyond for dot in trace.dots] == [False, True, True]
    assert [dot.low is None for dot in trace.dots] == [False, True, True]
    assert trace.dots[1].tip == "8 m, tcp: > 54.33 s (n = 3, of which 1 did not finish)"
    assert [bar.dot.beyond for bar in marks(results("bar"), Bar)] == [False, True, True, False, False, False]
    (chart,) = figures.charts(results("line"))
    assert chart.warnings == [
        "Trials that did not finish, so that the mean is above, ↑: 2 of 6 points: 8 m, tcp (1 of 3, > 150 s); "
        "10 m, tcp (2 of 3, > 150 s)."
    ]


def test_an_arrow_points_up_and_stays_in_the_axes() -> None:
    frame = AxesFrame(0, 0, 100, 100, Scale("x", low=0, high=10), Scale("y", low=0, high=10))
    shaft, head = (shape.points for shape in error_bar(Dot(5, 5, beyond=True), frame, 0) if isinstance(shape, Drawn))
    assert shaft == ((50, 50), (50, 34)) and head == ((46.5, 37.5), (50, 34), (53.5, 37.5))
    shaft, _ = (shape.points for shape in error_bar(Dot(5, 9.5, beyond=True), frame, 0) if isinstance(shape, Drawn))
    assert shaft == ((50, 5), (50, 0))
    assert not list(error_bar(Dot(5, 5), frame, 0))


def test_other_figures_say_what_they_do_with_them() -> None:
    def remark(kind: Any) -> str:
        (chart,) = figures.charts(results(kind))
        return "".join(chart.warnings)

    assert [box.quartiles[2] for box in marks(results("box"), Box) if box.quartiles][1] == 78.5
    assert remark("box").startswith("Trials that did not finish, drawn at their limit: 2 of 6 points")
    assert [cell.text for cell in marks(results("heat-map"), HeatCell)].count("> 54.3") == 1
    assert ", so that the mean is above, >: 2 of 6" in remark("heat-map")
    tcp, udp = marks(results("cdf"), Trace)
    assert (tcp.dots[-1], udp.dots[-1]) == (Dot(8.0, 6 / 9), Dot(5.0, 1.0))
    assert remark("cdf").startswith("Trials that did not finish, not drawn: 2 of 6 points")


def test_the_files_say_which(tmp_path: Path) -> None:
    files.write(results("line", Claim("c", "time[tcp, 8 m] > 1 s")), tmp_path, formats=[])
    found = files.read(tmp_path)
    assert [one["time"]["unfinished"] for one in found["rows"]] == [0, 0, 1, 0, 2, 0]
    late = [one for one in found["trials"] if one["unfinished"]]
    assert len(late) == 3 and late[0]["values"] == {"time": 150.0} and late[0]["unfinished"] == ["time"]
    assert found["metrics"] == [
        {"name": "time", "that": "max(transfer-time)", "unit": "s", "limit": 150.0, "expected": 5}
    ]
    trials = list(csv.DictReader(io.StringIO((tmp_path / "trials.csv").read_text())))
    assert [one["time, s"] for one in trials if one["transport"] == TCP][3:6] == ["6.0", "7.0", "> 150.0"]
    lines = list(csv.DictReader(io.StringIO((tmp_path / "results.csv").read_text())))
    assert [one["unfinished"] for one in lines] == ["0", "0", "1", "0", "2", "0"]
    assert "&gt; 54.33" in (tmp_path / "report.html").read_text()


def test_bounds_are_not_compared_with_means() -> None:
    document = json.loads(files.to_json(results()))
    document["files"] = {"topology": {"t": {}}, "workload": {"w": {}}}
    found = compare(document, document).differences
    assert [one.difference is None for one in found] == [False, False, True, False, True, False]
    (table,) = compared.tables(found)
    assert [one["a"] for one in table.rows][2:4] == ["> 54.33", 3.0]
