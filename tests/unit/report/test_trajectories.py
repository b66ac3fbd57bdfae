# SPDX-License-Identifier: MIT
"""The map of where nodes went."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab import report
from lab.drawing import svg
from lab.drawing.shapes import Dots, Text
from lab.drawing.shapes import Path as Line
from lab.plan.load import load
from lab.record import Record
from lab.report.maps import Track, tracks
from lab.report.trajectories import draw
from lab.shared.types import Plan

TOPOLOGY = """\
name: here
nodes:
  ap1: {kind: ap, ssid: campus, position: [0 m, 0 m, 3 m]}
  sta1: {kind: sta}
  sta2: {kind: sta, position: [5 m, 5 m, 1 m]}
medium:
  walls: [{from: [2 m, 0 m], to: [2 m, 4 m], loss: 6 dB}]
mobility:
  - {model: Waypoints, nodes: sta1, path: [{at: 0 s, position: [1 m, 1 m, 1 m]}, {at: 4 s, position: [1 m, 9 m, 1 m]}]}
timeline:
  - {at: 1 s, move: sta2, to: [9 m, 5 m, 1 m], speed: 1 m/s}
  - {at: 3 s, move: sta2, to: [7 m, 7 m, 1 m], speed: 1 m/s}
  - {at: 9 s, move: sta2, to: [0 m, 5 m, 1 m]}
"""


@pytest.fixture
def plan(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Plan:
    monkeypatch.chdir(tmp_path)
    Path("t.yaml").write_text(TOPOLOGY)
    Path("w.yaml").write_text("name: there\nduration: 10 s\n")
    return load("t.yaml", "w.yaml")


def test_ways_are_those_of_models_and_of_moves(plan: Plan) -> None:
    """A move that is replaced ends where the node is then; a jump begins another part."""
    one, two = tracks(plan)
    assert one == Track("sta1", (((1.0, 1.0), (1.0, 9.0)),)) and one.length_m == 8
    assert two == Track("sta2", (((5.0, 5.0), (7.0, 5.0), (7.0, 7.0)), ((0.0, 5.0),)))
    assert two.length_m == 4


def test_the_map_shows_everything_to_scale(plan: Plan) -> None:
    scene = draw(plan)
    assert scene is not None
    names = {shape.text: shape for shape in scene.shapes if isinstance(shape, Text)}
    assert {"sta1", "sta2", "ap1", "x, m", "y, m", "start", "end", "access point", "wall"} <= set(names)
    dots = {shape.tip: shape.points[0] for shape in scene.shapes if isinstance(shape, Dots) and shape.tip}
    (x1, y1), (x2, y2) = dots["sta1 at the start"], dots["sta1 at the end"]
    (a1, b1), (a2, b2) = dots["sta2 at the start"], dots["sta2 at the end"]
    assert x1 == x2 and y1 > y2, "y grows upwards"
    assert (y1 - y2) / 8 == pytest.approx((a1 - a2) / 5), "both axes have one scale"
    assert b1 == b2
    assert [shape.tip for shape in scene.shapes if isinstance(shape, Line) and shape.tip in ("wall", "a jump")] == [
        "wall",
        "a jump",
    ]
    for shape in scene.shapes:
        places = shape.points if not isinstance(shape, Text) else ((shape.x, shape.y),)
        assert all(0 <= x <= scene.width and 0 <= y <= scene.height for x, y in places)
    assert svg(scene) == svg(draw(plan))  # type: ignore[arg-type]


def test_labels_do_not_cover_each_other(plan: Plan) -> None:
    """Nodes that end at one place have their names around it."""
    crowd = TOPOLOGY.replace("sta1: {kind: sta}", "sta1: {kind: sta}\n  sta3: {kind: sta}\n  sta4: {kind: sta}")
    Path("t.yaml").write_text(crowd.replace("nodes: sta1", "nodes: [sta1, sta3, sta4]"))
    scene = draw(load("t.yaml", "w.yaml"))
    assert scene is not None
    places = [(shape.x, shape.y) for shape in scene.shapes if isinstance(shape, Text) and shape.text.startswith("sta")]
    labels = [place for place in places if place[1] > 20]
    assert len(set(labels)) == len(labels) >= 4


def test_nobody_moves_so_there_is_no_map(record: Record) -> None:
    assert draw(record.plan) is None
    page = report.write(record, record.directory).read_text()
    assert "Where nodes went" not in page and not (record.directory / "plots" / "map.svg").exists()
