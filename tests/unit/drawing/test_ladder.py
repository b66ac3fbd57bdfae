# SPDX-License-Identifier: MIT
"""Ladder diagrams: rows become arrows to scale, and no label covers another or leaves its arrow."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lab.drawing import WIDTH
from lab.drawing.ladder import Arrow, Ladder, lay_out_ladders
from lab.drawing.shapes import XY, Drawing, Path, Text
from tests.unit.drawing.test_layout import extent, texts

LINES = ("ap1", "sta1", "sta2")
DATA = Arrow("ap1", "sta1", 100.0, 348.0, "DATA 12", "More Data")
ACK = Arrow("sta1", "ap1", 364.0, 392.0, "ACK + 1 TCP ACK", "4 B", colour=2)


def drawn(*arrows: Arrow, lines: tuple[str, ...] = LINES[:2], length_us: float = 1000.0) -> Drawing:
    return lay_out_ladders("ladder", [Ladder("stock", lines, arrows, length_us)])


def outline(scene: Drawing, tip: str) -> tuple[XY, ...]:
    """The corners of the arrow with these words."""
    (found,) = [shape.points for shape in scene.shapes if isinstance(shape, Path) and shape.tip == tip]
    return found


def rails(scene: Drawing, left: float = 0.0, right: float = WIDTH) -> list[float]:
    """Where the vertical lines of a scene are."""
    return [
        shape.points[0][0]
        for shape in scene.shapes
        if isinstance(shape, Path) and shape.stroke == "soft" and left <= shape.points[0][0] <= right
    ]


def words(scene: Drawing) -> list[str]:
    return [text.text for text in texts(scene)]


def span(places: tuple[XY, ...]) -> tuple[float, float]:
    ys = [y for _, y in places]
    return min(ys), max(ys)


def test_an_arrow_goes_from_line_to_line_and_its_height_is_its_duration() -> None:
    scene = drawn(DATA, ACK)
    ap, sta = rails(scene)
    data, ack = outline(scene, "DATA 12 (More Data)"), outline(scene, "ACK + 1 TCP ACK (4 B)")
    assert data[0][0] == ap and max(data)[0] == sta, "the head is at the receiver"
    assert ack[0][0] == sta and min(ack)[0] == ap
    (begin, end), (ack_begin, ack_end) = span(data), span(ack)
    scale = (end - begin) / 248
    assert (ack_end - ack_begin) / 28 == pytest.approx(scale)
    assert (ack_begin - end) / 16 == pytest.approx(scale)
    assert {"DATA 12", "More Data", "ACK + 1 TCP ACK (4 B)", "ap1", "sta1", "stock"} <= set(words(scene))


def test_times_are_where_arrows_of_that_time_begin() -> None:
    scene = drawn(replace(DATA, begin_us=500.0, end_us=700.0))
    (tick,) = [text for text in texts(scene) if text.text == "500"]
    assert span(outline(scene, DATA.words))[0] == pytest.approx(tick.y - 4)


def test_ladders_side_by_side_have_one_scale() -> None:
    ladders = [
        Ladder("one", LINES[:2], (DATA,), 1000.0),
        Ladder("other", LINES[:2], (replace(ACK, end_us=420),), 500.0),
    ]
    scene = lay_out_ladders("both", ladders)
    data, ack = span(outline(scene, DATA.words)), span(outline(scene, ACK.words))
    assert (data[1] - data[0]) / 248 == pytest.approx((ack[1] - ack[0]) / 56)
    left, right = (text for text in texts(scene) if text.text in ("one", "other"))
    assert max(rails(scene, right=right.x)) < right.x and left.x < right.x


@pytest.mark.parametrize("cut", [(-100.0, 148.0), (900.0, 1148.0)])
def test_a_frame_that_does_not_fit_is_cut_open_and_has_no_head(cut: tuple[float, float]) -> None:
    whole, part = drawn(DATA), drawn(replace(DATA, begin_us=cut[0], end_us=cut[1]))
    places = outline(part, DATA.words)
    assert len(outline(whole, DATA.words)) == 5 and len(places) == 4
    begin, end = span(places)
    assert (end - begin) / (span(outline(whole, DATA.words))[1] - span(outline(whole, DATA.words))[0]) < 0.6
    edge = begin if cut[0] < 0 else end
    across = {
        shape.points[0][1]
        for shape in part.shapes
        if isinstance(shape, Path) and shape.stroke == DATA.colour and shape.points[0][1] == shape.points[1][1]
    }
    assert across == {begin, end} - {edge}, "the edge that cuts it is open"
    assert end <= part.height and begin >= span(((0.0, rails_top(part)), (0.0, part.height)))[0]


def rails_top(scene: Drawing) -> float:
    return min(shape.points[0][1] for shape in scene.shapes if isinstance(shape, Path) and shape.stroke == "soft")


def test_frames_that_collide_end_before_they_meet_at_a_cross() -> None:
    one = replace(DATA, note="collision", collided=True)
    other = Arrow("sta1", "ap1", 100.0, 136.0, "TCP ACK", collided=True)
    scene = drawn(one, other)
    ends = max(outline(scene, one.words))[0], min(outline(scene, other.words))[0]
    assert ends[0] < ends[1]
    crosses = [shape for shape in scene.shapes if isinstance(shape, Path) and shape.stroke == "ink"]
    assert len(crosses) == 4
    assert {"DATA 12", "collision", "TCP ACK"} <= set(words(scene))


@pytest.mark.parametrize(("source", "count"), [("ap1", 1), ("sta1", 2), ("sta2", 1)])
def test_a_frame_to_everybody_reaches_the_outer_lines(source: str, count: int) -> None:
    scene = drawn(Arrow(source, None, 0.0, 100.0, "Beacon"), lines=LINES)
    found = [shape.points for shape in scene.shapes if isinstance(shape, Path) and shape.tip]
    outer = {min(rails(scene)), max(rails(scene))}
    assert len(found) == count
    assert outer <= {x for places in found for x, _ in places}
    assert words(scene).count("Beacon") == 1


def test_a_frame_that_nobody_else_hears_is_drawn_next_to_its_line() -> None:
    scene = drawn(Arrow("ap1", None, 0.0, 100.0, "Beacon"), lines=("ap1",))
    assert max(outline(scene, "Beacon"))[0] > rails(scene)[0]


def test_a_label_without_room_is_a_tip_only() -> None:
    thin = drawn(DATA, ACK, length_us=20_000.0)
    assert ACK.words not in words(thin) and outline(thin, ACK.words)
    wordy = replace(DATA, label="DATA " + "12, " * 40, note="")
    assert wordy.label not in words(drawn(wordy))
    noted = replace(ACK, note="a note that is much too long for one line of an arrow, " * 3)
    assert ACK.label in words(drawn(noted)), "the note goes first"


def test_no_frames_leave_the_lines() -> None:
    scene = drawn()
    assert len(rails(scene)) == 2 and scene.height > 100


FRAMES = st.lists(
    st.builds(
        lambda source, target, begin, length, label, note, collided: Arrow(
            source, None if target == source else target, begin, begin + length, label, note, collided=collided
        ),
        st.sampled_from(LINES),
        st.sampled_from(LINES),
        st.floats(-50.0, 990.0),
        st.floats(10.0, 400.0),
        st.sampled_from(["ACK", "DATA 4095", "TCP ACK (native)", "W" * 60]),
        st.sampled_from(["", "collision, retry, More Data", "4 B"]),
        st.booleans(),
    ),
    max_size=12,
)


@given(st.lists(FRAMES, min_size=1, max_size=3))
def test_no_label_covers_another_or_leaves_the_drawing(rows: list[list[Arrow]]) -> None:
    ladders = [Ladder("a run", LINES, tuple(arrows), 1000.0) for arrows in rows]
    scene = lay_out_ladders("any", ladders)
    found: list[Text] = texts(scene)
    extents = [extent(text) for text in found]
    for index, (left, top, right, bottom) in enumerate(extents):
        assert left >= 0 and top >= 0 and right <= scene.width and bottom <= scene.height
        for other in extents[:index]:
            apart = right <= other[0] or other[2] <= left or bottom <= other[1] or other[3] <= top
            assert apart, found[index]
