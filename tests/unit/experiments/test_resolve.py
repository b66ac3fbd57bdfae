# SPDX-License-Identifier: MIT
"""From a file to an experiment, and every mistake reported where it is."""

from pathlib import Path

import pytest

from lab.cli import check
from lab.errors import InputError
from lab.experiments.file import resolve
from lab.experiments.types import Axis, FigureSpec, Level, Published, Repetitions, TrialMetric
from lab.plan.load import load as load_plan

from .files import EXPERIMENT, TOPOLOGY, WORKLOAD, changed, loaded


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def refusal(text: str, **files: str) -> str:
    with pytest.raises(InputError) as failure:
        loaded(text, **files)  # type: ignore[arg-type]
    return str(failure.value)


def test_an_experiment() -> None:
    found = loaded()
    assert (found.name, found.seed, found.path) == ("mine", 1, "mine.yaml")
    assert found.cites == {"paper": "some.txt", "figure": "4"}
    assert found.axes == (
        Axis("distance", (Level("2 m", 2.0), Level("4 m", 4.0), Level("6 m", 6.0)), "m"),
        Axis("roaming", (Level("never", None), Level("quick", None)), None),
    )
    assert found.repetitions == Repetitions(3, 9, 0.05)
    assert found.metrics == (TrialMetric("throughput", "sum(goodput)", "Mbit/s"), TrialMetric("delay", "delay", "ms"))
    assert found.figures == (
        FigureSpec("bar", "Throughput over distance", "distance", "throughput", by="roaming", errors="ci95"),
    )
    assert found.published == (
        Published("throughput", {"roaming": "never", "distance": "2 m"}, 0.001),
        Published("throughput", {"roaming": "never", "distance": "4 m"}, 0.002),
        Published("throughput", {"roaming": "quick", "distance": "4 m"}, 0.005),
    )
    (claim,) = found.claims
    assert (claim.name, claim.paper, claim.source) == ("quick is better", "p. 5", "mine.yaml:21")


def test_its_points_are_what_lab_run_takes() -> None:
    points = loaded().points
    assert [point.number for point in points] == list(range(6))
    assert [tuple(point.labels.values()) for point in points[:3]] == [
        ("2 m", "never"),
        ("2 m", "quick"),
        ("4 m", "never"),
    ]
    assert points[3].overrides == (
        "links.0.delay=5 ms",
        "nodes.sta.position=[4 m, 0 m, 1 m]",
        "nodes.sta.bgscan=simple:2:-60:30",
    )
    plan = load_plan(points[3].topology, points[3].workload, 1, points[3].overrides)
    assert plan.node("sta2").position_m == [4.0, 0.0, 1.0]


def test_topology_and_workload_may_be_varied() -> None:
    Path("place-far.yaml").write_text(TOPOLOGY.replace("40 m", "80 m"))
    Path("place-near.yaml").write_text(TOPOLOGY)
    text = changed(("topology: place.yaml", 'topology: "place-{where}.yaml"'), ("grid:", "grid:\n  where: [near, far]"))
    text = text.replace("by: roaming}\n", "by: roaming, where: {where: far}}\n")
    found = loaded(text.split("paper: {")[0])
    assert [point.topology for point in found.points[::6]] == ["place-near.yaml", "place-far.yaml"]
    assert found.figures[0].title == "Throughput over distance, where far"  # a part of the grid says which


def test_files_next_to_an_experiment_are_found_from_elsewhere(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    loaded()
    (here / "elsewhere").mkdir()
    monkeypatch.chdir(here / "elsewhere")
    assert resolve.load(str(here / "mine.yaml")).points[0].topology == str(here / "place.yaml")


def test_an_experiment_of_one_point_needs_no_grid() -> None:
    text = "name: one\ntopology: place.yaml\nworkload: load.yaml\nmetrics: {goodput: Mbit/s}\n"
    found = loaded(text + "figure: {kind: cdf, x: delay}\npaper: {goodput: {values: 5}}\n")
    assert [point.labels for point in found.points] == [{}]
    assert found.repetitions == Repetitions(1, 1)
    assert found.published == (Published("goodput", {}, 5.0),)
    assert (found.figures[0].x, found.figures[0].y) == ("delay", "delay")


def test_numbers_may_be_those_of_a_model() -> None:
    found = loaded(changed(("paper: {throughput: {", "paper: {throughput: {computed_by: model.py, ")))
    assert {entry.computed_by for entry in found.published} == {"model.py"}


def test_lab_check_knows_experiments() -> None:
    loaded()
    assert check.check(Path("mine.yaml")) == "experiment"
    assert check.check(Path("place.yaml")) == "topology"
    assert check.check(Path("load.yaml")) == "workload"
    Path("mine.yaml").write_text(changed(("sum(goodput)", "sum(godput)")))
    with pytest.raises(InputError, match=r"mine\.yaml:16  metrics\.throughput\.that: .*did you mean goodput\?"):
        check.check(Path("mine.yaml"))


def test_a_place_among_workloads_gives_the_name(here: Path) -> None:
    folder = here / "workloads" / "udp" / "experiments"
    folder.mkdir(parents=True)
    (folder / "place.yaml").write_text(TOPOLOGY)
    (folder / "load.yaml").write_text(WORKLOAD)
    (folder / "range.yaml").write_text(EXPERIMENT)
    with pytest.raises(
        InputError, match=r'range\.yaml:1  name: "mine" does not match the path of the file; write name: udp/range'
    ):
        resolve.load("udp/range")
    (folder / "range.yaml").write_text(changed(("name: mine", "name: udp/range")))
    assert resolve.load("udp/range").points[0].topology == "workloads/udp/experiments/place.yaml"


LENGTHS = "known: 2 m, 4 m, 6 m"
MISTAKES = [
    # the grid
    (("[2 m, 4 m, 6 m]", "[]"), "10  grid.distance: is empty"),
    (("[2 m, 4 m, 6 m]", "12"), "10  grid.distance: must be values, such as [2 m, 4 m]; a range, such as"),
    (("6 m]", "6]"), '10  grid.distance.2: "6" has no unit; write 6 m'),
    (
        ("6 m]", "6 ms]"),
        '10  grid.distance.2: "6 ms": ms measures a duration, but m a length; write values of one axis',
    ),
    (("6 m]", "400 cm]"), '10  grid.distance.2: "400 cm" is a duplicate of 4 m; remove one of them'),
    (("6 m]", "4 m]"), '10  grid.distance.2: "4 m" is a duplicate; remove one of them'),
    (
        ("[2 m, 4 m, 6 m]", "{from: 1 m, to: 60 s, step: 5 m}"),
        '10  grid.distance.to: "60 s": s measures a duration, but m a length',
    ),
    (("[2 m, 4 m, 6 m]", "{from: 1 m, to: 60 m, step: 5}"), '10  grid.distance.step: "5" has no unit; write 5 m'),
    (("[2 m, 4 m, 6 m]", "{from: 1, to: 60 m, step: 5 m}"), '10  grid.distance.from: "1" has no unit; write 1 m'),
    (("[2 m, 4 m, 6 m]", "{from: a, to: 60 m, step: 5 m}"), '10  grid.distance.from: "a" is not a number; write for'),
    (("[2 m, 4 m, 6 m]", "{from: 1 mx, to: 6 m, step: 5 m}"), '10  grid.distance.from: "1 mx": unknown unit "mx"'),
    (("[2 m, 4 m, 6 m]", "{from: 9 m, to: 6 m, step: 5 m}"), "10  grid.distance.to: 6 m is not above from: 9 m"),
    (("[2 m, 4 m, 6 m]", "{from: 1 m, to: 6 m, step: 0 m}"), "10  grid.distance.step: must be above 0"),
    (("[2 m, 4 m, 6 m]", "{from: 1 m, to: 6 km, step: 1 mm}"), "10  grid.distance.step: gives 5999001 values, but an"),
    (("[2 m, 4 m, 6 m]", "{from: 1 m, to: 6 m}"), "10  grid.distance: needs either step (such as 5 m) or points"),
    (
        ("[2 m, 4 m, 6 m]", "{from: 0 m, to: 6 m, points: 3, spacing: log}"),
        "10  grid.distance.from: 0 m is not above 0",
    ),
    (("[2 m, 4 m, 6 m]", "{from: 0 m, to: 6 m, stp: 3}"), '10  grid.distance.stp: unknown key "stp" (did you mean'),
    (("never: {}", 'never: {nodes.sta.bgscan: "simple:2:-60:30"}'), "13  grid.roaming.quick: sets the same as never"),
    (('"{distance}"', "1 m"), "10  grid.distance: has no effect\n  name it in a text"),
    (
        ('"{distance}"', '"{distanc}"'),
        "8  set.nodes.sta.position: unknown axis {distanc} (did you mean distance?); known axes: distance",
    ),
    (("place.yaml", '"{where}.yaml"'), "4  topology: unknown axis {where}"),
    (("grid:", "zip: [[distance, roming]]\ngrid:"), '9  zip.0.1: unknown axis "roming" (did you mean roaming?)'),
    (
        ("grid:", "zip: [[distance, roaming]]\ngrid:"),
        "9  zip.0: zipped axes need the same number of values; distance has 3, roaming has 2",
    ),
    (("grid:", "zip: [[distance, distance]]\ngrid:"), "9  zip.0.1: distance is already zipped; name it once"),
    (
        ("grid:", "grid:\n  fast: {a: {}, b: {nodes.sta.bgscan: 'simple:1:-60:30'}}"),
        "14  grid.roaming.quick.nodes.sta.bgscan: the axis fast also sets this, so one of them would have no effect; "
        "remove one",
    ),
    # what the settings lead to
    (("nodes.sta.bgscan", "nodes.st.bgscan"), '13  nodes.st.bgscan: nodes has no "st"'),
    (("nodes.sta.bgscan", "nodes.sta.bgscn"), '13  nodes.sta.bgscn: unknown key "bgscn" (did you mean bgscan?)'),
    (("simple:2:-60:30", "simple:2"), '13  nodes.sta.bgscan: "simple:2" is not a valid bgscan'),
    (("links.0.delay: 5 ms", "links.0.delay: 5"), '7  links.0.delay: "5" has no unit; write 5 ms'),
    (("6 m]", "6 x]"), '8  nodes.sta.position.0: "6 x": unknown unit x'),
    (("workload: load.yaml", "workload: ping/rooming"), '5  workload: unknown workload "ping/rooming"'),
    # metrics
    (("sum(goodput)", "sum(godput)"), '16  metrics.throughput.that: the workload has no metric "godput"'),
    (("delay: ms", "delay: Mbit/s"), "17  metrics.delay: "),
    (("delay: ms", "roaming: {that: delay, unit: ms}"), "17  metrics.roaming: is also an axis of the grid"),
    # figures
    (("x: distance, y", "x: distnce, y"), '18  figure.x: unknown axis "distnce" (did you mean distance?)'),
    (("y: throughput", "y: roaming"), '18  figure.y: unknown metric "roaming"; roaming is an axis'),
    (("kind: bar", "kind: pie"), '18  figure.kind: "pie" is not one of line, bar, box'),
    (
        (", by: roaming}\n", "}\n"),
        "18  figure: the points of all 2 values of roaming would be drawn at the same place\n  write by: roaming, or "
        "where: {roaming: never}",
    ),
    (
        ("by: roaming}\n", "by: roaming, where: {distance: 9 m}}\n"),
        "18  figure.where.distance: the axis distance has no",
    ),
    (
        ("by: roaming}\n", "by: roaming, value: delay}\n"),
        "18  figure.value: is not a key of a bar, which has x: (an ax",
    ),
    (("kind: bar, x: distance", "kind: bar"), "18  figure: a bar needs x: with an axis; known: distance, roaming"),
    (("kind: bar, x: distance, y: throughput", "kind: cdf, x: dela"), '18  figure.x: unknown metric "dela"'),
    # the paper's numbers
    (
        ("never: [1, 2, null]", "never: [1, 2]"),
        "19  paper.throughput.values.never: has 2 values, but the axis distance has 3: 2 m, 4 m, 6 m\n  write null",
    ),
    (("quick: {4 m: 5}", "quik: [1, 2, 3]"), '19  paper.throughput.values.quik: the axis roaming has no value "quik"'),
    (
        ("quick: {4 m: 5}", "quick: {5 m: 5}"),
        '19  paper.throughput.values.quick.5 m: the axis distance has no value "5 m"',
    ),
    (("paper: {throughput", "paper: {thruput"), '19  paper.thruput: unknown metric "thruput" (did you mean throu'),
    (
        ("unit: kbit/s", "unit: ms"),
        "19  paper.throughput.unit: throughput is in Mbit/s, which ms cannot be converted to",
    ),
    (("by: roaming, x: distance, values", "x: distance, values"), "19  paper.throughput.values.never: the axis dist"),
    (
        ("at_most: 9}", "at_most: 9, of: [delay, thruput]}"),
        '14  repetitions.of: unknown metric "thruput" (did you mean throughput?)',
    ),
    # claims
    (("throughput[never]", "throughput[nevr]"), '21  claim "quick is better": no axis has a label "nevr"'),
]


@pytest.mark.parametrize(("change", "reported"), MISTAKES, ids=[reported.split(": ")[0] for _, reported in MISTAKES])
def test_mistakes(change: tuple[str, str], reported: str) -> None:
    assert f"mine.yaml:{reported}" in refusal(changed(change))


def test_all_mistakes_are_reported_at_once() -> None:
    changes = [
        ("throughput, by: roaming", "throughput, by: roming"),
        ("throughput[never]", "throughput[nevr]"),
        ("at_most: 9}", "at_most: 9, of: thruput}"),
    ]
    lines = refusal(changed(*changes).replace("workload: ", "workload: no-")).splitlines()
    reported = [line.partition("  ")[2].partition(":")[0] for line in lines if line.startswith("mine.yaml:")]
    assert reported == ["workload", "repetitions.of", "figure.by", 'claim "quick is better"']


def test_only_some_metrics_may_have_to_be_precise() -> None:
    found = loaded(changed(("at_most: 9}", "at_most: 9, of: delay, normal: true}"))).repetitions
    assert found == Repetitions(3, 9, 0.05, frozenset({"delay"}), normal=True)
    assert (found.share("delay"), found.share("throughput")) == (0.05, None)
    assert Repetitions(3, 9, 0.05).share("throughput") == 0.05


def test_a_mistake_of_some_points_says_which() -> None:
    reported = refusal(changed(("6 m]", "6 x]")))
    assert reported.endswith("\n  where distance: 6 x, roaming: never")
    assert reported.count("mine.yaml") == 1


def test_a_mistake_of_all_points_is_reported_once() -> None:
    reported = refusal(EXPERIMENT, workload=WORKLOAD.replace("client: 1..", "printer: 1"))
    assert reported.count("printer") == reported.splitlines()[0].count("printer")
    assert "where" not in reported


def test_a_grid_too_large_to_be_meant() -> None:
    axes = "".join(f"  a{number}: {{from: 1, to: 500, step: 1}}\n" for number in range(2))
    text = changed(("grid:\n", f"grid:\n{axes}"), ("links.0.delay: 5 ms", 'links.0.delay: "{a0}.{a1} ms"'))
    text = text.replace("by: roaming}\n", "by: roaming, where: {a0: 1, a1: 1}}\n")
    assert "mine.yaml:9  grid: has 1,500,000 points, more than 100,000" in refusal(text)
