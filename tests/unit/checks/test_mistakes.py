# SPDX-License-Identifier: MIT
"""What is wrong with a check is said with its line, before anything runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.errors import InputError
from lab.grading.exercise import Student, load
from lab.grading.marks import check_plans

WIRED = """\
name: wired
nodes:
  h1: {kind: host, roles: [server]}
  h2: {kind: host, roles: [client]}
links:
  - {between: [h1, h2]}
"""
CELL = """\
name: cell
nodes:
  ap1: {kind: ap, ssid: a, mode: g, channel: 1, roles: [server]}
  sta1: {kind: sta, ssid: a, roles: [client]}
"""
WORK = """\
name: work
roles: {server: 1, client: 1}
duration: 3 s
processes:
  - {on: client, run: {probe: ping, to: h1, count: 3}, as: pinged}
  - {on: client, run: ["true"], as: other}
  - {on: client, run: [getent, hosts, h1], as: named}
"""
TEXT = """\
name: A test
about: A test.
minutes: 1
goals: [none]
hand_in: {answers.yaml: {answers: {far: {about: How far?, unit: m}}}}
runs: {only: {topology: net.yaml, workload: work.yaml}}
broken: {late: [one]}
checks:
"""


def mistakes(tmp_path: Path, check: str, topology: str = WIRED, python: str | None = None) -> str:
    folder = tmp_path / "a-test"
    for part in ("given", "starter", "reference", "broken/late"):
        (folder / part).mkdir(parents=True)
    (folder / "task.md").write_text("A task.\n")
    (folder / "given" / "net.yaml").write_text(topology)
    (folder / "given" / "work.yaml").write_text(WORK)
    (folder / "exercise.yaml").write_text(f"{TEXT}  - {{name: one, about: It is so., points: 1, {check}}}\n")
    if python is not None:
        (folder / "check.py").write_text(python)
    with pytest.raises(InputError) as caught:
        check_plans(load(str(folder)), Student("Ada"), tmp_path / "out")
    where, _, message = str(caught.value).partition("  ")
    assert where.endswith("exercise.yaml:9")
    return message.partition("\n")[0]


@pytest.mark.parametrize(
    ("check", "message"),
    [
        ("points_: 1", 'checks.0: unknown kind of check "points_"; a check needs one of these keys: alive, '),
        ("outptu: x", 'checks.0: unknown kind of check "outptu" (did you mean output?); a check needs one of '),
        (
            "that: a < 1, alive: other",
            "checks.0.alive: a check has one kind, but this one has that and alive; write 2 ",
        ),
        ("that: a <", "checks.0.that: a <: "),
        ("that: a < 1, partly: {a <: 0.5}", "checks.0.partly: a <: "),
        ("near: answers.far, to: 3 m, within: {5%: 0.5}", "checks.0.within: the first band has the share 1"),
        ("near: answers.far, to: 3 m, within: {5%: 1, 9%: 1.5}", "checks.0.within: the first band has the share 1"),
        ("near: answers.far, to: 3 m, within: {x%: 1}", "checks.0.within: x%: is not a number"),
        ("near: answers.far, to: 3 m +, within: {5%: 1}", "checks.0.within: 5%: "),
        ("alive: otter", 'checks.0.alive: unknown process "otter" (did you mean other?); known: pinged, other, named'),
        ("output: otter, matches: a", 'checks.0.output: unknown process "otter" (did you mean other?)'),
        ("output: other, matches: a, lacks: b", "checks.0: needs either matches: or lacks:"),
        ("output: other, matches: (", 'checks.0.matches: "(" is not a valid regular expression: '),
        ("reachable: otter", 'checks.0.reachable: unknown process "otter"'),
        ("reachable: other, after: 1 s", "checks.0.after: only a ping says when it was answered; other is not one"),
        ("reachable: pinged, after: 1 s, answers: all", "checks.0.after: does not go with answers: all"),
        ("route: other, via: h1", "checks.0.route: other must run [ip, -j, route, get, ADDRESS]"),
        ("route: other", "checks.0: needs either via: (a node or an address) or direct: true"),
        ("resolves: other, to: h1", "checks.0.resolves: other must run [getent, hosts, NAME]"),
        ("resolves: named, to: h7", 'checks.0.to: unknown node "h7"'),
        ("associated: sta1, with: ap1", 'checks.0.associated: unknown station "sta1"'),
        ("associated: sta1", "checks.0: needs either with: (an access point) or nowhere: true"),
        ("capture: pinged, contains: udp", 'checks.0.capture: unknown probe tcpdump "pinged"; known: air'),
        ("capture: air", "checks.0: needs either contains: or lacks:, with a display filter of Wireshark"),
        ("python: far", "checks.0.python: needs check.py next to exercise.yaml"),
    ],
)
def test_a_mistake_has_its_line(tmp_path: Path, check: str, message: str) -> None:
    found = mistakes(tmp_path, check)
    assert found.startswith(message), found


def test_association_needs_a_probe(tmp_path: Path) -> None:
    assert mistakes(tmp_path, "associated: sta1, with: ap1", CELL) == (
        "checks.0.associated: the workload needs a probe that tells: link or wpa-events on the station, or "
        "hostapd-events on the access point"
    )


def test_a_function_has_to_be_there(tmp_path: Path) -> None:
    assert mistakes(tmp_path / "1", "python: far", python="def fra(evidence): ...\n") == (
        'checks.0.python: unknown function of check.py "far" (did you mean fra?); known: fra'
    )
    assert "checks.0.python: check.py is not valid Python: " in mistakes(tmp_path / "2", "python: far", python="def\n")
