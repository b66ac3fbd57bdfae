# SPDX-License-Identifier: MIT
"""Whether students could take numbers from each other: those that a formula gives, without a run.

`lab doctor --grade --students 30` compares those that only a run gives, too (`make test-exercises`).
"""

from __future__ import annotations

import runpy
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from lab.errors import InputError
from lab.expressions.values import ValueWithUnit
from lab.grading import copying
from lab.grading.copying import Solved, compare, invented
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
            CheckResult(check, check, float(holds), 1, True, "", None, "", False) for check, holds in passed.items()
        ]

    return Solved(Student(name), {"far": "far"}, {"far": ValueWithUnit(number, "m")}, judge)


def test_pairs_that_share_all_numbers_are_counted(folder: Path) -> None:
    (folder / "reference" / "answers.yaml").write_text("time: 3 ms\n")
    found = compare(load("a-test"), [solved("a", 1), solved("b", 2), solved("c", 9)])
    assert (found.pairs, found.all, found.holds, dict(found.failing)) == (3, 1, False, {})
    (far,) = found.each
    assert (far.answer, str(far.lowest), str(far.highest), far.pairs) == ("far", "1 m", "9 m", 1)
    assert compare(load("a-test"), [solved("a", 1), solved("b", 5), solved("c", 9)]).holds


def test_students_who_cannot_reach_every_point_are_named(folder: Path) -> None:
    found = compare(load("a-test"), [solved("a", 1), solved("b", 9, reaches=False)])
    assert dict(found.failing) == {"b": ["cured"]} and not found.holds


def test_the_reference_is_run_for_each_student(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Ran:
        def __init__(self, number: int) -> None:
            self.number = number

        def right(self, check: ExerciseCheck) -> dict[str, ValueWithUnit]:
            return {"time": ValueWithUnit(self.number, "ms")}

        def judge(self, checks: list[ExerciseCheck], answers: Mapping[str, Any]) -> tuple[CheckResult, ...]:
            return (CheckResult("time", "", float(answers["time"].value == self.number), 1, True, "", None, "", False),)

    ran = []

    def run(exercise: Exercise, submission: Path, student: Student, out: Path, checks: object, between: object) -> Ran:
        assert submission.name == REFERENCE and out.is_dir()
        ran.append(student.name)
        return Ran(len(ran))

    monkeypatch.setattr(copying, "run", run)
    monkeypatch.setattr("lab.machine.cage.require", lambda: None)
    (folder / "reference" / "answers.yaml").write_text("time: 3 ms\n")
    (found,) = copying.find([load("a-test")], 4, tmp_path / "out")
    assert ran == ["Student 1", "Student 2", "Student 3", "Student 4"]
    assert (found.students, found.pairs, found.all, found.holds) == (4, 6, 0, True)


def test_an_exercise_without_numbers_says_so(folder: Path) -> None:
    nothing = Solved(Student("a"), {}, {}, lambda answers: [])
    with pytest.raises(InputError, match="a-test asks for no number whose right value is known"):
        compare(load("a-test"), [nothing, nothing])
