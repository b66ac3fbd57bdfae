# SPDX-License-Identifier: MIT
"""Series that figures take from a record."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lab.experiments.analysis import sources
from lab.experiments.types import FigureSpec
from lab.record import Record, build

from . import made


@pytest.fixture
def record(tmp_path: Path) -> Record:
    """That of tests/fixtures/recorded/handoff."""
    fixtures = Path(__file__).parents[2] / "fixtures" / "recorded"
    return build(Path(shutil.copytree(fixtures / "handoff", tmp_path / "run")), hashes={}, versions={})


def item(name: str, unit: str, *samples: tuple[int, float]) -> dict[str, Any]:
    return {"name": name, "unit": unit, "t_ns": [t for t, _ in samples], "values": [value for _, value in samples]}


def data(metrics: dict[str, Any], **sources: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "metrics": {name: {"series": found} for name, found in metrics.items()},
        "sources": {name.replace("_at_", "@"): {"series": found} for name, found in sources.items()},
    }


def test_what_figures_want() -> None:
    figures = [
        FigureSpec("time-series", "", "goodput", "goodput"),
        FigureSpec("cdf", "", "transfer_time", "transfer_time"),  # a metric of the experiment: of trials
        FigureSpec("cdf", "", "ping.rtt", "ping.rtt"),
        FigureSpec("line", "", "distance", "transfer_time"),
        FigureSpec("time-series", "", "goodput", "goodput", "transport"),
    ]
    assert sources.wanted(made.table1(figures=figures).experiment) == ("goodput", "ping.rtt")


def test_a_series_of_a_metric_and_of_a_probe() -> None:
    metrics = {"goodput": [item("fetch", "Mbit/s", (10**9, 4.0), (2 * 10**9, 6.0))]}
    run = data(metrics, ping=[item("rtt", "ms", (0, 3.0))])
    found = sources.series(["goodput", "ping.rtt", "gone", "ping.gone"], run)
    assert list(found) == ["goodput", "ping.rtt"]
    assert (found["goodput"].t_s, found["goodput"].values, found["goodput"].unit) == ([1.0, 2.0], [4.0, 6.0], "Mbit/s")


def test_several_are_their_mean_at_each_moment() -> None:
    one, two = item("signal/a", "dBm", (0, -40.0), (2, -50.0)), item("signal/b", "dBm", (1, -60.0), (2, -70.0))
    other = item("signal/c", "bit/s", (0, 1.0))
    found = sources.series(["dump.signal"], data({}, dump_at_sta1=[one, other], dump_at_sta2=[two]))["dump.signal"]
    assert found.values == [-40.0, -50.0, -60.0]


def test_of_a_real_record(record: Record) -> None:
    found = sources.series(["goodput", "ping.rtt", "station-dump.signal"], record.data)
    assert {name: one.unit for name, one in found.items()} == {
        "goodput": "Mbit/s",
        "ping.rtt": "ms",
        "station-dump.signal": "dBm",
    }
    assert len(found["goodput"].t_s) == 9 and 0 < found["goodput"].t_s[0] < found["goodput"].t_s[-1] < 60


def test_it_can_be_drawn(record: Record) -> None:
    from lab.experiments.output import figures

    results = made.table1(figures=[FigureSpec("time-series", "", "ping.rtt", "ping.rtt")], repetitions=1)
    series = sources.series(sources.wanted(results.experiment), record.data)
    outcomes = tuple(replace(outcome, series=series) for outcome in results.outcomes)
    (chart,) = figures.charts(replace(results, outcomes=outcomes))
    assert not chart.warnings and chart.panels[0].axes.y.label == "ping.rtt, ms"
