# SPDX-License-Identifier: MIT
"""Figures of more series than there are colours: none is missing."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest

from lab import report
from lab.drawing import Figure, Line, Panel, lay_out, svg
from lab.drawing.legend import keys
from lab.drawing.shapes import Text
from lab.record import Record
from lab.report import plots
from lab.show.words import colours
from lab.views.parts.lines import rules
from lab.views.parts.many import LINES_AT_MOST, over_time, shown

from ..drawing.test_layout import extent, overlap, texts
from .conftest import RECORDED, Recorder

TIMES = [1.0, 2.0, 3.0, 4.0]


def lines(count: int) -> list[Line]:
    """Lines at 0, 10, 20 and so on."""
    return [Line(f"sta{number}", TIMES, [10.0 * number] * 4, number) for number in range(count)]


def test_a_few_lines_have_a_colour_each() -> None:
    found = shown(lines(LINES_AT_MOST), "goodput-over-time")
    assert len({line.colour for line in found.lines}) == LINES_AT_MOST
    assert [line.label for line in found.lines] == [label for label, _ in found.legend] == [f"sta{n}" for n in range(6)]
    assert found.note == ""


@pytest.mark.parametrize("count", [LINES_AT_MOST + 1, 50])
def test_more_lines_are_all_drawn_with_their_median(count: int) -> None:
    found = shown(lines(count), "goodput-over-time")
    *each, median = found.lines
    assert sorted(line.label for line in each) == sorted(line.label for line in lines(count))
    assert sum(line.colour is None for line in each) == count - 2, "all but the highest and the lowest are grey"
    assert median.label == f"median of {count}"
    assert median.x == TIMES and median.y == pytest.approx([5.0 * (count - 1)] * 4)
    assert [label for label, _ in found.legend] == [
        f"median of {count}", f"highest mean: sta{count - 1}", "lowest mean: sta0", "each of the others",
    ]  # fmt: skip
    assert "csv/goodput-over-time.csv" in found.note
    chart = Figure("f", "t", "a", [Panel("x, s", "y", (0.0, 5.0), lines=found.lines)], found.legend)
    assert [key.style for key in keys(chart)] == [0, 1, 2, None]
    text = svg(lay_out(chart))
    assert set(re.findall(r"<title>(sta\d+)</title>", text)) == {line.label for line in each if line.colour is None}


def test_the_median_is_of_those_that_have_a_value_then() -> None:
    late = [replace(line, x=[3.0, 4.0], y=[100.0, 100.0]) for line in lines(4)]
    (*_, median) = shown([*lines(3), *late], "x").lines
    assert median.y == [10.0, 10.0, 100.0, 100.0]


def test_lines_without_values_are_no_obstacle() -> None:
    empty = [Line(f"sta{number}", [], [], number) for number in range(9)]
    assert [line.label for line in shown(empty, "x").lines] == ["median of 0"]


def test_a_report_with_many_series_shows_all(record: Record) -> None:
    goodput = record.metrics["goodput"]
    (series,) = goodput.series
    several = [{**series, "name": f"load@sta{number}"} for number in range(9)]
    record.metrics["goodput"] = replace(goodput, series=[*several, {**series, "name": "x", "t_ns": [], "values": []}])
    (figure,) = [figure for figure in plots.figures(record) if figure.name == "goodput"]
    assert [panel.title for panel in figure.panels] == [line.label for panel in figure.panels for line in panel.lines]
    assert [panel.title for panel in figure.panels] == [one["name"] for one in several]
    assert figure.about.endswith("; 1 more without data") and not figure.legend


def test_panels_have_one_scale_and_do_not_cover_each_other(record: Record) -> None:
    figure = over_time(record, "f", "t", "a", lines(10), y_label="goodput, Mbit/s")
    assert len(figure.panels) == 10 and {len(panel.lines) for panel in figure.panels} == {1}
    scene = lay_out(figure)
    frames = sorted(
        {(shape.y, shape.x) for shape in scene.shapes if isinstance(shape, Text) and shape.text.startswith("sta")}
    )
    assert len({y for y, _ in frames}) == 4 and len({x for _, x in frames}) == 3, "four rows, three columns"
    assert [text.text for text in texts(scene)].count("virtual time, s") == 1, "below the lowest row"
    ticks = [text.text for text in texts(scene) if text.face == "tick"]
    assert ticks.count("80") == 10, "one scale for all"
    boxes = [extent(text) for text in texts(scene)]
    assert not any(overlap(one, other) for at, one in enumerate(boxes) for other in boxes[:at])
    assert len(over_time(record, "f", "t", "a", lines(25), y_label="y, s").panels) == 1, "so many are summarised"


def test_a_line_has_the_colour_of_its_node(record: Record) -> None:
    known = colours(record.plan)
    assert [name for name in known][:3] == ["sta1", "ap1", "ap2"], "stations are first, then access points"

    def drawn(*labels: str) -> list[int | None]:
        some = [Line(label, TIMES, [1.0] * 4, 5) for label in labels]
        (panel,) = over_time(record, "f", "t", "a", some, y_label="y, s").panels
        return [line.colour for line in panel.lines]

    assert drawn("fetch") == [known["sta1"]], "the process runs there"
    assert drawn("sta1 hears ap2", "sta1 hears ap1") == [known["ap2"], known["ap1"]], "the nodes are one, so the peers'"
    assert drawn("ap1 sends to sta1", "sta1 sends to ap1") == [known["sta1"], known["ap1"]], "in the order of nodes"
    assert drawn("sta1 a", "sta1 b") == [0, 1]
    ips = {node.name: node.ip.partition("/")[0] for node in record.plan.nodes if node.ip}
    sockets = [f"{ips['h1']}:80-{ips[name]}:50000" for name in ("h1", "sta1")]
    assert drawn(*sockets) == [known["h1"], known["sta1"]], "the far ends"
    many = [Line(label, TIMES, [1.0] * 4) for label in [*sockets, *(f"sta1 {number}" for number in range(6))]]
    many = [replace(line, label=f"fetch {line.label}") for line in many]  # each first names the node of the process
    panels = over_time(record, "f", "t", "a", many, y_label="y, s").panels
    assert [line.colour for panel in panels[:2] for line in panel.lines] == [known["h1"], known["sta1"]]


def test_samples_that_are_drawn_are_also_in_a_file(record: Record) -> None:
    report.write(record, record.directory)
    for name, unit in (("cwnd", "segments"), ("rtt", "ms"), ("signal", "dBm")):
        head, *rows = (record.directory / "csv" / f"{name}-over-time.csv").read_text().splitlines()
        assert head == '"time, s"' or head.startswith("series,")
        assert rows and all(row.endswith(f",{unit}") for row in rows)


def test_events_of_one_kind_at_one_time_have_one_label(recorded: Recorder) -> None:
    moves = [
        {"t_ns": at * 10**9, "kind": "move", "target": f"sta{number}", "params": {"position_m": [0, 0, 0]}}
        for at, count in ((1, 20), (2, 2))
        for number in range(1, count + 1)
    ]
    stop = {"t_ns": 10**9, "kind": "stop", "target": "fetch", "params": {}}
    events = [{**event, "ok": True, "output": ""} for event in [*moves, stop]]
    record = recorded({"events": events}, metrics=[], checks=[])
    assert sorted((rule.x, rule.label) for rule in rules(record)) == [
        (1.0, "move sta1, sta2, sta3 and 17 more"), (1.0, "stop fetch"), (2.0, "move sta1, sta2"),
    ]  # fmt: skip
    for figure in plots.figures(record):
        boxes = [extent(text) for text in texts(lay_out(figure)) if text.face == "mark"]
        assert not any(overlap(one, other) for at, one in enumerate(boxes) for other in boxes[:at])


def test_a_panel_of_a_station_has_the_handoffs_of_no_other(recorded: Recorder) -> None:
    nodes = json.loads((RECORDED / "handoff" / "plan.json").read_text())["nodes"]
    (station,) = [node for node in nodes if node["name"] == "sta1"]
    several = recorded(nodes=[*nodes, {**station, "name": "sta2"}])
    mine = rules(several)
    assert mine and rules(several, ["sta1", "ap1"]) == mine == rules(several, ["h1"])
    assert rules(several, ["sta2", "ap1"]) == []
    some = [Line(f"sta{1 + number % 2} hears {number}", TIMES, [1.0] * 4, 5) for number in range(LINES_AT_MOST + 1)]
    figure = over_time(several, "f", "t", "a", some, y_label="y, s")
    assert [len(panel.rules) for panel in figure.panels] == [
        len(mine) * panel.title.startswith("sta1") for panel in figure.panels
    ]
