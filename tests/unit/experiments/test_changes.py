# SPDX-License-Identifier: MIT
"""One thing changed at a time: what is changed, what it sets, and which claims turn."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from lab.cli.check import check
from lab.errors import InputError
from lab.experiments.file import resolve
from lab.experiments.types import Claim, Experiment, Point, TrialOutcome
from lab.experiments.variations import show
from lab.experiments.variations.changes import Change, Pair, in_all, pairs, try_all
from lab.experiments.variations.judged import Changes, with_changes
from lab.experiments.variations.uncertain import changes
from lab.plan.load import load as load_plan
from lab.shared.types import Plan
from tests.unit.experiments.files import EXPERIMENT, TOPOLOGY, WORKLOAD

UNCERTAIN = """\
uncertain:
  power: {keys: [nodes.ap1.txpower, nodes.ap2.txpower], from: 12 dBm, to: 20 dBm, source: datasheets}
  figure: {keys: medium.noise_figure, values: [7 dB, 9 dB, 11 dB], source: makers}
"""
WHAT_IF = """\
what_if:
  slow: {set: {links.0.delay: 80 ms, links.1.delay: 80 ms}, why: a long way}
"""
OWN = """\
what_if:
  other-place: {set: {nodes.sta.position: [0 m, "{distance}", 2 m]}, why: around the corner}
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write(tmp_path)
    return tmp_path


def write(folder: Path, topology: str = UNCERTAIN + WHAT_IF, own: str = OWN) -> None:
    powers = TOPOLOGY.replace("kind: ap,", "kind: ap, txpower: 20 dBm,")
    (folder / "place.yaml").write_text(powers + topology)
    (folder / "load.yaml").write_text(WORKLOAD)
    (folder / "mine.yaml").write_text(EXPERIMENT + own)


def found(*names: str) -> tuple[Experiment, tuple[Change, ...]]:
    experiment = resolve.load("mine.yaml")
    return experiment, changes(experiment, names)


def plan_of(point: Point) -> Plan:
    return load_plan(point.topology, point.workload, 1, point.overrides, locations=point.locations, draft=True)


def test_ends_of_ranges_listed_values_and_what_the_files_list(here: Path) -> None:
    """20 dBm and 7 dB are the experiment as it is."""
    listed = [one.label for one in found()[1]]
    assert listed == ["power 12 dBm", "figure 9 dB", "figure 11 dB", "slow", "other-place"]
    assert [one.label for one in found("slow", "power")[1]] == ["power 12 dBm", "slow"]


def test_a_change_changes_nothing_else(here: Path) -> None:
    experiment, (weak,) = found("power")
    whole = in_all(experiment, [weak.at])
    before, after = (plan_of(one.points[0]) for one in (experiment, whole))
    assert after.overrides == before.overrides | {f"nodes.{ap}.txpower": "12 dBm" for ap in ("ap1", "ap2")}
    assert whole.points[0].seed_offset == 0 and whole.repetitions == experiment.repetitions


def test_an_entry_of_the_files_replaces_what_the_experiment_sets(here: Path) -> None:
    experiment, (slow, other) = found("slow", "other-place")
    whole = in_all(experiment, [slow.at, other.at])
    size = len(experiment.points)
    first, second = whole.points[0], whole.points[size]
    assert [text for text in first.overrides if text.startswith("links")] == [
        "links.0.delay=80 ms",
        "links.1.delay=80 ms",
    ]
    assert "nodes.sta.position=[0 m, 2 m, 2 m]" in second.overrides
    assert [one.number for one in whole.points] == list(range(2 * size))
    assert second.locations["nodes.sta.position"] == "mine.yaml:23"


def test_an_end_of_a_range_does_not(here: Path) -> None:
    write(here, "uncertain: {delay: {keys: links.0.delay, from: 1 ms, to: 9 ms, source: x}}\n" + WHAT_IF)
    assert [one.label for one in found()[1]] == ["slow", "other-place"]  # the experiment itself sets links.0.delay


def test_pairs_are_of_things_that_can_be_changed_together(here: Path) -> None:
    """Neither two values of one parameter, nor two changes of one key, or of a key and what it contains."""
    within = "  all: {set: {medium: {noise_figure: 3 dB}}, why: x}\n  also-slow: {set: {links.1.delay: 9 ms}, why: x}\n"
    write(here, UNCERTAIN + WHAT_IF + within, "")
    _, listed = found("figure", "slow", "all", "also-slow")
    assert [one.label for one in listed] == ["figure 9 dB", "figure 11 dB", "slow", "all", "also-slow"]
    assert [pair.label for pair in pairs(listed)] == [
        "figure 9 dB + slow",
        "figure 9 dB + also-slow",
        "figure 11 dB + slow",
        "figure 11 dB + also-slow",
        "slow + all",
        "all + also-slow",
    ]


def test_a_pair_makes_both_changes(here: Path) -> None:
    experiment, listed = found("power", "slow")
    (pair,) = pairs(listed)
    after = pair.at(experiment.points[0])
    assert {f"nodes.{ap}.txpower=12 dBm" for ap in ("ap1", "ap2")} < set(after.overrides)
    assert {"links.0.delay=80 ms", "links.1.delay=80 ms"} < set(after.overrides)
    try_all(experiment, [pair])


def test_numbers_stay_numbers(here: Path) -> None:
    write(here, 'uncertain: {tries: {keys: medium.retries, values: ["4", "7"], source: x}}\n', "")
    experiment, listed = found()
    assert [one.label for one in listed] == ["tries 4", "tries 7"]
    try_all(experiment, listed)


def test_nothing_to_change(here: Path) -> None:
    write(here, "", "")
    with pytest.raises(InputError, match=r"neither mine nor its topology lists anything to change\n  write what_if:"):
        found()


def test_all_is_set_by_the_experiment_itself(here: Path) -> None:
    write(here, "uncertain: {delay: {keys: links.0.delay, from: 1 ms, to: 9 ms, source: x}}\n", "")
    with pytest.raises(InputError, match="nothing is left to change: the experiment itself sets delay"):
        found()


def test_a_name_of_two_changes_is_refused(here: Path) -> None:
    write(here, UNCERTAIN + WHAT_IF.replace("slow:", "power:"))
    with pytest.raises(InputError, match=r"^place.yaml:\d+  power is also an uncertain parameter; rename one of them"):
        found()


def test_an_axis_that_does_not_exist_is_refused(here: Path) -> None:
    write(here, own=OWN.replace("{distance}", "{distanc}"))
    with pytest.raises(InputError, match=r"mine.yaml:23  unknown axis \{distanc\} \(did you mean distance"):
        found()


def test_lab_check_finds_mistakes_in_changes(here: Path) -> None:
    write(here, UNCERTAIN + "what_if:\n  odd: {set: {nodes.ap9.txpower: 3 dBm}, why: x}\n")
    with pytest.raises(InputError, match=r"^place.yaml:15  nodes.ap9.txpower: "):
        check(Path("mine.yaml"))
    write(here)
    assert check(Path("mine.yaml")) == "experiment"


def test_an_unknown_change(here: Path) -> None:
    with pytest.raises(InputError, match=r'--vary: unknown change "slw" \(did you mean slow\?\); known: power, '):
        found("slw")


def test_a_value_that_cannot_be_set_is_reported_before_anything_runs(here: Path) -> None:
    write(here, UNCERTAIN + "what_if:\n  odd: {set: {nodes.ap1.txpower: loud}, why: x}\n")
    experiment, listed = found("odd")
    with pytest.raises(InputError, match=r"^place.yaml:15  nodes.ap1.txpower: .*loud"):
        try_all(experiment, listed)


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("{set: {}, why: x}", "is empty"),
        ("{set: {a: 1}}", "why: is missing"),
        ("{why: x}", "set: is missing"),
    ],
)
def test_entries_that_cannot_be(here: Path, written: str, message: str) -> None:
    write(here, f"what_if: {{odd: {written}}}\n")
    with pytest.raises(InputError) as failure:
        found()
    assert str(failure.value).startswith("place.yaml:11  what_if.odd") and message in str(failure.value)


def test_a_change_of_one_of_two_topologies(here: Path) -> None:
    (here / "other.yaml").write_text(TOPOLOGY.replace("name: place", "name: other"))
    text = EXPERIMENT.replace("topology: place.yaml", 'topology: "{where}.yaml"')
    text = text.replace("grid:\n", "grid:\n  where: [place, other]\n")
    (here / "mine.yaml").write_text(text.replace("by: roaming}\npaper", "by: roaming, where: {where: place}}\npaper"))
    experiment, (slow,) = found("slow")
    delays = {one.topology: "links.1.delay=80 ms" in one.overrides for one in in_all(experiment, [slow.at]).points}
    assert delays == {"place.yaml": True, "other.yaml": False}


def test_equal_plans_are_tried_once(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A change of a topology that a point does not have leaves its plan as it is."""
    experiment, listed = found()
    drafts: list[Point] = []
    monkeypatch.setattr("lab.experiments.variations.changes.drafted", lambda whole, point: drafts.append(point))
    try_all(experiment, listed)
    try_all(experiment, [replace(one, topology="other.yaml") for one in listed if not one.own])
    ends = (experiment.points[0], experiment.points[-1])
    assert [point.overrides for point in drafts] == [
        *(one.at(point).overrides for one in listed for point in ends),
        *(point.overrides for point in ends),
    ]


def outcomes(experiment: Experiment, throughput: Mapping[str, float | None], offset: int = 0) -> list[TrialOutcome]:
    """A trial of each point, with a throughput by the value of the axis roaming; None: it failed."""
    made = []
    for point in experiment.points:
        value = throughput[point.labels["roaming"]]
        values: dict[str, float | None] = {} if value is None else {"throughput": value, "delay": 1.0}
        error = "it failed" if value is None else None
        number = offset + point.number
        made.append(TrialOutcome(number, 1, f"{number:064x}", "lab run", values, error, None, 1.0, 1.0, cached=False))
    return made


def analysed(here: Path) -> Changes:
    """As it is the claim fails; weak power turns it, a noise figure comes near, and with slow links nothing runs."""
    experiment, listed = found("power", "figure", "slow")
    experiment = replace(
        experiment,
        claims=(
            Claim("quick is better", "all(throughput[quick] > throughput[never])"),
            Claim("always", "all(throughput[never] > 0 Mbit/s)"),
        ),
    )
    size = len(experiment.points)
    base = outcomes(experiment, {"never": 10, "quick": 5})
    others: list[TrialOutcome] = []
    for number, quick in enumerate((11, 9, 5, None)):
        others += outcomes(experiment, {"never": 10, "quick": quick}, number * size)
    return with_changes(experiment, base, listed, others)


def test_what_turns_a_claim(here: Path) -> None:
    judged = analysed(here)
    assert [one.passed for one in judged.base] == [False, True]
    assert [one.change.label for one in judged.turned(0)] == ["power 12 dBm"] and judged.turned(1) == []
    assert [one.judged[0].passed for one in judged.changed] == [True, False, False, None]
    assert [one.failed for one in judged.changed] == [0, 0, 0, 3]
    nearest = replace(judged, changed=judged.changed[1:]).nearest(0)
    assert nearest is not None and nearest.change.label == "figure 9 dB"
    assert replace(judged, changed=judged.changed[2:]).nearest(0) is None


def test_tables_and_files(here: Path) -> None:
    judged = analysed(here)
    section = show.of_changes(judged, 1)
    turned, by_change, listed = section.tables
    assert (
        turned.title == "With one thing changed, 4 changes"
        and turned.remark == "Of 24 trials, these failed: 3 with slow."
    )
    assert [row["turned"] for row in turned.rows] == ["power 12 dBm; without a value: slow", "none"]
    assert [row["1"] for row in by_change.rows] == ["FAILED", "holds", "FAILED", "FAILED", "\N{EN DASH}"]
    assert listed.rows[3] == {
        "change": "slow",
        "sets": "links.0.delay: 80 ms, links.1.delay: 80 ms",
        "why": "a long way",
    }
    lines = list(csv.DictReader(section.files["one-at-a-time.csv"].splitlines()))
    assert len(lines) == 10 and [line["holds"] for line in lines[:3]] == ["false", "true", "true"]
    document = json.loads(section.files["one-at-a-time.json"])
    assert document == section.document and document["changes"][0]["turned"] == ["quick is better"]
    assert section.written == ["one-at-a-time.json", "one-at-a-time.csv"]


def test_a_claim_without_a_value_fails_until_a_change_gives_it_one(here: Path) -> None:
    judged = analysed(here)
    lost = replace(judged, base=(replace(judged.base[0], passed=None, margin=None), judged.base[1]))
    table = show.of_changes(lost, 1).tables[0]
    assert table.rows[0] == {
        "claim": "quick is better",
        "now": "FAILED",
        "turned": "power 12 dBm; without a value: slow",
    }


def test_the_nearest_change_is_named_if_none_turns_a_claim(here: Path) -> None:
    judged = analysed(here)
    left = show.of_changes(replace(judged, changed=judged.changed[1:]), 1).tables[0]
    assert [row["turned"] for row in left.rows] == ["none; figure 9 dB comes nearest; without a value: slow", "none"]


def test_a_pair_is_named_if_neither_of_the_two_turns_the_claim_alone(here: Path) -> None:
    """Power does so alone; slow does with a noise figure."""
    experiment, listed = found("power", "figure", "slow")
    experiment = replace(experiment, claims=(Claim("quick is better", "all(throughput[quick] > throughput[never])"),))
    changed: list[Change | Pair] = [*listed, *pairs(listed)]
    quick = {"power 12 dBm": 11, "power 12 dBm + slow": 11, "figure 9 dB + slow": 12}
    others: list[TrialOutcome] = []
    for number, change in enumerate(changed):
        values = {"never": 10, "quick": quick.get(change.label, 5)}
        others += outcomes(experiment, values, number * len(experiment.points))
    judged = with_changes(experiment, outcomes(experiment, {"never": 10, "quick": 5}), changed, others)
    section = show.of_changes(judged, 2)
    turned, by_change, singles = section.tables
    assert turned.title == "With one or two things changed, 4 changes and 5 pairs"
    assert [row["turned"] for row in turned.rows] == ["power 12 dBm, figure 9 dB + slow"]
    assert len(by_change.rows) == 10 and len(singles.rows) == 4
    assert section.key == "two_at_a_time" and section.written == ["two-at-a-time.json", "two-at-a-time.csv"]
    last = section.document["changes"][-1]
    assert last["name"] == "figure 11 dB + slow" and last["why"] == "makers; a long way" and last["turned"] == []
    assert section.document["changes"][6]["turned"] == ["quick is better"]  # power + slow, too
