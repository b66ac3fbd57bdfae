# SPDX-License-Identifier: MIT
"""A chart of each kind that is drawn: of runs, of experiments, and the topology of a run."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

from lab.drawing import lay_out
from lab.drawing.figure import Chart, Figure, Panel
from lab.drawing.marks import Band, Line, Rule, Span
from lab.drawing.shapes import Drawing
from lab.experiments.output import figures
from lab.experiments.types import FigureSpec as Wanted
from lab.experiments.types import TrialMetric
from lab.report import topology
from lab.shared.types import Plan

from ..experiments import made

RECORDED = Path(__file__).parents[2] / "fixtures" / "recorded"
TIMES = [float(second) for second in range(31)]
WAVES = [[50 + 40 * math.sin(second / 3 + number) for second in TIMES] for number in range(3)]


def _panel(lines: list[Line], title: str = "") -> Panel:
    return Panel("virtual time, s", "goodput, Mbit/s", (0.0, 30.0), title, lines)


def _lines() -> Chart:
    lines = [Line(f"sta{number}", TIMES, wave, number) for number, wave in enumerate(WAVES)]
    lines[2] = replace(lines[2], x=TIMES[:12] + TIMES[20:], y=WAVES[2][:12] + WAVES[2][20:], gap=2.0)
    rules = [Rule(10.0, "ap1 → ap2"), Rule(10.5, "ap2 → ap1"), Rule(30.0, "stop of the walk")]
    panel = replace(_panel(lines), rules=rules, bands=[Band(4, 8, "rain", 3), Band(20, 22)])
    return Figure("lines", "Lines, rules and bands", "of three", [panel], [(line.label, line.colour) for line in lines])


def _steps() -> Chart:
    lines = [Line("steps", TIMES, WAVES[0], 1, step=True, area=True)]
    return Figure("steps", "Steps", "with areas, side by side", [_panel(lines, "one"), _panel(lines, "two")])


def _dots() -> Chart:
    lines = [Line("dots", TIMES, WAVES[0], 1, dots=True)]
    return Figure("dots", "Dots", "sampled", [_panel(lines)], [("dots", 1)])


def _piles() -> Chart:
    upper = [a + 20 for a in WAVES[0]]
    lines = [
        Line("backoff", TIMES, upper, 4, step=True, solid=True),
        Line("data", TIMES, WAVES[0], 0, step=True, solid=True),
    ]
    panel = replace(_panel(lines), y_most=120.0)
    return Figure("piles", "Solid areas", "one on the other", [panel], [("data", 0), ("backoff", 4)])


def _spans() -> Chart:
    spans = [Span(0, -60, 0, 3, "scan"), Span(0, 0, 6, 1, "data"), Span(1, -40, 2, 3, "scan")]
    spans.append(Span(1, 0, 2, 0, "2 ms without data", thin=True))
    panel = Panel("since then, ms", x_range=(-70.0, 40.0), rows=["10 s  sta1", "20 s  sta1"], spans=spans)
    return Figure("spans", "Spans", "in rows", [panel], [("scan", 3), ("data", 1)])


def _experiment(kind: str) -> Chart:
    (chart,) = figures.charts(made.broken(kind))
    return chart


def _heat_map() -> Chart:
    wanted = Wanted("heat-map", "Heat", "distance", "transport", value="transfer_time")
    results = made.broken()
    (chart,) = figures.charts(replace(results, experiment=replace(results.experiment, figures=(wanted,))))
    return chart


def _time_series() -> Chart:
    wanted = Wanted("time-series", "Goodput", "time", "goodput", "transport")
    (chart,) = figures.charts(made.table1(figures=[wanted], series=True))
    return chart


def _logarithmic() -> Chart:
    loss = made.axis("loss", "0.001 %", "0.01 %", "1 %", unit="%")
    wanted = Wanted("line", "Logarithmic", "loss", "goodput", log=("x", "y"))
    metric = TrialMetric("goodput", "sum(goodput)", "Mbit/s")
    (chart,) = figures.charts(
        made.results([loss], [wanted], lambda labels: 1 / float(labels["loss"].split()[0]), metric=metric)
    )
    return chart


def _many() -> Chart:
    variants = made.axis("queue", *(f"variant-{number}" for number in range(14)))
    wanted = Wanted("bar", "Fourteen", "load", "transfer_time", "queue")
    loads = made.axis("load", "a name that is wider than the room it has got", *"bcde")
    (chart,) = figures.charts(made.results([variants, loads], [wanted], lambda labels: 3.0))
    return chart


def _topology() -> Drawing:
    return topology.draw(Plan.from_json((RECORDED / "handoff" / "plan.json").read_text()))


CHARTS = {
    "lines": _lines,
    "steps": _steps,
    "dots": _dots,
    "piles": _piles,
    "spans": _spans,
    "line": lambda: _experiment("line"),
    "bar": lambda: _experiment("bar"),
    "box": lambda: _experiment("box"),
    "cdf": lambda: _experiment("cdf"),
    "heat-map": _heat_map,
    "time-series": _time_series,
    "logarithmic": _logarithmic,
    "many": _many,
}
NAMES = (*CHARTS, "topology")


def scene(name: str) -> Drawing:
    """The scene of that name."""
    return _topology() if name == "topology" else lay_out(CHARTS[name]())
