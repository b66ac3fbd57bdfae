# SPDX-License-Identifier: MIT
"""Whether students could take numbers from each other: those that a formula gives, without a run.

`lab doctor --grade --students 30` compares those that only a run gives, too (`make test-exercises`).
"""

from __future__ import annotations

import json
import runpy
import shutil
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from lab.cli.exercises import print_copying
from lab.errors import HostError, InputError, RunError
from lab.expressions.values import ValueWithUnit
from lab.grading import copying
from lab.grading.copying import ReferenceFailure, Solved, compare, invented
from lab.grading.evidence import quantities
from lab.grading.exercise import REFERENCE, Exercise, Student, known, load
from lab.grading.results import CheckResult
from lab.model.exercise_check import EvidenceError, ExerciseCheck
from lab.shared.medium_types import OnAir
from lab.shared.types import Plan
from tests.unit.grading.test_exercise import folder

__all__ = ["folder"]

NAMES = 30
MOST = 0.05  # of the pairs may share all that a formula gives: what a run gives makes them fewer
FAR = 0.1  # numbers that differ by more are not right for each other; no check tolerates as much for all points


def _of_model(exercise: Exercise, numbers: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the reference's model says of the runs of bianchi: the run alone, and that with many stations."""
    model = runpy.run_path(str(exercise.folder / REFERENCE / "model.py"))
    alone = model["throughput"](1, int(numbers["size"].value))
    lost = 100 * model["collisions"](int(numbers["many"].value))
    return {"goodput": {"sum": ValueWithUnit(alone, "Mbit/s")}, "lost": {"mean": ValueWithUnit(lost, "%")}}


MEASURED: dict[str, Callable[[Exercise, Mapping[str, Any]], dict[str, Any]]] = {"bianchi": _of_model}


class OnlyNumbers:
    """Evidence without a run: the student's numbers, and answers."""

    medium: OnAir | None = None

    def __init__(self, exercise: Exercise, student: Student, answers: Mapping[str, Any]) -> None:
        self.exercise = exercise.folder
        numbers = quantities(student.numbers(exercise))
        self.values = {"numbers": numbers, "answers": answers}
        if exercise.id in MEASURED:
            self.values |= MEASURED[exercise.id](exercise, numbers)

    @property
    def plan(self) -> Plan:
        raise EvidenceError("no run")

    @property
    def directory(self) -> Path:
        raise EvidenceError("no run")

    def fill(self, text: str) -> str:
        raise EvidenceError("no run")

    def ended(self, process: str) -> Mapping[str, Any] | None:
        raise EvidenceError("no run")

    def source(self, process: str) -> Mapping[str, Any]:
        raise EvidenceError("no run")

    def output(self, process: str, stream: str = "out") -> str:
        raise EvidenceError("no run")

    def captures(self, of: str) -> Sequence[Path]:
        raise EvidenceError("no run")

    def associations(self) -> Mapping[str, str]:
        raise EvidenceError("no run")


def right(exercise: Exercise, student: Student) -> dict[str, tuple[ExerciseCheck, ValueWithUnit]]:
    """Return the right numbers, by answer, with the checks that are about them: those that need no run."""
    found = {}
    for check in exercise.model.checks:
        try:
            answers = check.right(OnlyNumbers(exercise, student, {}))
        except EvidenceError:  # it needs a run
            continue
        except InputError as error:  # a condition on what a run gives; a formula that fails is a mistake
            if "unknown name" not in str(error):
                raise
            continue
        found.update({name: (check, value) for name, value in answers.items()})
    return found


def near(one: ValueWithUnit, other: ValueWithUnit) -> bool:
    return abs(float(one.base) - float(other.base)) <= FAR * abs(float(other.base))


def shares(
    own: Mapping[str, tuple[ExerciseCheck, ValueWithUnit]],
    evidence: OnlyNumbers,
    answers: Mapping[str, tuple[ExerciseCheck, ValueWithUnit]],
) -> bool:
    """Return whether what is right for another student is right for this one, too."""
    if not all(near(value, answers[name][1]) for name, (_, value) in own.items()):
        return False
    evidence.values["answers"] = {name: value for name, (_, value) in answers.items()}
    return all(check.judge(evidence).share == 1 for check, _ in own.values())


@pytest.mark.parametrize("name", known())
def test_few_students_share_the_numbers_that_a_formula_gives(name: str) -> None:
    exercise = load(name)
    each = [(right(exercise, one), OnlyNumbers(exercise, one, {})) for one in invented(NAMES)]
    asked = list(each[0][0])
    assert asked and all(shares(own, evidence, own) for own, evidence in each)  # right for oneself
    pairs = list(combinations(each, 2))
    shared = sum(shares(*one, other[0]) or shares(*other, one[0]) for one, other in pairs)
    assert shared <= MOST * len(pairs), f"{shared} of {len(pairs)} pairs share {', '.join(asked)}"


def solved(name: str, number: float, *, reaches: bool = True) -> Solved:
    """A student whose right number is this one, within 1, and who may fail another check with the reference."""

    def judge(answers: Mapping[str, Any]) -> list[CheckResult]:
        passed = {"far": abs(answers["far"].value - number) <= 1, "cured": reaches}
        return [
            CheckResult(check, check, float(holds), 1, True, f"{check} is {holds}", None, "", False)
            for check, holds in passed.items()
        ]

    return Solved(Student(name), {"far": "far"}, {"far": ValueWithUnit(number, "m")}, judge)


def test_pairs_that_share_all_numbers_are_counted(folder: Path) -> None:
    (folder / "reference" / "answers.yaml").write_text("time: 3 ms\n")
    found = compare(load("a-test"), [solved("a", 1), solved("b", 2), solved("c", 9)])
    assert (found.pairs, found.all, found.holds, found.failures) == (3, 1, False, [])
    (far,) = found.each
    assert (far.answer, str(far.lowest), str(far.highest), far.pairs) == ("far", "1 m", "9 m", 1)
    assert compare(load("a-test"), [solved("a", 1), solved("b", 5), solved("c", 9)]).holds


def test_students_who_cannot_reach_every_point_are_named_with_what_was_seen(folder: Path) -> None:
    found = compare(load("a-test"), [solved("a", 1), solved("b", 9, reaches=False)])
    assert found.failures == [ReferenceFailure("b", "fails cured: cured is False")] and not found.holds


class Runs:
    """Runs of the reference: the right time of the Nth student is N ms, and with some numbers the run fails."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, failing: Mapping[str, Exception]) -> None:
        self.students: list[str] = []
        self._failing = failing
        monkeypatch.setattr(copying, "run", self._run)
        monkeypatch.setattr("lab.machine.cage.require", lambda: None)

    def _run(
        self, exercise: Exercise, submission: Path, student: Student, out: Path, checks: object, between: object
    ) -> Ran:
        assert submission.name == REFERENCE and out.is_dir()
        self.students.append(student.name)
        return Ran(len(self.students), self._failing.get(f"{exercise.id}, {student.name}"))


class Ran:
    def __init__(self, number: int, failure: Exception | None) -> None:
        self.number, self.failure = number, failure

    def right(self, check: ExerciseCheck) -> dict[str, ValueWithUnit]:
        if self.failure:
            raise self.failure
        return {"time": ValueWithUnit(self.number, "ms")}

    def judge(self, checks: list[ExerciseCheck], answers: Mapping[str, Any]) -> tuple[CheckResult, ...]:
        return (CheckResult("time", "", float(answers["time"].value == self.number), 1, True, "", None, "", False),)


@pytest.fixture
def two(folder: Path) -> list[Exercise]:
    """Two exercises that are equal but for their names."""
    (folder / "reference" / "answers.yaml").write_text("time: 3 ms\n")
    shutil.copytree(folder, folder.with_name("b-test"))
    return [load("a-test"), load("b-test")]


ALL = ["Student 1", "Student 2", "Student 3", "Student 4"]


def test_the_reference_is_run_for_each_student(
    two: list[Exercise], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran = Runs(monkeypatch, {})
    (found,) = copying.find(two[:1], 4, tmp_path / "out")
    assert ran.students == ALL
    assert (found.students, found.pairs, found.all, found.holds) == (4, 6, 0, True)


def test_every_run_that_fails_is_listed_and_the_others_go_on(
    two: list[Exercise], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    failing = {
        "a-test, Student 1": RunError("the run after failed: the guest stood still"),
        "a-test, Student 3": EvidenceError("the record has nothing of call"),
        "b-test, Student 4": InputError("9 m is too far", where="files/cell.yaml:3"),
    }
    ran, done = Runs(monkeypatch, failing), []
    first, second = copying.find(
        two, 4, tmp_path / "out", on_done=lambda what, number, of: done.append((what, number, of))
    )
    assert ran.students == [*ALL, *ALL] and done[-1] == ("b-test, Student 4", 8, 8)
    assert first.failures == [
        ReferenceFailure("Student 1", "the run after failed: the guest stood still"),
        ReferenceFailure("Student 3", "the record has nothing of call"),
    ]
    assert second.failures == [ReferenceFailure("Student 4", "files/cell.yaml:3  9 m is too far")]
    assert [(one.students, one.pairs, one.all, one.holds) for one in (first, second)] == [
        (2, 1, 0, False),
        (3, 3, 0, False),
    ]


def test_an_exercise_whose_runs_all_fail_is_one_of_several(
    two: list[Exercise], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Runs(monkeypatch, {f"a-test, {student}": RunError("the run failed") for student in ALL})
    first, second = copying.find(two, 4, tmp_path / "out")
    assert [one.student for one in first.failures] == ALL and not first.holds and first.each == ()
    assert second.holds and second.students == 4


def test_what_the_machine_lacks_ends_all(two: list[Exercise], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ran = Runs(monkeypatch, {"a-test, Student 2": HostError("the disk is full")})
    with pytest.raises(HostError, match="the disk is full"):
        copying.find(two, 4, tmp_path / "out")
    assert ran.students == ALL[:2]


def test_failures_are_printed_with_exercise_and_student_and_the_status_says_so(
    two: list[Exercise], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    Runs(
        monkeypatch,
        {
            "a-test, Student 2": RunError("the run after failed: the guest stood still"),
            "b-test, Student 3": RunError("the run before failed: a signal ended it"),
        },
    )
    assert print_copying(["a-test", "b-test"], 4, 1, as_json=False) == 1
    assert [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()] == [
        "exercise answer lowest highest pairs of",
        "WRONG a-test all 0 3",
        "time 1 ms 4 ms 0",
        "WRONG b-test all 0 3",
        "time 5 ms 8 ms 0",
        "",
        "exercise student what is wrong",
        "a-test Student 2 the run after failed: the guest stood still",
        "b-test Student 3 the run before failed: a signal ended it",
    ]
    assert print_copying(["a-test", "b-test"], 4, 1, as_json=True) == 1
    assert [one["failures"] for one in json.loads(capsys.readouterr().out)] == [
        [{"student": "Student 2", "reason": "the run after failed: the guest stood still"}],
        [{"student": "Student 3", "reason": "the run before failed: a signal ended it"}],
    ]
    Runs(monkeypatch, {})
    assert print_copying(["a-test"], 2, 1, as_json=False) == 0
    assert "what is wrong" not in capsys.readouterr().out


def test_an_exercise_without_numbers_says_so(folder: Path) -> None:
    nothing = Solved(Student("a"), {}, {}, lambda answers: [])
    with pytest.raises(InputError, match="a-test asks for no number whose right value is known"):
        compare(load("a-test"), [nothing, nothing])
