# SPDX-License-Identifier: MIT
"""Odd numbers: whatever a figure is given, it is drawn, and what is drawn can be read."""

from __future__ import annotations

import math
import re
import sys

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from lab.drawing import WIDTH, lay_out, svg
from lab.drawing.figure import Axes, Chart, Figure, Panel, Scale
from lab.drawing.marks import Area, Band, Bar, Box, Dash, Dot, HeatCell, Line, Mark, Rule, Span, Trace
from lab.drawing.shapes import Dots, Drawing, Path, Text

TINY, MOST = 5e-324, sys.float_info.max
NAN, INF = math.nan, math.inf
ODD = st.sampled_from([0.0, -0.0, TINY, -TINY, 1e-300, 1.0, -1.0, 1 + 2e-16, 1e16, MOST, -MOST, INF, -INF, NAN])
ANY = ODD | st.floats()
RANGES = st.tuples(ANY, ANY)
SCALES = st.builds(Scale, st.just("v"), st.sampled_from([(), ("a", "b")]), ANY, ANY, st.booleans())
DOTS = st.builds(Dot, ANY, st.none() | ANY, st.none() | ANY, st.none() | ANY)
STYLES = st.integers(0, 20)
PAIRS = st.lists(st.tuples(ANY, ANY), max_size=5)


def line(points: list[tuple[float, float]], style: int, look: str) -> Line:
    known = {"step": False, "area": False, "solid": False, "dots": False} | ({look: True} if look else {})
    return Line("l", [x for x, _ in points], [y for _, y in points], style, **known)


LINES = st.builds(line, PAIRS, STYLES, st.sampled_from(["", "step", "area", "solid", "dots"]))
MARKS: st.SearchStrategy[Mark] = st.one_of(
    LINES,
    st.builds(Trace, st.lists(DOTS, max_size=4).map(tuple), STYLES, st.booleans(), st.booleans(), st.booleans()),
    st.builds(Bar, ANY, ANY, DOTS, STYLES, st.booleans()),
    st.builds(Box, ANY, ANY, STYLES, st.none() | st.tuples(ANY, ANY, ANY), RANGES, st.tuples(ANY)),
    st.builds(Dash, ANY, ANY, ANY, STYLES),
    PAIRS.map(lambda pairs: Area(tuple(x for x, _ in pairs), tuple(y for _, y in pairs), (1.0,) * len(pairs), 1)),
    st.builds(Band, ANY, ANY, st.sampled_from(["", "rain"])),
    st.builds(Rule, ANY, st.sampled_from(["", "roam"])),
    st.builds(Span, st.just(0), ANY, ANY, STYLES, st.just("scan"), st.booleans()),
    st.builds(HeatCell, st.just(0), st.just(0), st.none() | ANY, st.just("3")),
)


def places(scene: Drawing) -> list[tuple[float, float]]:
    found = [place for shape in scene.shapes if isinstance(shape, Path | Dots) for place in shape.points]
    return [*found, *((shape.x, shape.y) for shape in scene.shapes if isinstance(shape, Text))]


def numbers_below(scene: Drawing) -> list[str]:
    """Those of the x axis."""
    texts = [shape for shape in scene.shapes if isinstance(shape, Text)]
    return [text.text for text in texts if (text.face, text.anchor) == ("tick", "middle")]


def check(chart: Chart) -> Drawing:
    """Draw it: everything is somewhere on the paper."""
    scene = lay_out(chart)
    for x, y in places(scene):
        assert -WIDTH <= x <= 2 * WIDTH and -1000 <= y <= scene.height + 1000
    assert not re.search(r"\bnan\b|\binf\b|#-", svg(scene))
    return scene


@settings(max_examples=300)
@given(SCALES, SCALES, st.lists(MARKS, max_size=5).map(tuple), st.booleans())
@example(Scale("v", high=TINY), Scale("v", high=TINY), (Bar(0.0, 0.0, Dot(NAN, 0.0, 0.0, TINY), 0),), False)
def test_any_axes_with_any_marks(x: Scale, y: Scale, marks: tuple[Mark, ...], stacked: bool) -> None:
    check(Chart("c", "t", "a", [Axes(x, y, marks), Axes(x, y, ())], stacked=stacked))


@settings(max_examples=200)
@given(RANGES, st.lists(LINES, max_size=3), st.booleans(), st.none() | ANY)
@example((0.0, TINY), [Line("l", [TINY], [TINY])], True, None)
@example((-MOST, MOST), [Line("l", [-MOST, MOST], [-MOST, MOST])], True, None)
@example((-MOST, MOST), [Line("l", [-MOST, MOST], [-MOST, MOST])], False, None)
@example((NAN, NAN), [Line("l", [NAN, NAN], [NAN, NAN])], False, NAN)
def test_any_panel(x_range: tuple[float, float], lines: list[Line], from_zero: bool, most: float | None) -> None:
    panel = Panel("x", "y", x_range, "", lines, from_zero=from_zero, y_most=most)
    low, high = panel.y_range
    assert most is not None or (math.isfinite(low) and low < high)
    check(Figure("f", "t", "a", [panel], [("l", 0)]))


@pytest.mark.parametrize("stacked", [False, True])
def test_a_figure_without_panels_has_its_words(stacked: bool) -> None:
    scene = check(Figure("f", "Nothing was measured", "a", [], stacked=stacked))
    assert [shape.text for shape in scene.shapes if isinstance(shape, Text)] == ["Nothing was measured", "a"]


def test_values_below_zero_are_inside_their_axis() -> None:
    low, high = Panel("x", lines=[Line("l", [0, 1], [-5.0, -90.0])]).y_range
    assert low < -90 and high == 0.0
    low, high = Panel("x", lines=[Line("l", [0, 1], [-5.0, 20.0])]).y_range
    assert low < -5 and high > 20


def test_a_missing_value_leaves_a_gap_and_the_range_to_the_others() -> None:
    lines = [Line("l", [0.0, 1.0, 2.0, 3.0, 4.0], [1.0, 2.0, NAN, INF, 3.0])]
    panel = Panel("x", x_range=(0.0, 4.0), lines=lines)
    assert panel.y_range == (0.0, 3.0 * 1.08)
    shapes = check(Figure("f", "t", "a", [panel])).shapes
    (drawn,) = [shape for shape in shapes if isinstance(shape, Path) and shape.stroke == 0]
    assert len(drawn.points) == 2
    (alone,) = [shape for shape in shapes if isinstance(shape, Dots)]
    assert len(alone.points) == 1


def test_a_line_of_one_point_is_seen() -> None:
    for mark in (Line("l", [1.0], [1.0]), Trace((Dot(1.0, 1.0),), 0, marked=False)):
        chart = Chart("c", "t", "a", [Axes(Scale("x", high=2.0), Scale("y", high=2.0), (mark,))])
        assert sum(isinstance(shape, Dots) for shape in check(chart).shapes) == 1


@pytest.mark.parametrize(
    ("low", "high", "log"),
    [
        (100.0, 100.05, False),
        (1e6, 1e6 + 0.5, False),
        (1e300, 1.0000001e300, False),
        (-MOST, MOST, False),
        (0.0, 1e-290, False),
        (2.51, 2.62, True),
        (0.97, 1.05, True),
        (TINY, MOST, True),
        (1e300, MOST, True),
        (-3.0, 100.0, True),
        (7.0, 3.0, False),
    ],
)
def test_numbers_of_an_axis_differ_from_each_other(low: float, high: float, log: bool) -> None:
    scene = check(Chart("c", "t", "a", [Axes(Scale("x", low=low, high=high, log=log), Scale("y"), ())]))
    found = numbers_below(scene)
    assert len(found) >= 2 and len(set(found)) == len(found)
