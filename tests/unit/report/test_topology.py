# SPDX-License-Identifier: MIT
"""The drawing of a topology: where nodes are, who is linked to whom, who hears whom."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from lab import library, report
from lab.drawing.shapes import XY, Dots, Drawing, Text
from lab.drawing.shapes import Path as Line
from lab.plan.load import load
from lab.record import Record
from lab.report import topology, trajectories
from lab.report.maps import dotted
from lab.shared.types import Plan

from ..drawing.test_layout import extent, overlap, texts
from .test_pages import Page

SHIPPED = sorted(library.known("topology"))
HIDDEN = """\
name: here
nodes:
  h1: {kind: host}
  ap1: {kind: ap, ssid: campus, channel: 36, mode: a}
  sta1: {kind: sta}
  sta2: {kind: sta}
links:
  - {between: [h1, ap1], delay: 5 ms}
medium:
  snr:
    - {between: [ap1, sta1], is: 30 dB}
    - {between: [ap1, sta2], is: 20 dB}
    - {between: [sta1, sta2], is: -30 dB}
"""


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("w.yaml").write_text("name: there\nduration: 10 s\n")


def plan(text: str) -> Plan:
    Path("t.yaml").write_text(text)
    return load("t.yaml", "w.yaml")


def node(scene: Drawing, name: str) -> XY:
    """Where the name of a node in a box is."""
    (found,) = [text for text in texts(scene) if text.text == name and text.face == "panel"]
    return found.x, found.y


def marks(scene: Drawing) -> dict[str, tuple[XY, object]]:
    """Place and colour of the node that each tip is about."""
    found: dict[str, tuple[XY, object]] = {}
    for shape in scene.shapes:
        if not isinstance(shape, Text) and ";" in shape.tip:
            xs, ys = zip(*shape.points, strict=True)
            found[shape.tip.partition(";")[0]] = ((sum(xs) / len(xs), sum(ys) / len(ys)), shape.stroke)
    return found


def test_only_radios_that_hear_each_other_are_joined() -> None:
    drawn = plan(HIDDEN)
    assert topology.heard(drawn)[0] == [("ap1", "sta1", "30 dB"), ("ap1", "sta2", "20 dB")]
    words = [text.text for text in texts(topology.draw(drawn))]
    assert {"30 dB", "20 dB", "delay 5 ms", "hear each other, at this SNR at the start"} <= set(words)
    both = plan(HIDDEN.replace("-30 dB", "3 dB"))
    assert ("sta1", "sta2", "3 dB") in topology.heard(both)[0], "a receiver detects a preamble from 3 dB on"
    assert len(topology.heard(plan(HIDDEN.replace("-30 dB", "2 dB")))[0]) == 2


def test_preambles_of_dsss_are_heard_from_a_lower_snr() -> None:
    older = HIDDEN.replace("channel: 36, mode: a", "channel: 1, mode: b")
    assert ("sta1", "sta2", "-4 dB") in topology.heard(plan(older.replace("-30 dB", "-4 dB")))[0]
    assert len(topology.heard(plan(older.replace("-30 dB", "-5 dB")))[0]) == 2
    assert ("ap1", "slow", "0 dB") in topology.heard(load("performance-anomaly", "idle"))[0]


def test_radios_on_different_channels_do_not_hear_each_other() -> None:
    two = """\
name: here
nodes:
  ap1: {kind: ap, ssid: east, channel: 36, mode: a}
  ap2: {kind: ap, ssid: west, channel: 40, mode: a}
  sta1: {kind: sta, ssid: east}
medium: {snr: [{between: [ap1, ap2], is: 40 dB}, {between: [ap1, sta1], is: 40 dB}, {between: [ap2, sta1], is: 40 dB}]}
"""
    assert topology.heard(plan(two))[0] == [("ap1", "sta1", "40 dB")]


def test_of_many_radios_each_has_a_line_to_the_best_of_its_network() -> None:
    drawn = load("downloads-n", "idle")
    pairs, meaning = topology.heard(drawn)
    assert [b for _, b, _ in pairs] == [f"sta{number}" for number in range(1, 11)] and {a for a, *_ in pairs} == {"ap1"}
    assert meaning.startswith("best radio of its network")


def test_without_positions_linked_nodes_are_in_neighbouring_rows() -> None:
    scene = topology.draw(plan(HIDDEN))
    rows = [node(scene, name)[1] for name in ("h1", "ap1", "sta1", "sta2")]
    assert rows[0] < rows[1] < rows[2] == rows[3]
    wired = topology.draw(load("wired-pair", "idle"))
    assert node(wired, "h1")[1] == node(wired, "h2")[1] < node(wired, "s1")[1]
    assert any(isinstance(shape, Line) and len(shape.points) == 2 for shape in wired.shapes)


def test_the_maps_agree_in_scale_orientation_and_colours() -> None:
    drawn = load("random-walkers", "idle")
    ways = trajectories.draw(drawn)
    assert ways is not None
    here, there = marks(topology.draw(drawn)), marks(ways)
    aps = ("ap1", "ap2", "ap3")
    assert {name: here[name][1] for name in aps} == {name: there[name][1] for name in aps}
    apart = {(here[name][0][0] - there[name][0][0], round(here[name][0][1] - there[name][0][1], 6)) for name in aps}
    assert len(apart) == 1, "one is the other, moved down"
    lines = {shape.tip.partition(":")[0]: shape.stroke for shape in ways.shapes
             if isinstance(shape, Line) and ": " in shape.tip}  # fmt: skip
    assert {name: here[name][1] for name in lines} == lines


@pytest.mark.parametrize("name", ["saturated-cell", "twenty-nodes"])
def test_no_two_nodes_look_alike(name: str) -> None:
    scene = topology.draw(load(name, "idle"))
    holes = {shape.points for shape in scene.shapes if isinstance(shape, Dots) and shape.fill == "paper"}
    looks = [(type(shape), shape.stroke, shape.dash if isinstance(shape, Line) else (shape.points in holes))
             for shape in scene.shapes if not isinstance(shape, Text) and isinstance(shape.stroke, int)]  # fmt: skip
    assert len(looks) == len(set(looks)) == len(load(name, "idle").nodes)


MANY = """\
name: many
nodes:
  ap1: {kind: ap, ssid: cafe, position: [0 m, 0 m, 3 m]}
  sta: {kind: sta, count: 99, position: ["{(index * 7) % 40 - 20} m", "{(index * 13) % 30 - 15} m", 1 m]}
medium: {}
"""


def test_of_many_labels_those_are_drawn_that_fit() -> None:
    scene = topology.draw(plan(MANY))
    words = [text for text in texts(scene) if text.face == "mark"]
    assert not any(overlap(extent(one), extent(other)) for at, one in enumerate(words) for other in words[:at])
    levels = [text.text for text in words if text.text.endswith(" dB")]
    tips = [shape.tip for shape in scene.shapes if not isinstance(shape, Text) and shape.tip.startswith("ap1, sta")]
    assert 20 < len(levels) < len(tips) == 99 and tips[0] == "ap1, sta1: 40 dB"


@pytest.mark.parametrize("name", SHIPPED)
def test_no_label_covers_a_node_or_a_line(name: str) -> None:
    scene = topology.draw(load(name, "idle"))
    labels = [extent(text) for text in texts(scene) if text.face == "mark" and not in_a_box(text, scene)]
    for shape in scene.shapes:
        if isinstance(shape, Line) and not shape.closed and shape.tip not in ("", "wall"):
            covered = [point for point in dotted(shape.points) for label in labels if within(point, label)]
            assert covered == [], shape.tip
        elif isinstance(shape, Dots) and shape.tip:
            assert not any(within(shape.points[0], label) for label in labels), shape.tip


@pytest.mark.parametrize("name", ["performance-anomaly", "saturated-cell", "edca-priority"])
def test_each_line_has_its_label(name: str) -> None:
    drawn = load(name, "idle")
    wanted = sorted(label for _, _, label in topology.heard(drawn)[0])
    assert sorted(text.text for text in texts(topology.draw(drawn)) if text.text.endswith(" dB")) == wanted


SEVERAL = """\
name: several
nodes:
  ap1: {kind: ap, ssid: office, channel: 1, bss: [{ssid: guests}], wlans: [{ssid: home, mode: a, channel: 36}]}
  ap2: {kind: ap, ssid: one, bss: [{ssid: two}, {ssid: three-of-them}, {ssid: four-of-them}, {ssid: five-of-them},
        {ssid: six-of-them}, {ssid: seven-of-them}]}
  sta1: {kind: sta, ssid: office, wlans: [{ssid: home}]}
  mon1: {kind: monitor, channel: 1, wlans: [{channel: 36}]}
"""


@pytest.mark.parametrize("placed", [False, True])
def test_all_networks_and_channels_of_a_node_are_shown(placed: bool) -> None:
    number = iter(range(4))
    at = re.sub("kind: [a-z]+", lambda kind: f"{kind[0]}, position: [{20 * next(number)} m, 0 m, 1 m]", SEVERAL)
    scene = topology.draw(plan(at if placed else SEVERAL))
    words = [text.text for text in texts(scene)]
    assert {"ap1", "ch. 1: office, guests" if placed else "ch. 1: office,", "ch. 36: home"} <= set(words)
    assert {"joins office", "joins home"} <= set(words)
    assert "channels 1, 36" in words
    assert any(word.startswith("ch. 1: one,") and word.endswith("…") for word in words), "so many do not fit"
    labels = [extent(text) for text in texts(scene)]
    assert not any(overlap(one, other) for index, one in enumerate(labels) for other in labels[:index])


def in_a_box(text: Text, scene: Drawing) -> bool:
    boxes = [shape.points for shape in scene.shapes if isinstance(shape, Line) and shape.closed and ";" in shape.tip]
    return any(within((text.x, text.y), (*places[0], *places[2])) for places in boxes)


def within(point: XY, area: tuple[float, float, float, float]) -> bool:
    left, top, right, bottom = area
    return left < point[0] < right and top < point[1] < bottom


@pytest.mark.parametrize("name", SHIPPED)
def test_no_word_covers_another_or_leaves_the_picture(name: str) -> None:
    scene = topology.draw(load(name, "idle"))
    words = [extent(text) for text in texts(scene)]
    assert not any(overlap(one, other) for at, one in enumerate(words) for other in words[:at])
    assert all(left >= 0 and top >= 0 and right <= scene.width and bottom <= scene.height
               for left, top, right, bottom in words)  # fmt: skip


def test_a_line_that_would_cross_a_node_is_a_curve() -> None:
    row = """\
name: here
nodes:
  sta1: {kind: sta, adhoc: {ssid: x, channel: 1}, position: [0 m, 0 m, 1 m]}
  sta2: {kind: sta, adhoc: {ssid: x, channel: 1}, position: [10 m, 0 m, 1 m]}
  sta3: {kind: sta, adhoc: {ssid: x, channel: 1}, position: [20 m, 0 m, 1 m]}
medium: {}
"""
    scene = topology.draw(plan(row))
    dashed = [shape for shape in scene.shapes if isinstance(shape, Line) and shape.dash and shape.points[0][1] > 30]
    assert [len(line.points) > 2 for line in dashed] == [False, True, False]


def test_the_page_says_who_hears_whom(record: Record) -> None:
    page = Page(report.write(record, record.directory).read_text())
    assert ("Who hears whom" in page.text) == (record.plan.medium is not None)
