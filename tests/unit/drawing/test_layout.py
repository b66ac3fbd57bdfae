# SPDX-License-Identifier: MIT
"""Where things go: nothing is cut off, no label covers another."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lab.drawing import WIDTH, bars, lay_out, lay_out_together
from lab.drawing.figure import Axes, Chart, Figure, Panel, Scale
from lab.drawing.frame import AxesFrame
from lab.drawing.legend import keys
from lab.drawing.marks import Area, Band, Bar, Dash, Dot, Line, Mark, Rule, Span, Trace
from lab.drawing.palette import series
from lab.drawing.shapes import FACES, MARGIN, Dots, Drawing, Path, Text, box
from lab.drawing.words import text_width

from . import samples

Extent = tuple[float, float, float, float]


def texts(scene: Drawing) -> list[Text]:
    return [shape for shape in scene.shapes if isinstance(shape, Text)]


def extent(text: Text) -> Extent:
    """Left, top, right, bottom of the letters, whichever way they run."""
    wide, size = text_width(text.text, text.face), FACES[text.face].size
    begin = {"start": 0.0, "middle": -wide / 2, "end": -wide}[text.anchor]
    turn = math.radians(text.turn)
    corners = [
        (text.x + along * math.cos(turn) - up * math.sin(turn), text.y + along * math.sin(turn) + up * math.cos(turn))
        for along in (begin, begin + wide)
        for up in (-0.75 * size, 0.2 * size)
    ]
    xs, ys = zip(*corners, strict=True)
    return min(xs), min(ys), max(xs), max(ys)


def overlap(one: Extent, other: Extent) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


@pytest.mark.parametrize("name", samples.NAMES)
def test_no_text_is_cut_off_or_covered(name: str) -> None:
    scene = samples.scene(name)
    level = [text for text in texts(scene) if text.turn in (0, -90)]
    for text in texts(scene):
        left, top, right, bottom = extent(text)
        assert left >= -MARGIN and right <= scene.width + MARGIN, text
        assert top >= -MARGIN and bottom <= scene.height + MARGIN, text
    for index, text in enumerate(level):
        assert not any(overlap(extent(text), extent(other)) for other in level[:index]), text


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.tuples(st.floats(-5, 35), st.text("abc →", max_size=30)), max_size=12),
    st.lists(st.tuples(st.floats(0, 30), st.text("xyz", max_size=9)), max_size=4),
    st.integers(1, 3),
)
def test_labels_above_axes_never_touch(rules: list[tuple[float, str]], bands: list[tuple[float, str]], n: int) -> None:
    panel = Panel(
        "time, s", "y", (0.0, 30.0), "title", [Line("a", [0, 30], [1, 2])],
        [Band(begin, begin + 3, label) for begin, label in bands], [Rule(x, label) for x, label in rules],
    )  # fmt: skip
    scene = lay_out(Figure("f", "t", "a", [panel] * n))
    shown = [text for text in texts(scene) if text.face in ("mark", "panel", "tick", "axis")]
    for index, text in enumerate(shown):
        assert not any(overlap(extent(text), extent(other)) for other in shown[:index])
        assert extent(text)[2] <= WIDTH + MARGIN


def test_labels_for_which_there_is_no_room_are_left_out_but_their_rules_stay() -> None:
    rules = [Rule(10 + index / 100, f"roam number {index}") for index in range(20)]
    scene = lay_out(Figure("f", "t", "a", [Panel("x, s", "y", (0.0, 30.0), rules=rules)]))
    assert sum(text.text.startswith("roam") for text in texts(scene)) == 3
    assert "17 more: point at a line" in [text.text for text in texts(scene)]
    tips = [shape.tip for shape in scene.shapes if isinstance(shape, Path) and shape.tip]
    assert tips == [rule.label for rule in rules]


def test_what_the_legend_names_is_not_named_again() -> None:
    panel = Panel("x, s", "y", (0.0, 30.0), bands=[Band(1, 2, "scan", 3), Band(5, 6, "rain")])
    scene = lay_out(Figure("f", "t", "a", [panel], [("scan", 3)]))
    assert [text.text for text in texts(scene) if text.face == "mark"] == ["scan", "rain"]


def test_a_name_in_a_legend_is_cut_only_if_it_is_wider_than_the_figure() -> None:
    fits, too_wide = "published (table 2 of a paper with a title that is longer than most) " * 2, "long label " * 20
    panel = Panel("x, s", "y", (0.0, 30.0), lines=[Line("a", [0], [0], 0)])
    scene = lay_out(Figure("f", "t", "a", [panel], [("this experiment", 0), (fits.strip(), 1), (too_wide, 2)]))
    shown = [text for text in texts(scene) if text.face == "mark"]
    assert [text.text for text in shown[:2]] == ["this experiment", fits.strip()]
    assert shown[2].text.endswith("…") and extent(shown[2])[2] <= WIDTH
    assert len({text.y for text in shown}) == 3, "each has room in a row of its own"


def test_sentences_below_the_axes_are_whole_and_in_the_picture() -> None:
    sentence = "At 10 s, sta1 got no data for 300 ms, but was without access point for only 10 ms: it scanned. " * 3
    scene = lay_out(Figure("f", "t", "a", [Panel("x, s", "y", (0.0, 30.0))], below=[sentence]))
    lowest = max(extent(text)[3] for text in texts(scene) if text.face == "axis" and not text.turn)
    found = [text for text in texts(scene) if extent(text)[1] > lowest]
    assert " ".join(text.text for text in found) == " ".join(sentence.split()) and len(found) > 1
    assert max(extent(text)[3] for text in found) <= scene.height


def test_a_legend_looks_like_what_it_names() -> None:
    lines = [Line("a", [0], [0], 0), Line("b", [0], [0], 1, dots=True), Line("c", [0], [0], 2, area=True)]
    chart = Figure("f", "t", "a", [Panel("x", lines=lines)], [("a", 0), ("b", 1), ("c", 2), ("band", 3)])
    assert [key.look for key in keys(chart)] == ["stroke", "dots", "patch", "patch"]


def test_a_thin_bar_lies_below_the_others_of_its_row() -> None:
    frame = AxesFrame(10, 100, 200, 80, Scale("t", low=0, high=100), Scale("on", ("scan", "data")))
    whole, *_ = bars.span(Span(1, 20, 70, 3, "scan"), frame)
    thin, *_ = bars.span(Span(1, 20, 70, 3, "total", thin=True), frame)
    assert whole == Path(box(50, 147, 150, 169), None, series(3), closed=True, tip="scan")
    assert thin == Path(box(50, 171, 150, 174), None, "ink", closed=True, opacity=0.9, tip="total")


def test_panels_side_by_side_have_one_scale() -> None:
    low, high = Panel("x", "y", lines=[Line("a", [0, 1], [0, 1])]), Panel("x", "y", lines=[Line("a", [0, 1], [0, 100])])

    def heights(chart: Chart) -> list[float]:
        lines = [shape for shape in lay_out(chart).shapes if isinstance(shape, Path) and shape.stroke == 0]
        return [line.points[0][1] - line.points[1][1] for line in lines]

    beside = heights(Figure("f", "t", "a", [low, high]))
    below = heights(Figure("f", "t", "a", [low, high], stacked=True))
    assert beside[1] == pytest.approx(100 * beside[0]) and below[0] == pytest.approx(below[1])


def begins(scene: Drawing) -> set[float]:
    """Where the x axes begin."""
    lines = [shape for shape in scene.shapes if isinstance(shape, Path) and shape.stroke == "soft"]
    return {line.points[0][0] for line in lines if line.points[0][1] == line.points[1][1]}


def test_figures_of_a_page_with_the_same_x_axis_line_up() -> None:
    def panel(most: float, end: float = 30.0) -> Panel:
        return Panel("time, s", "y", (0.0, end), lines=[Line("a", [0, 1], [0, most])])

    low = Figure("low", "t", "a", [panel(1)])
    high = Figure("high", "t", "a", [panel(1e9)])
    both = Figure("both", "t", "a", [panel(1), panel(100)], stacked=True)
    other = Figure("other", "t", "a", [panel(1, end=5.0)])
    beside = Figure("beside", "t", "a", [panel(1), panel(1)])
    alone = [begins(lay_out(figure)) for figure in (low, high, both, other, beside)]
    together = [begins(scene) for scene in lay_out_together([low, high, both, other, beside])]
    assert alone[0] != alone[1]
    assert together == [alone[1], alone[1], alone[1], alone[3], alone[4]]


ANY = st.floats(-1e150, 1e150)
SCALES = st.sampled_from([Scale("v", low=-3, high=7), Scale("v", low=0.1, high=1e4, log=True)])


@settings(deadline=None, max_examples=80)
@given(st.lists(st.tuples(ANY, ANY, ANY), min_size=1, max_size=6), SCALES, SCALES)
def test_marks_stay_between_their_axes(values: list[tuple[float, float, float]], x: Scale, y: Scale) -> None:
    dots = tuple(Dot(at, value, min(value, other), max(value, other)) for at, value, other in values)
    xs, ys, lows = (list(column) for column in zip(*values, strict=True))
    marks: tuple[Mark, ...] = (
        Trace(dots, 3), Trace(dots, 0, published=True, step=True), Area(tuple(xs), tuple(lows), tuple(ys), 1),
        Line("l", xs, ys, step=True, area=True), Line("d", xs, ys, dots=True),
        *(Bar(0.2, 0.4, dot, 2) for dot in dots), *(Dash(1, 2, dot.y or 0, 4) for dot in dots), Rule(xs[0], ""),
    )  # fmt: skip
    chart = Chart("c", "t", "a", [Axes(x, y, marks)], stacked=True)
    empty = lay_out(replace(chart, panels=[Axes(x, y, ())])).shapes
    for shape in lay_out(chart).shapes:
        if isinstance(shape, Path | Dots) and shape not in empty:
            for across, down in shape.points:
                assert 0 <= across <= WIDTH and 0 <= down <= 400
