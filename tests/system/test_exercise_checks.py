# SPDX-License-Identifier: MIT
"""Each kind of check of exercises: one that holds and one that does not, on the same run, with what students read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lab.grading.exercise import Student, load
from lab.grading.marks import mark
from lab.grading.results import CheckResult
from lab.model.exercise_check import CHECKS

pytestmark = pytest.mark.guest

CELL = """\
name: cell
nodes:
  h1:   {kind: host, roles: [server]}
  h2:   {kind: host}
  r1:   {kind: router}
  ap1:  {kind: ap, ssid: campus, mode: g, channel: 1}
  ap2:  {kind: ap, ssid: other, mode: g, channel: 1}
  sta1: {kind: sta, ssid: campus, roles: [client]}
links:
  - {between: [h1, r1]}
  - {between: [r1, ap1]}
  - {between: [h2, ap1]}
medium: {}
"""
WORK = """\
name: work
roles: {server: 1, client: 1}
duration: 3 s
processes:
  - {on: client, run: {probe: ping, to: "{server.ip}", count: 3, every: 200 ms}, at: 0 s, as: pinged}
  - {on: client, run: [ping, -c, "1", -W, "1", 192.0.2.1], at: 0 s, as: nobody, required: false}
  - {on: client, run: [ip, -j, route, get, "{server.ip}"], at: 1 s, as: way}
  - {on: client, run: [ip, -j, route, get, "{h2.ip}"], at: 1 s, as: neighbour}
  - {on: client, run: [getent, hosts, localhost], at: 1 s, as: known}
  - {on: client, run: [getent, hosts, nowhere.invalid], at: 1 s, as: lost, required: false}
  - {on: client, run: [sh, -c, "echo it is 21 degrees; exec sleep 99"], at: 0 s, as: talks, may_run_on: true}
  - {on: client, run: [sh, -c, "echo no >&2; exit 3"], at: 1 s, as: dies, required: false}
probes:
  - {on: sta1, probe: link}
  - {on: server, probe: tcpdump, as: wire}
timeline:
  - {at: 2 s, disconnect: sta1}
"""
HEARS = """\
name: hears
duration: 3 s
processes: []
probes:
PROBES
timeline:
  - {at: 2 s, disconnect: sta1}
"""
HEARING = {
    "station": "  - {on: sta1, probe: wpa-events}\n",
    "points": "  - {on: ap1, probe: hostapd-events}\n  - {on: ap2, probe: hostapd-events, as: ap2-events}\n",
}
PYTHON = """\
def sender(evidence):
    return evidence.plan.node("sta1").kind == "sta", "sta1 is a station"


def half(evidence):
    return 0.5, f"the answer is {evidence.values['answers']['far'].value:g}"
"""
CHECKED = {  # kind: what holds, what does not, and what is seen of that
    "that": ("that: pinged.received == 3", "that: pinged.received > 3", "pinged.received = 3, wanted > 3"),
    "near": (
        "near: answers.far, to: numbers.far, within: {5%: 1}",
        "near: answers.far, to: 2 * numbers.far, within: {1 m: 1, 20 m: 0.25}",
        "abs(answers.far - (2 * numbers.far)) = 10 m, wanted <= 1 m",
    ),
    "capture": (
        'capture: air, contains: "icmp && wlan.ta == {sta1.mac}", at_least: 3',
        "capture: air, lacks: wlan.fc.type_subtype == 8",
        " frames of wlan.fc.type_subtype == 8, wanted none",
    ),
    "associated": (
        "associated: sta1, with: ap1, at: 1 s",
        "associated: sta1, with: ap1",
        "at 3 s, sta1 is associated with no access point, wanted ap1",
    ),
    "reachable": (
        "reachable: pinged, answers: all",
        "reachable: nobody",
        "nobody ended with exit status 1; wanted some",
    ),
    "route": ("route: way, via: r1", "route: neighbour, via: r1", "the next hop of neighbour is none, by sta1-wlan0"),
    "resolves": ("resolves: known, to: 127.0.0.1", "resolves: lost, to: h1", "lost got no address, wanted h1"),
    "output": (
        'output: talks, matches: "is [0-9]+ deg"',
        "output: dies, stream: err, lacks: ^no$",
        "1 line of dies of 1 match ^no$, wanted none",
    ),
    "alive": ("alive: talks", "alive: dies", "dies ended before the end of the run, with exit status 3"),
    "python": ("python: sender", "python: half", "the answer is 10"),
}
MORE = [  # that hold
    "capture: wire, lacks: tcp",
    'capture: wire, contains: "icmp.type == 8 && ip.dst == {server.ip}"',
    "associated: sta1, nowhere: true",
    "reachable: nobody, answers: none",
    "reachable: pinged, answers: none, after: 2 s",
    "route: neighbour, direct: true, dev: sta1-wlan0",
    "resolves: lost, unknown: true",
]


def written(name: str, check: str, run: str = "only") -> str:
    return f"  - {{name: {name}, about: It holds., run: {run}, points: 4, {check}}}\n"


@pytest.fixture(scope="module")
def marked(tmp_path_factory: pytest.TempPathFactory) -> dict[str, CheckResult]:
    """What all checks have found in one run."""
    folder = tmp_path_factory.mktemp("exercises") / "kinds"
    for part in ("given", "starter", "reference", "broken/none"):
        (folder / part).mkdir(parents=True)
    (folder / "task.md").write_text("Write down {numbers.far}.\n")
    (folder / "check.py").write_text(PYTHON)
    (folder / "given" / "cell.yaml").write_text(CELL)
    (folder / "given" / "work.yaml").write_text(WORK)
    (folder / "reference" / "answers.yaml").write_text("far: 10 m\n")
    checks = [written(f"{kind}-holds", holds) for kind, (holds, _, _) in CHECKED.items()]
    checks += [written(f"{kind}-fails", fails) for kind, (_, fails, _) in CHECKED.items()]
    checks += [written(f"more-{number}", check) for number, check in enumerate(MORE)]
    for who, probes in HEARING.items():
        (folder / "given" / f"{who}.yaml").write_text(HEARS.replace("PROBES\n", probes))
        checks.append(written(f"{who}-with", "associated: sta1, with: ap1, at: 1 s", who))
        checks.append(written(f"{who}-nowhere", "associated: sta1, nowhere: true", who))
        checks.append(written(f"{who}-other", "associated: sta1, with: ap2", who))
    (folder / "exercise.yaml").write_text(
        "name: Kinds\nabout: All kinds of checks.\nminutes: 1\ngoals: [none]\n"
        "numbers: {far: {one_of: ['10', '10.0'], unit: m}}\n"
        "hand_in: {answers.yaml: {answers: {far: {about: How far?, unit: m}}}}\n"
        "runs:\n  only: {topology: cell.yaml, workload: work.yaml}\n"
        "  station: {topology: cell.yaml, workload: station.yaml}\n"
        "  points: {topology: cell.yaml, workload: points.yaml}\n"
        f"checks:\n{''.join(checks)}broken: {{none: [alive-fails]}}\n"
    )
    result = mark(load(str(folder)), folder / "reference", Student("Ada"), tmp_path_factory.mktemp("out"))
    assert result.refused == ""
    return {check.name: check for check in result.checks}


def test_every_kind_is_tried() -> None:
    assert set(CHECKED) == set(CHECKS.known())


@pytest.mark.parametrize("kind", CHECKED)
def test_a_check_that_holds_gets_all_points(marked: dict[str, CheckResult], kind: str) -> None:
    check = marked[f"{kind}-holds"]
    assert check.points == 4, check.seen


@pytest.mark.parametrize("kind", CHECKED)
def test_a_check_that_does_not_hold_says_what_was_seen(marked: dict[str, CheckResult], kind: str) -> None:
    check = marked[f"{kind}-fails"]
    assert check.points == {"near": 1, "python": 2}.get(kind, 0) and CHECKED[kind][2] in check.seen


@pytest.mark.parametrize("number", range(len(MORE)))
def test_other_forms_hold(marked: dict[str, CheckResult], number: int) -> None:
    check = marked[f"more-{number}"]
    assert check.points == 4, check.seen


@pytest.mark.parametrize("who", HEARING)
def test_association_is_seen_from_both_ends(marked: dict[str, CheckResult], who: str) -> None:
    assert [marked[f"{who}-{what}"].points for what in ("with", "nowhere", "other")] == [4, 4, 0]
    assert marked[f"{who}-other"].seen == "at 3 s, sta1 is associated with no access point, wanted ap2"


def test_what_is_seen_of_an_answer_is_not_shown(marked: dict[str, CheckResult]) -> None:
    assert [name for name, check in marked.items() if check.about_answers] == ["near-holds", "near-fails"]


def test_the_guest_knows_nothing_of_the_checks(marked: dict[str, CheckResult]) -> None:
    plan: dict[str, Any] = json.loads(Path(marked["alive-holds"].where, "plan.json").read_text())
    assert plan["checks"] == [] and plan["pcap"] == "air" and "degrees" in str(plan) and "[0-9]+ deg" not in str(plan)
