# SPDX-License-Identifier: MIT
"""Nodes that move by themselves: inside their area, within their speeds, by the seed, as their trace says."""

from __future__ import annotations

import gzip
import math
import os
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lab.cli.check import check
from lab.errors import InputError
from lab.mobility import _bonnmotion, _setdest
from lab.mobility._trace import TraceError
from lab.mobility.GaussMarkov import GaussMarkov
from lab.model.mobility import MobilityArea, cut
from lab.plan import load
from lab.plan.timeline.movement import Courses
from lab.shared.mobility_types import Way, Waypoint
from lab.shared.positions import position_at
from lab.shared.types import Plan
from tests.refused import refused

from .conftest import Plans

S = 10**9
WORKLOAD = "name: there\nduration: 60 s\n"
AREA = "max_x: 50 m, min_y: -10 m, max_y: 20 m, min_v: 1 m/s, max_v: 3 m/s"
RANDOM = {
    "RandomWayPoint": "max_pause: 4 s",
    "RandomWalk": "interval: 5 s",
    "RandomDirection": "min_pause: 1 s",
    "GaussMarkov": "alpha: 0.75",
    "ReferencePoint": "radius: 4 m, interval: 4 s",
    "TruncatedLevyWalk": "max_flight: 8 m, max_pause: 2 s",
}


def topology(*entries: str, nodes: tuple[str, ...] = ("sta1", "sta2", "sta3"), medium: str = "medium: perfect") -> str:
    listed = "".join(f"  {node if ':' in node else node + ': {kind: sta}'}\n" for node in nodes)
    text = f"name: here\nnodes:\n  ap1: {{kind: ap, ssid: campus, position: [0 m, 0 m, 3 m]}}\n{listed}{medium}\n"
    return text + "mobility:\n" + "".join(f"  - {{{entry}}}\n" for entry in entries)


def roaming(model: str, *nodes: str) -> str:
    return f"model: {model}, nodes: [{', '.join(nodes)}], {AREA}, {RANDOM[model]}"


def ways(plan: Plan) -> dict[str, list[Waypoint]]:
    return {way.node: way.waypoints for way in plan.mobility}


def refusal(plans: Plans, text: str) -> str:
    return refused(plans, text, WORKLOAD)


def speeds_m_s(way: list[Waypoint]) -> list[float]:
    return [
        math.dist(before[1:], after[1:]) * 1e6 / (after.at_ns - before.at_ns)
        for before, after in pairwise(way)
        if after.at_ns - before.at_ns > S // 100
    ]


@pytest.mark.parametrize("model", RANDOM)
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 2**63 - 1))
def test_random_ways_stay_inside_and_within_their_speeds(plans: Plans, model: str, seed: int) -> None:
    plan = plans(topology(roaming(model, "sta1", "sta2")), WORKLOAD, seed)
    assert Plan.from_json(plan.to_json()) == plan
    most_m_s = 3 + (2 * 4 / 4 if model == "ReferencePoint" else 0)
    for node, way in ways(plan).items():
        assert way[0].at_ns == 0 and way[-1].at_ns == 60 * S, node
        assert all(before.at_ns < after.at_ns for before, after in pairwise(way))
        assert all(0 <= at.x_mm <= 50_000 and -10_000 <= at.y_mm <= 20_000 and at.z_mm == 1000 for at in way)
        found = speeds_m_s(way)
        assert found and max(found) <= most_m_s + 0.05
        if model not in ("ReferencePoint", "GaussMarkov"):  # reflected, a step of the latter is shorter
            assert all(speed == 0 or speed >= 1 - 0.05 for speed in found)
        assert list(way[0].position_m()) == plan.node(node).position_m


@pytest.mark.parametrize("model", RANDOM)
def test_a_node_more_changes_no_others_way(plans: Plans, model: str) -> None:
    before = ways(plans(topology(roaming(model, "sta2"), roaming("RandomWalk", "sta3")), WORKLOAD))
    after = ways(plans(topology(roaming(model, "sta1", "sta2"), roaming("RandomWalk", "sta3")), WORKLOAD))
    assert {name: after[name] for name in before} == before
    assert after["sta1"] != after["sta2"]
    other = ways(plans(topology(roaming(model, "sta2"), roaming("RandomWalk", "sta3")), WORKLOAD, 2))
    assert all(other[name] != before[name] for name in before)


def test_a_group_stays_together(plans: Plans) -> None:
    found = ways(plans(topology(roaming("ReferencePoint", "sta1", "sta2", "sta3")), WORKLOAD))
    for at_ns in range(0, 60 * S, S):
        places = [position_at(way, at_ns) for way in found.values()]
        assert max(math.dist(a, b) for a in places for b in places) <= 8.01


def test_random_way_point_stays_before_each_leg(plans: Plans) -> None:
    entry = f"model: RandomWayPoint, nodes: sta1, {AREA}, min_pause: 2 s, start: 5 s, stop: 30 s"
    (way,) = ways(plans(topology(entry), WORKLOAD)).values()
    assert (way[0].at_ns, way[1].at_ns, way[-1].at_ns) == (5 * S, 7 * S, 30 * S)
    assert way[0][1:] == way[1][1:]
    assert position_at(way, 0) == way[0].position_m() and position_at(way, 60 * S) == way[-1].position_m()


def test_a_random_walk_bounces(plans: Plans) -> None:
    """Over one interval it goes as far as its speed says, however often it meets the edge."""
    entry = "model: RandomWalk, nodes: sta1, max_x: 2 m, max_y: 1 m, min_v: 1 m/s, max_v: 1 m/s, interval: 60 s"
    (way,) = ways(plans(topology(entry), WORKLOAD)).values()
    assert len(way) > 20
    assert sum(math.dist(a[1:], b[1:]) for a, b in pairwise(way)) == pytest.approx(60_000, rel=0.01)
    assert all(at.x_mm in (0, 2000) or at.y_mm in (0, 1000) for at in way[1:-1])


def test_gauss_markov_without_memory_and_without_noise() -> None:
    """By hand: with alpha 1, neither speed nor direction changes until the edge."""
    model = GaussMarkov.model_validate(
        {
            "model": "GaussMarkov",
            "nodes": ["sta1"],
            "max_x": "100 m",
            "max_y": "100 m",
            "min_v": "2 m/s",
            "max_v": "4 m/s",
            "alpha": 1.0,
        }
    )
    from random import Random

    walk = model.walk(Random(1), (50_000, 50_000, 1000))
    way = [Waypoint(0, 50_000, 50_000, 1000), *(next(walk) for _ in range(10))]
    assert speeds_m_s(way) == [pytest.approx(3, abs=0.002)] * 10
    across = {round(math.atan2(b.y_mm - a.y_mm, b.x_mm - a.x_mm), 2) for a, b in pairwise(way)}
    assert max(across) - min(across) < 0.02


def test_levels_follow_the_ways(plans: Plans) -> None:
    """At each step the level is that of the place at that time; nothing changes while nobody moves."""
    entry = (
        "model: Waypoints, nodes: sta1, path: [{at: 1 s, position: [10 m, 0 m, 3 m]}, "
        "{at: 2 s, position: [100 m, 0 m, 3 m]}, {at: 4 s, position: [100 m, 0 m, 3 m]}]"
    )
    text = topology(entry, medium="medium: {propagation: {model: friis}, step: 500 ms}")
    plan = plans(text, WORKLOAD)
    assert plan.medium is not None and plan.node("sta1").position_m == [10.0, 0.0, 3.0]
    assert [update.at_ns for update in plan.medium.updates] == [3 * S // 2, 2 * S]
    at_start = {(link.transmitter, link.receiver): link.gain_mb for link in plan.medium.links}[0, 1]
    (later,) = [link.gain_mb for link in plan.medium.updates[1].links if (link.transmitter, link.receiver) == (0, 1)]
    assert at_start - later == pytest.approx(2000, abs=1)


def test_a_topology_without_mobility_has_none(plans: Plans) -> None:
    assert '"mobility"' not in plans(topology().partition("mobility:")[0], WORKLOAD).to_json()


def test_positions_are_kept_and_checked(plans: Plans) -> None:
    at = "sta1: {kind: sta, position: [5 m, 5 m, 2 m]}"
    plan = plans(topology(roaming("RandomWalk", "sta1"), nodes=(at,)), WORKLOAD)
    assert ways(plan)["sta1"][0] == (0, 5000, 5000, 2000)
    assert {at.z_mm for at in ways(plan)["sta1"]} == {2000}
    outside = topology(roaming("RandomWalk", "sta1"), nodes=("sta1: {kind: sta, position: [5 m, 50 m, 2 m]}",))
    assert refusal(plans, outside) == (
        "t.yaml:4  nodes.sta1.position: (5 m, 50 m) is outside the area in which RandomWalk moves sta1; move it inside"
    )
    group = topology(roaming("ReferencePoint", "sta1"), nodes=(at,))
    assert refusal(plans, group) == (
        "t.yaml:4  nodes.sta1.position: sta1 begins near the centre of its group (ReferencePoint); remove this"
    )


def test_an_area_is_in_whole_millimetres() -> None:
    """1.001 m times 1000 is less than 1001 as a float; half a millimetre is outside."""
    area = MobilityArea(-1.001, 1.001, -0.0005, 0.9995)
    assert (area.low, area.high) == ((-1001, 0), (1001, 999))


def test_a_group_with_count_moves_each_by_itself(plans: Plans) -> None:
    text = topology(roaming("RandomWayPoint", "sta"), nodes=("sta: {kind: sta, count: 3}",))
    found = ways(plans(text, WORKLOAD))
    assert list(found) == ["sta1", "sta2", "sta3"] and found["sta1"] != found["sta2"]


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        (
            "model: RandomWaypoint, nodes: sta1",
            't.yaml:9  mobility.0.model: unknown mobility model "RandomWaypoint" (did you mean RandomWayPoint?); '
            "known: GaussMarkov, RandomDirection, RandomWalk, RandomWayPoint, ReferencePoint, Trace, "
            "TruncatedLevyWalk, Waypoints",
        ),
        (
            roaming("RandomWalk", "sta9"),
            't.yaml:9  mobility.0.nodes.0: unknown node "sta9" (did you mean sta3?); known: ap1, sta1, sta2, sta3',
        ),
        (
            roaming("RandomWalk", "sta1", "sta1"),
            "t.yaml:9  mobility.0.nodes.1: sta1 already moves by itself (here); remove one of them",
        ),
        (
            "model: RandomWalk, nodes: sta1, max_x: 5 m, min_x: 5 m, max_y: 5 m",
            "t.yaml:9  mobility.0.max_x: must be at least 10 cm more than min_x (5 m)",
        ),
        (
            "model: RandomWalk, nodes: sta1, max_x: 5 m, max_y: 5 m, min_v: 3 m/s",
            "t.yaml:9  mobility.0.max_v: must not be less than min_v (3 m/s)",
        ),
        (
            "model: RandomWayPoint, nodes: sta1, max_x: 5 m, max_y: 5 m, min_pause: 3 s, max_pause: 1 s",
            "t.yaml:9  mobility.0.max_pause: must not be less than min_pause (3 s)",
        ),
        (
            "model: RandomWalk, nodes: sta1, max_x: 5, max_y: 5 m",
            't.yaml:9  mobility.0.max_x: "5" has no unit; write 5 m',
        ),
        (
            "model: RandomWalk, nodes: sta1, max_x: 5 m, max_y: 5 m, interval: 1 s, distance: 2 m",
            "t.yaml:9  mobility.0.distance: cannot be combined with interval; remove one of them",
        ),
        (
            "model: ReferencePoint, nodes: sta1, max_x: 5 m, max_y: 50 m, radius: 3 m",
            "t.yaml:9  mobility.0.radius: must be less than half of each side of the area",
        ),
        (
            "model: RandomWalk, nodes: sta1, max_x: 5 m, max_y: 5 m, start: 5 s, stop: 5 s",
            "t.yaml:9  mobility.0.stop: must be later than start (5 s)",
        ),
        (
            "model: Waypoints, nodes: sta1, path: [{at: 2 s, position: [0 m, 0 m, 0 m]}, "
            "{at: 1 s, position: [0 m, 0 m, 0 m]}]",
            "t.yaml:9  mobility.0.path: 1 s is not later than 2 s before it; write the points by time",
        ),
        (
            "model: Trace, nodes: sta1, file: walk.txt",
            't.yaml:9  mobility.0.file: "walk.txt" is neither a movement file of ns-2 (setdest), which ends in .tcl, '
            "nor one of BonnMotion, which ends in .movements or .movements.gz",
        ),
        (
            "model: Trace, nodes: sta1, file: none.tcl",
            "t.yaml:9  mobility.0.file: none.tcl cannot be read: No such file or directory",
        ),
        (
            "model: RandomWalk, nodes: sta1, max_x: 10 cm, max_y: 10 cm, min_v: 900 m/s, max_v: 1000 m/s",
            "t.yaml:9  mobility.0: the ways of this run have more than 100000 legs; write longer intervals, a larger "
            "area or lower speeds",
        ),
    ],
)
def test_mistakes(plans: Plans, entry: str, message: str) -> None:
    assert refusal(plans, topology(entry)) == message


@pytest.mark.parametrize(("size", "warned"), [("10 cm", True), ("1 km", False)])
def test_a_topology_alone_is_checked_for_a_minute(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], size: str, warned: bool
) -> None:
    path = tmp_path / "t.yaml"
    entry = f"model: RandomWalk, nodes: sta1, max_x: {size}, max_y: {size}, min_v: 900 m/s, max_v: 1000 m/s"
    path.write_text(topology(entry))
    assert check(path) == "topology"
    said = (
        f"lab: {path}:9  in a run of 1 min, mobility.0: the ways of this run have more than 100000 legs; write longer "
    )
    assert capsys.readouterr().err == (f"{said}intervals, a larger area or lower speeds\n" if warned else "")


def test_who_moves_by_itself_is_not_moved(plans: Plans) -> None:
    text = topology(roaming("RandomWalk", "sta1")) + "timeline: [{at: 5 s, move: sta1, to: [1 m, 1 m, 1 m]}]\n"
    assert refusal(plans, text) == (
        "t.yaml:10  timeline.0.move: sta1 moves by itself (t.yaml:8); to move it, take it out of mobility:"
    )
    with pytest.raises(InputError, match="moves by itself"):
        check(Path("t.yaml"))


SETDEST = """\
# nodes: 2, pause: 1.00, max speed: 5.00
$node_(0) set X_ 10.0
$node_(0) set Y_ 20.0
$node_(0) set Z_ 2.0
$node_(1) set X_ 0
$node_(1) set Y_ 0.5
$god_ set-dist 0 1 1
$ns_ at 2.0 "$node_(0) setdest 30.0 20.0 5.0"
$ns_ at 4.0 "$node_(0) setdest 20.0 30.0 1.0"
$ns_ at 5.0 "$god_ set-dist 0 1 2"
$ns_ at 9.0 "$node_(1) set X_ 7.5"
"""


def test_a_trace_of_ns2(plans: Plans, tmp_path: Path) -> None:
    """A destination replaces the one before: node 0 has come 10 m far when it turns at 4 s."""
    (tmp_path / "walk.tcl").write_text(SETDEST)
    found = ways(plans(topology("model: Trace, nodes: [sta2, sta1], file: walk.tcl"), WORKLOAD))
    turned = Waypoint(4 * S, 20_000, 20_000, 2000)
    assert found["sta2"] == [
        (0, 10_000, 20_000, 2000),
        (2 * S, 10_000, 20_000, 2000),
        turned,
        (14 * S, 20_000, 30_000, 2000),
    ]
    assert found["sta1"] == [(0, 0, 500, 1000), (9 * S, 0, 500, 1000), (9 * S, 7500, 500, 1000)]
    assert position_at(found["sta1"], 9 * S - 1) == (0, 0.5, 1) and position_at(found["sta1"], 9 * S) == (7.5, 0.5, 1)


@pytest.mark.parametrize("speed", ["1e-305", "1e-300", "1e-20", "0"])
def test_who_never_gets_anywhere_stays(plans: Plans, tmp_path: Path, speed: str) -> None:
    (tmp_path / "walk.tcl").write_text(f'$ns_ at 1.0 "$node_(0) setdest 10000 0 {speed}"\n')
    found = ways(plans(topology("model: Trace, nodes: sta1, file: walk.tcl"), WORKLOAD))
    assert found["sta1"] == [(0, 0, 0, 1000), (S, 0, 0, 1000)]


@pytest.mark.parametrize("name", ["walk.tcl", "walk.movements.gz"])
def test_a_trace_without_an_end_is_not_read(plans: Plans, tmp_path: Path, name: str) -> None:
    reported = f"t.yaml:9  mobility.0.file: {name} is not a regular file"
    (tmp_path / name).symlink_to("/dev/zero")
    assert refusal(plans, topology(f"model: Trace, nodes: sta1, file: {name}")) == reported
    (tmp_path / name).unlink()
    os.mkfifo(tmp_path / name)
    assert refusal(plans, topology(f"model: Trace, nodes: sta1, file: {name}")) == reported


@pytest.mark.parametrize(("name", "reported"), [("walk.tcl", ""), ("walk.movements.gz", " when unpacked")])
def test_a_trace_has_a_limit(
    plans: Plans, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, reported: str
) -> None:
    monkeypatch.setattr(load, "_TEXT_MOST", 1 << 20)
    content = b"#" * ((1 << 20) + 1)
    (tmp_path / name).write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    said = refusal(plans, topology(f"model: Trace, nodes: sta1, file: {name}"))
    assert said == f"t.yaml:9  mobility.0.file: {name} has more than 1 MiB{reported}"


def test_a_trace_of_a_topology_that_is_included(plans: Plans, tmp_path: Path) -> None:
    """Its path is relative to the file that names it."""
    (tmp_path / "place").mkdir()
    (tmp_path / "place" / "walk.tcl").write_text(SETDEST)
    (tmp_path / "place" / "place.yaml").write_text(topology("model: Trace, nodes: sta1, file: walk.tcl"))
    plan = plans("name: here\ninclude: place/place.yaml\n", WORKLOAD)
    assert ways(plan)["sta1"][0] == (0, 10_000, 20_000, 2000)


@pytest.mark.parametrize("name", ["walk.movements", "walk.movements.gz"])
def test_a_trace_of_bonnmotion(plans: Plans, tmp_path: Path, name: str) -> None:
    content = b"0.0 1.5 2.0 10.0 11.5 2.0 20 11.5 2\n0.0 5 5\n"
    (tmp_path / name).write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    found = ways(plans(topology(f"model: Trace, nodes: [sta1, sta2], file: {name}"), WORKLOAD))
    assert found["sta1"] == [(0, 1500, 2000, 1000), (10 * S, 11_500, 2000, 1000), (20 * S, 11_500, 2000, 1000)]
    assert found["sta2"] == [(0, 5000, 5000, 1000)]
    few = refusal(plans, topology(f"model: Trace, nodes: [sta1, sta2, sta3], file: {name}"))
    assert few == f"t.yaml:9  mobility.0.nodes: sta3 would be node 2 of {name}, which has no such node; it has 0, 1"


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        (
            "w.tcl",
            "$node_(0) set X_ 1\n$node_(0) jump\n",
            'w.tcl:2  "$node_(0) jump" is not a line of a movement file of',
        ),
        ("w.tcl", '$ns_ at -1 "$node_(0) set X_ 1"\n', "w.tcl:1  -1 s is before the start"),
        ("w.tcl", '$ns_ at 1 "$node_(0) setdest 1 nan 1"\n', 'w.tcl:1  "nan" is not a number (position in m)'),
        ("w.tcl", "\n# nothing\n", "w.tcl:1  has no movements of nodes"),
        ("w.movements", "0 0 0\n1 2\n", "w.movements:2  has 2 numbers; a node's line consists of times and positions"),
        ("w.movements", "5 0 0 4 0 0\n", "w.movements:1  4 s comes after a later time"),
        ("w.movements", "0 1e9 0\n", "w.movements:1  1e9 is too large (position in m); numbers are at most 1e+06"),
        ("w.movements.gz", "0 0 0\n", "w.movements.gz is not a gzip file, or is truncated"),
    ],
)
def test_mistakes_in_a_trace(plans: Plans, tmp_path: Path, name: str, text: str, message: str) -> None:
    (tmp_path / name).write_text(text)
    reported = refusal(plans, topology(f"model: Trace, nodes: sta1, file: {name}"))
    assert message in reported and len(reported.splitlines()) == 1


@given(st.text(max_size=300) | st.text(alphabet='$node_(0)setX_1. "\n', max_size=300))
def test_any_text_is_a_trace_or_one_mistake(text: str) -> None:
    for read in (_setdest.read, _bonnmotion.read):
        try:
            found = read(text)
        except TraceError as error:
            assert 1 <= error.line <= text.count("\n") + 1
        else:
            assert all(a.at_ns <= b.at_ns for way in found.values() for a, b in pairwise(way))


def test_a_way_is_cut_where_the_node_is_then() -> None:
    way = [Waypoint(0, 0, 0, 0), Waypoint(10, 100, 0, 0), Waypoint(20, 100, 50, 0)]
    assert list(cut(way, 15)) == [*way[:2], Waypoint(15, 100, 25, 0)]
    assert list(cut(way, 20)) == way and list(cut(way, 30)) == way
    assert list(cut(way, 10)) == way[:2]
    assert list(cut(way[1:], 5)) == way[1:2]


def test_courses_follow_ways_at_multiples_of_the_step() -> None:
    way = Way("sta1", "Waypoints", [Waypoint(0, 0, 0, 0), Waypoint(1000, 1000, 0, 0)])
    courses = Courses(ways={way.node: way.waypoints})
    assert courses.steps(300, 2000) == 3
    assert courses.waypoints(300, 2000) == {
        300: {"sta1": (0.3, 0.0, 0.0)},
        600: {"sta1": (0.6, 0.0, 0.0)},
        900: {"sta1": (0.9, 0.0, 0.0)},
        1200: {"sta1": (1.0, 0.0, 0.0)},
    }


def test_flights_and_stays_are_mostly_short(plans: Plans) -> None:
    entry = "model: TruncatedLevyWalk, nodes: [sta1], max_x: 500 m, max_y: 500 m, min_v: 50 m/s, max_v: 50 m/s"
    plan = plans(topology(f"{entry}, max_flight: 50 m, max_pause: 100 s"), "name: there\nduration: 2000 s\n")
    way = ways(plan)["sta1"]
    legs = list(pairwise(way))
    flights_m = sorted(math.dist(one[1:], other[1:]) / 1000 for one, other in legs if one[1:] != other[1:])
    stays_s = sorted((other.at_ns - one.at_ns) / S for one, other in legs if one[1:] == other[1:])
    assert len(flights_m) > 100 and flights_m[-1] <= 50.01 and stays_s[-1] <= 100.01
    # medians of the power laws: 1 m * 2^(1/1.6), and for stays (1 - (1 - 100^-0.8) / 2)^(-1/0.8)
    assert flights_m[len(flights_m) // 2] == pytest.approx(1.54, rel=0.15)
    assert stays_s[len(stays_s) // 2] == pytest.approx(2.3, rel=0.25)
