# SPDX-License-Identifier: MIT
"""What a guest has left may be anything: the submission gets nothing for it, with the reason, and nothing else ends."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lab.errors import InputError, RecordError, RunError
from lab.expressions.values import ValueWithUnit
from lab.grading import feedback, marks
from lab.grading.exercise import Student, load
from lab.grading.results import Result
from lab.record import Record
from lab.shared.types import Plan

NET = """\
name: net
nodes:
  h1: {kind: host, roles: [server]}
  ap1: {kind: ap, ssid: a, mode: g, channel: 1}
  sta1: {kind: sta, ssid: a, roles: [client]}
links:
  - {between: [h1, ap1]}
medium: {}
"""
WORK = """\
name: work
roles: {server: 1, client: 1}
duration: 1 s
processes:
  - {on: client, run: {probe: ping, to: "{server.ip}", count: 3}, as: pinged}
  - {on: client, run: [echo, hello], as: says}
probes:
  - {on: sta1, probe: link}
"""
EXERCISE = """\
name: A test
about: A test.
minutes: 1
goals: [none]
hand_in: {answers.yaml: {answers: {far: {about: How far?, unit: m}}}}
runs: {only: {topology: net.yaml, workload: work.yaml}}
broken: {none: [one]}
checks:
"""
CHECK_PY = """\
def fails(evidence):
    return {}["x"], ""


def wrong(evidence):
    return 2, "too much"


def one(evidence):
    return True


def asks(evidence):
    return True, evidence.values["answers"]["far"]


def knows(evidence):
    return True, "it does"


def right_knows(evidence):
    return 7


def lies(evidence):
    return True, "it does"


def right_lies(evidence):
    return "seven"
"""
EMPTY: dict[str, Any] = {"processes": [], "sources": {}, "metrics": {}, "error": None}

Marked = Callable[..., Result]


@pytest.fixture
def marked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Marked:
    """Mark a submission by a check, with this record of its run, or what is raised instead; no guest runs."""

    def mark(check: str, data: Any, more: str = "", most_bytes: int = 256 << 20, answers: str = "far: 3 m\n") -> Result:
        folder = tmp_path / "a-test"
        for part in ("given", "starter", "reference", "broken/none"):
            (folder / part).mkdir(parents=True, exist_ok=True)
        (folder / "task.md").touch()
        (folder / "check.py").write_text(CHECK_PY)
        (folder / "given" / "net.yaml").write_text(NET)
        (folder / "given" / "work.yaml").write_text(f"{WORK}{more}checks:\n  - {{that: pinged.received == 3}}\n")
        (folder / "reference" / "answers.yaml").write_text(answers)
        (folder / "exercise.yaml").write_text(f"{EXERCISE}  - {{name: one, about: It is so., points: 4, {check}}}\n")

        def run_plan(plan: Plan, machine: object, directory: Path, look: object, timeout_s: float) -> Record:
            assert plan.max_output_bytes == most_bytes and plan.checks == []
            (directory / "raw").mkdir()
            (directory / "raw" / "says.out").write_text("a" * 40 + "!\n")
            (directory / "guest.json").write_text('{"associations": 1}')
            if isinstance(data, Exception):
                raise data
            return Record(directory, data)

        monkeypatch.setattr(marks, "run_plan", run_plan)
        monkeypatch.setattr(marks, "machine_for", lambda plan, workload, report: None)
        out = tmp_path / "out"
        shutil.rmtree(out, ignore_errors=True)
        out.mkdir()
        return marks.mark(load(str(folder)), folder / "reference", Student("Ada"), out)

    return mark


@pytest.mark.parametrize(
    ("check", "data", "seen"),
    [
        ("alive: says", RecordError("guest.json cannot be read"), "the run failed: guest.json cannot be read"),
        ("alive: says", EMPTY, "says was not started"),
        ("reachable: pinged", EMPTY, "the record has nothing of pinged"),
        ("reachable: says", EMPTY, "says was not started; wanted some"),
        ("associated: sta1, with: ap1", EMPTY, "guest.json cannot be read: "),
        ("output: pinged, matches: x", EMPTY, "pinged has not been started"),
        ('output: says, matches: "(a+)+$"', EMPTY, "the search in the output of says takes too long"),
        ("that: pinged.received == 3", EMPTY, 'cannot be evaluated: unknown name "pinged"'),
    ],
)
def test_what_is_missing_or_damaged_gets_nothing_with_the_reason(
    marked: Marked, monkeypatch: pytest.MonkeyPatch, check: str, data: Any, seen: str
) -> None:
    monkeypatch.setattr("lab.checks.output._CPU_S", 0.1)
    result = marked(check, data)
    assert result.points == 0 and result.checks[0].seen.startswith(seen), result.checks[0].seen


def test_a_run_that_was_ended_is_the_reason_also_for_checks_of_answers(marked: Marked) -> None:
    failure = RunError("--timeout: it took more than 5 min")
    result = marked("near: answers.far, to: 1 m, within: {5%: 1}, hint: Think", failure)
    (check, *_) = result.checks
    assert check.seen == "the run failed: timeout: it took more than 5 min"
    assert (check.about_answers, check.hint) == (False, "")


def test_who_asks_for_right_answers_of_a_run_that_failed_reads_which_and_why(marked: Marked, tmp_path: Path) -> None:
    marked("near: answers.far, to: 1 m, within: {5%: 1}", RunError("the guest stood still"))
    exercise = load(str(tmp_path / "a-test"))
    out = tmp_path / "again"
    out.mkdir()
    ran = marks.run(exercise, exercise.folder / "reference", Student("Ada"), out, exercise.model.checks)
    with pytest.raises(RunError, match="^the run only failed: the guest stood still$"):
        ran.right(exercise.model.checks[0])


@pytest.mark.parametrize(
    ("check", "where", "message"),
    [
        ("python: fails", "check.py:2", "fails failed: KeyError: 'x'"),
        ("python: wrong", "check.py", "wrong returned the share 2"),
        ("python: one", "check.py", "one failed: TypeError: cannot unpack non-iterable bool object"),
        (
            'output: says, matches: "{nobody.ip}"',
            "exercise.yaml:9",
            "checks.0: {nobody.ip}: unknown role or node nobody",
        ),
    ],
)
def test_a_mistake_of_the_exercise_is_not_the_submissions(marked: Marked, check: str, where: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        marked(check, EMPTY)
    assert caught.value.where is not None and caught.value.where.endswith(where)
    assert caught.value.message.startswith(message)


def test_a_run_may_not_fill_the_disk_unless_its_workload_says_so(marked: Marked) -> None:
    marked("alive: says", EMPTY)
    marked("alive: says", EMPTY, "max_output: 3 GiB\n", 3 << 30)


@pytest.mark.parametrize(
    "check", ["that: answers.far == 3 m", "near: answers.far, to: 3 m, within: {5%: 1}", "python: asks"]
)
def test_an_answer_that_is_not_valid_costs_the_checks_about_it_and_students_see_why(marked: Marked, check: str) -> None:
    result = marked(check, EMPTY, answers="far: 3\n")
    assert not result.refused and result.points == 0
    assert result.checks[0].seen.startswith('answers.yaml:1  far: "3" has no unit; write 3 m')
    assert result.checks[0].where and "has no unit" in feedback.text(result)


def test_an_answer_that_is_not_valid_costs_no_other_check(marked: Marked) -> None:
    assert marked("that: 1 == 1", EMPTY, answers="far: 3\n").points == 4


def test_why_answers_were_not_read_is_said_once(marked: Marked) -> None:
    result = marked("that: 1 == 1", EMPTY, answers="far: [3\n")
    assert len(result.invalid) == 1 and result.invalid[0].startswith("answers.yaml:")
    assert marked("that: 1 == 1", EMPTY).invalid == ()


@pytest.mark.parametrize(
    ("check", "hidden"),
    [
        ("that: answers.far == 3 m", True),
        ("that: answers.far == 3 m, show_values: true", False),
        ("that: 1 == 1", False),
        ("that: 1 == 1, show_values: false", True),
        ("python: asks", False),
        ("python: asks, show_values: false", True),
    ],
)
def test_an_exercise_may_say_what_students_see(marked: Marked, check: str, hidden: bool) -> None:
    result = marked(check, EMPTY)
    assert result.checks[0].about_answers == hidden
    assert (result.checks[0].seen in feedback.text(result)) != hidden


@pytest.mark.parametrize(
    ("check", "right"),
    [
        ("near: answers.far, to: 2 * 3 m, within: {5%: 1}", {"far": ValueWithUnit(6, "m")}),
        ("near: 1, to: 1, within: {5%: 1}", {}),
        ("that: answers.far == 3 m", {}),
        ("python: knows", {"knows": ValueWithUnit(7.0)}),
        ("python: asks", {}),
    ],
)
def test_a_check_may_know_the_right_answer(
    marked: Marked, tmp_path: Path, check: str, right: dict[str, ValueWithUnit]
) -> None:
    marked(check, EMPTY)
    exercise, out = load(str(tmp_path / "a-test")), tmp_path / "again"
    out.mkdir()
    ran = marks.run(exercise, tmp_path / "a-test" / "reference", Student("Ada"), out, exercise.model.checks)
    assert ran.right(exercise.model.checks[0]) == right


def test_a_right_answer_that_is_no_number_is_the_exercises_mistake(marked: Marked, tmp_path: Path) -> None:
    marked("python: lies", EMPTY)
    exercise, out = load(str(tmp_path / "a-test")), tmp_path / "again"
    out.mkdir()
    ran = marks.run(exercise, tmp_path / "a-test" / "reference", Student("Ada"), out, exercise.model.checks)
    with pytest.raises(InputError, match="right_lies failed: ValueError"):
        ran.right(exercise.model.checks[0])
