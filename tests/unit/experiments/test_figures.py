# SPDX-License-Identifier: MIT
"""Figures of experiments: what is drawn, what is reported about missing values, and that any label can be drawn."""

from __future__ import annotations

import math
import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lab.drawing import WIDTH, lay_out, save, svg
from lab.drawing.figure import Chart, Scale
from lab.drawing.legend import keys
from lab.drawing.marks import Area, Bar, Box, Dash, Dot, HeatCell, Trace
from lab.drawing.palette import PALETTE
from lab.drawing.series import marker, stroke
from lab.drawing.shapes import Path as Drawn
from lab.drawing.shapes import Text
from lab.experiments.output import figures
from lab.experiments.types import FigureSpec, Published, Results, Summary, TrialMetric

from . import made

GOODPUT = TrialMetric("goodput", "sum(goodput)", "Mbit/s")


def drawn(results: Results) -> list[Chart]:
    """The charts; that each can be drawn is seen on the way."""
    found = figures.charts(results)
    for chart in found:
        root = ET.fromstring(svg(lay_out(chart), standalone=True))
        for text in root.iter("{http://www.w3.org/2000/svg}text"):
            assert 0 <= float(text.attrib["x"]) <= WIDTH
    return found


def one(kind: str, **changes: Any) -> Chart:
    (chart,) = drawn(made.table1(kind, **changes))
    return chart


def marks(chart: Chart, kind: type) -> list[Any]:
    return [mark for panel in chart.panels for mark in panel.axes.marks if isinstance(mark, kind)]


def heat_map(results: Results) -> Results:
    figure = FigureSpec("heat-map", "Heat", "distance", "transport", value="transfer_time")
    return replace(results, experiment=replace(results.experiment, figures=(figure,)))


def test_ours_and_the_papers_bars_stand_side_by_side_in_one_colour() -> None:
    chart = one("bar")
    ours = [bar for bar in marks(chart, Bar) if not bar.published]
    theirs = [bar for bar in marks(chart, Bar) if bar.published]
    assert len(ours) == 15 and len(theirs) == 10  # the paper has two of the three
    tcp = [bar for bar in theirs if bar.style == 0]
    assert [bar.dot.y for bar in tcp] == made.PAPER["tcp"]
    for bar in theirs:  # right of its own
        assert any(own.style == bar.style and 0 < bar.left - own.right < 0.1 for own in ours)
    assert chart.panels[0].axes.y.low == 0 and chart.panels[0].axes.y.label == "transfer time, s"
    assert chart.panels[0].axes.x == Scale("distance, m", names=("2", "4", "6", "8", "10"))


def test_the_legend_says_whose_marks_are_whose() -> None:
    chart = one("line")
    assert [(key.label, key.published) for key in keys(chart)] == [
        ("tcp", False),
        ("swp-approximate", False),
        ("swp-precise", False),
        ("this experiment", False),
        ("published (table 1 of 000_7063b03116d96143.txt)", True),
    ]


@pytest.mark.parametrize("kind", ["line", "bar", "box", "heat-map"])
def test_numbers_that_were_computed_are_not_called_published(kind: Any) -> None:
    results = heat_map(made.table1()) if kind == "heat-map" else made.table1(kind)
    entries = tuple(replace(entry, computed_by="model.py") for entry in results.experiment.published)
    (chart,) = drawn(replace(results, experiment=replace(results.experiment, published=entries)))
    said = repr([chart, keys(chart)])
    assert "computed (model.py)" in said and re.search(r"published\b(?!=)", said) is None
    assert kind == "heat-map" or "computed: 1.163 s" in said


def test_without_a_paper_the_legend_has_the_series_alone() -> None:
    chart = one("line", published=lambda labels: None)
    assert [key.label for key in keys(chart)] == ["tcp", "swp-approximate", "swp-precise"]
    single = drawn(
        made.results([made.DISTANCE], [FigureSpec("line", "", "distance", "goodput")], float_of, metric=GOODPUT)
    )
    assert keys(single[0]) == [] and single[0].title == "Goodput over distance"


def float_of(labels: dict[str, str]) -> float:
    return 10.0 + float(labels["distance"].split()[0])


@pytest.mark.parametrize(
    ("errors", "words", "half"),
    [
        ("ci95", "95 % confidence interval", lambda found: found.ci95),
        ("deviation", "one standard deviation", lambda found: found.deviation),
        ("range", "smallest to the largest", None),
        (None, "no error bars", None),
    ],
)
def test_error_bars_say_what_they_are(errors: Any, words: str, half: Any) -> None:
    figure = FigureSpec("line", "", "distance", "transfer_time", "transport", errors=errors)
    results = made.table1(figures=[figure])
    chart = drawn(results)[0]
    assert words in chart.about
    dot: Dot = next(trace for trace in marks(chart, Trace) if not trace.published).dots[0]
    found: Summary = results.rows[0].metrics["transfer_time"]
    if errors is None:
        assert dot.low is None
    elif half is None:
        assert (dot.low, dot.high) == (min(found.values), max(found.values))
    else:
        assert dot.high is not None and dot.y is not None and dot.high - dot.y == pytest.approx(half(found))


def test_single_trials_have_no_error_bars_and_the_figure_says_so() -> None:
    chart = one("bar", repetitions=1)
    assert "1 trial per point; no error bars" in chart.about


@pytest.mark.parametrize("kind", ["line", "bar", "box", "heat-map"])
def test_missing_points_are_reported_and_left_open(kind: str) -> None:
    results = heat_map(made.broken()) if kind == "heat-map" else made.broken(kind)
    (chart,) = drawn(results)
    text = " ".join(chart.warnings)
    assert "1 of 15 points: 6 m, tcp (10 trials without a value)" in text
    assert "Some trials have no value: 1 of 15 points: 10 m, swp-precise (8 of 10)" in text
    gaps: dict[str, list[Any]] = {
        "line": [dot for trace in marks(chart, Trace) for dot in trace.dots if dot.y is None],
        "bar": [bar for bar in marks(chart, Bar) if bar.dot.y is None],
        "box": [box for box in marks(chart, Box) if box.quartiles is None],
        "heat-map": [cell for cell in marks(chart, HeatCell) if cell.share is None],
    }
    assert len(gaps[kind]) == 1
    picture_text = svg(lay_out(chart))
    assert "1 of 15 points" in re.sub(r"</text><text[^>]*>", " ", picture_text)


def test_a_line_is_broken_where_a_point_is_missing() -> None:
    whole, broken = one("line"), drawn(made.broken("line"))[0]

    def pieces(chart: Chart) -> int:
        lines = (shape for shape in lay_out(chart).shapes if isinstance(shape, Drawn))
        solid = [line.points for line in lines if line.stroke == 0 and not line.dash and len(line.points) == 2]
        return sum(abs(places[0][0] - places[1][0]) > 100 for places in solid)

    trace = next(trace for trace in marks(broken, Trace) if not trace.published and trace.style == 0)
    assert [dot.y is None for dot in trace.dots] == [False, False, True, False, False]
    assert pieces(whole) == 0 and pieces(broken) == 2  # 2 m to 4 m, 8 m to 10 m


def test_points_that_were_never_run_are_missing_too() -> None:
    results = made.table1("line")
    chart = drawn(replace(results, rows=results.rows[1:]))[0]
    assert "1 of 15 points: 2 m, tcp (not run)" in chart.warnings[0]


def test_many_missing_points_are_counted_not_listed() -> None:
    (chart,) = drawn(made.table1("bar", fails=lambda labels, seed: labels["transport"] != "tcp"))
    assert "10 of 15 points" in chart.warnings[0] and chart.warnings[0].endswith("; and 5 more.")


def test_nothing_at_all_can_be_drawn() -> None:
    for kind in ("line", "bar", "box", "cdf", "time-series"):
        drawn(made.table1(kind, fails=lambda labels, seed: True, published=lambda labels: None))
    drawn(heat_map(made.table1(fails=lambda labels, seed: True)))


def test_boxes_have_quartiles_and_what_lies_outside() -> None:
    results = made.table1("box", spread=0, repetitions=7)
    row = replace(results.rows[0], metrics={"transfer_time": made.summary([1, 2, 3, 4, 5, 6, 50])})
    chart = drawn(replace(results, rows=(row, *results.rows[1:])))[0]
    box = marks(chart, Box)[0]
    assert box.quartiles == (2.5, 4, 5.5) and box.whiskers == (1, 6) and box.outside == (50,)
    assert [dash.y for dash in marks(chart, Dash) if dash.style == 0] == made.PAPER["tcp"]
    assert "whiskers" in chart.about


def test_a_distribution_ends_at_one() -> None:
    chart = one("cdf")
    trace = marks(chart, Trace)[0]
    assert (trace.dots[0].y, trace.dots[-1].y) == (0, 1) and len(trace.dots) == 51
    assert [dot.x for dot in trace.dots] == sorted(dot.x for dot in trace.dots)
    assert "50 trials per line, of all points with its label" in chart.about
    assert chart.panels[0].axes.x.label == "transfer time, s" and chart.panels[0].axes.y.label == "share of trials"


def test_a_distribution_of_samples_over_time() -> None:
    figure = FigureSpec("cdf", "", "goodput", "share", "transport")
    chart = drawn(made.table1(figures=[figure], series=True, repetitions=2))[0]
    assert chart.panels[0].axes.x.label == "goodput, Mbit/s" and "samples" in chart.about and not chart.warnings
    assert len(marks(chart, Trace)) == 3


def test_time_series_are_means_in_a_band() -> None:
    figure = FigureSpec("time-series", "Goodput", "time", "goodput", "transport")
    chart = drawn(made.table1(figures=[figure], series=True))[0]
    trace, area = marks(chart, Trace)[0], marks(chart, Area)[0]
    assert len(marks(chart, Area)) == 3 and len(trace.dots) == 100
    assert all(low < dot.y < high for low, dot, high in zip(area.low, trace.dots, area.high, strict=True))
    assert chart.panels[0].axes.x.label == "virtual time, s" and chart.panels[0].axes.y.label == "goodput, Mbit/s"
    without = drawn(made.table1(figures=[figure]))[0]
    assert "no trial has the series goodput for tcp; swp-approximate; swp-precise" in without.warnings[0]


def test_a_time_series_of_one_trial_is_as_it_was_recorded() -> None:
    figure = FigureSpec("time-series", "", "time", "goodput")
    results = made.results([], [figure], lambda labels: 4.0, repetitions=1, series=True)
    chart = drawn(results)[0]
    series = results.outcomes[0].series["goodput"]
    assert [(dot.x, dot.y) for dot in marks(chart, Trace)[0].dots] == list(zip(series.t_s, series.values, strict=True))
    assert not marks(chart, Area)


def test_a_heat_map_has_a_cell_for_each_point_and_a_panel_for_each_further_label() -> None:
    (chart,) = drawn(heat_map(made.table1()))
    cells = marks(chart, HeatCell)
    assert len(cells) == 15 and {0.0, 1.0} <= {cell.share for cell in cells}
    assert chart.ramp is not None and chart.ramp.label == "transfer time, s"
    assert cells[0].published == "(1.16)" and "In brackets: published" in chart.about
    load = made.axis("load", "low", "high")
    figure = FigureSpec("heat-map", "", "distance", "transport", value="transfer_time")
    (chart,) = drawn(made.results([made.DISTANCE, made.TRANSPORT, load], [figure], float_of))
    assert [panel.title for panel in chart.panels] == ["low", "high"]


def test_logarithmic_axes() -> None:
    loss = made.axis("loss", "0.001 %", "0.01 %", "1 %", unit="%")
    figure = FigureSpec("line", "", "loss", "goodput", log=("x", "y"))
    (chart,) = drawn(
        made.results([loss], [figure], lambda labels: 1 / float(labels["loss"].split()[0]), metric=GOODPUT)
    )
    axes = chart.panels[0].axes
    assert axes.x.log and axes.y.log and axes.x.label == "loss, %" and 0 < axes.y.low < 1 < 1000 < axes.y.high
    texts = [shape.text for shape in lay_out(chart).shapes if isinstance(shape, Text)]
    assert {"0.001", "0.01", "0.1", "1"} <= set(texts)


def test_what_has_no_logarithm_is_reported() -> None:
    figure = FigureSpec("line", "", "distance", "goodput", log=("y",))
    results = made.results(
        [made.DISTANCE], [figure], lambda labels: 0.0 if labels["distance"] == "4 m" else 5.0, metric=GOODPUT
    )
    (chart,) = drawn(results)
    assert "Not positive, so not shown on a logarithmic axis: 4 m" in chart.warnings[0]


def test_other_axes_make_series_of_their_own_unless_they_go_along() -> None:
    load = made.axis("load", "low", "high")
    figure = FigureSpec("line", "", "distance", "transfer_time", "transport")
    free = drawn(made.results([made.DISTANCE, made.TRANSPORT, load], [figure], float_of))[0]
    assert [key.label for key in keys(free)][:3] == ["tcp, low", "tcp, high", "swp-approximate, low"]
    power = made.axis("power", "1 dBm", "2 dBm", "3 dBm", "4 dBm", "5 dBm", unit="dBm")
    results = made.results([made.DISTANCE, power], [FigureSpec("line", "", "distance", "transfer_time")], float_of)
    points = tuple(point for point in results.experiment.points if point.number % 6 == 0)  # zip: the diagonal
    zipped = replace(results, experiment=replace(results.experiment, points=points), rows=results.rows[::6])
    (chart,) = drawn(zipped)
    assert len(marks(chart, Trace)) == 1 and len(marks(chart, Trace)[0].dots) == 5


def test_where_keeps_only_those_points() -> None:
    figure = FigureSpec("line", "", "distance", "transfer_time", where={"transport": "tcp"})
    (chart,) = drawn(made.table1(figures=[figure]))
    ours, theirs = sorted(marks(chart, Trace), key=lambda trace: trace.published)
    assert len(ours.dots) == 5 and [dot.y for dot in theirs.dots] == made.PAPER["tcp"]
    assert keys(chart)[0].label == "this experiment"


def test_a_paper_that_has_one_line_for_all_gets_a_style_of_its_own() -> None:
    results = made.table1("line", published=lambda labels: None)
    entries = tuple(Published("transfer_time", {"distance": level.label}, 1.0) for level in made.DISTANCE.levels)
    (chart,) = drawn(replace(results, experiment=replace(results.experiment, published=entries)))
    assert [trace.style for trace in marks(chart, Trace) if trace.published] == [3]
    assert keys(chart)[-1].style == 3 and keys(chart)[-1].published


def test_markers_have_one_size() -> None:
    for style in range(42):
        for x, y in getattr(marker(0, 0, style, hollow=False, colour=0), "points", ()):
            assert max(abs(x), abs(y)) < 6


def test_the_fourteenth_line_and_bar_are_distinguished() -> None:
    shapes = {repr(marker(0, 0, style, False, style % len(PALETTE))) for style in range(42)}
    assert len(shapes) == 42
    strokes = [repr(list(stroke(((0, 0), (9, 9)), style, False))) for style in range(12)]
    assert len(set(strokes)) == 12  # by colour, single and double
    variants = made.axis("queue", *(f"variant-{number}" for number in range(14)))
    load = made.axis("load", "low", "high")
    figure = FigureSpec("bar", "", "load", "goodput", "queue")
    (chart,) = drawn(made.results([variants, load], [figure], lambda labels: 3.0, metric=GOODPUT))
    assert len({bar.style for bar in marks(chart, Bar)}) == 14 == len(chart.legend)


def test_equal_results_give_equal_pictures(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (chart,) = figures.charts(made.broken("line"))
        save(lay_out(chart), tmp_path / name, ["png"])
    assert (tmp_path / "one.png").read_bytes() == (tmp_path / "two.png").read_bytes()
    assert (tmp_path / "one.png").read_bytes().startswith(b"\x89PNG")


LABELS = st.text(min_size=1, max_size=60)


@settings(deadline=None, max_examples=40)
@given(
    st.lists(LABELS, min_size=1, max_size=5, unique=True),
    st.lists(LABELS, min_size=1, max_size=5, unique=True),
    st.sampled_from(["line", "bar", "box", "cdf", "heat-map"]),
    LABELS,
)
def test_any_label_can_be_drawn(xs: list[str], bys: list[str], kind: Any, title: str) -> None:
    axes = [made.axis("x axis", *xs), made.axis("<by> & 'more'", *bys)]
    figure = FigureSpec(kind, title, "x axis", "m", axes[1].name)
    if kind == "heat-map":
        figure = FigureSpec(kind, title, "x axis", axes[1].name, value="m")
    results = made.results(axes, [figure], lambda labels: 1.0, metric=TrialMetric("m", "m", "<&>"), repetitions=2)
    drawn(results)


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.floats(allow_subnormal=False), min_size=1, max_size=6),
    st.sampled_from(["line", "bar", "box", "cdf", "heat-map"]),
    st.sampled_from([(), ("y",), ("x", "y")]),
)
def test_any_number_can_be_drawn(values: list[float], kind: Any, log: tuple[str, ...]) -> None:
    levels = made.axis("n", *(str(index) for index in range(len(values))))
    figure = FigureSpec(kind, "", "m" if kind == "cdf" else "n", "m", log=log)
    if kind == "heat-map":
        figure = FigureSpec(kind, "", "n", "n", value="m")
    results = made.results([levels], [figure], lambda labels: 1.0, metric=TrialMetric("m", "m", "1"))
    rows = tuple(
        replace(row, metrics={"m": Summary((value,) * 2, value, abs(value) / 2, abs(value) / 4, 2, 0, "1")})
        for row, value in zip(results.rows, values, strict=True)
    )
    (chart,) = drawn(replace(results, rows=rows))
    text = svg(lay_out(chart))
    assert not re.search(r'[MLxy" ]-?(nan|inf)', text)
    for panel in chart.panels:
        assert panel.axes.y.names or (math.isfinite(panel.axes.y.low) and panel.axes.y.low < panel.axes.y.high)
