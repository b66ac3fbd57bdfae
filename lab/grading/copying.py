# SPDX-License-Identifier: MIT
"""Shows how far students could copy answers: whether one student's right numbers are right for another one, too.

Some students are invented. The reference is run with the numbers and the seed of each, which also shows that everybody
can reach every point. Then each answers what is right for another one. Only numbers count: words are the same for all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

from lab.errors import InputError, writing
from lab.expressions.values import ValueWithUnit
from lab.grading import submission as submissions
from lab.grading.exercise import REFERENCE, Exercise, Student, require_whole
from lab.grading.marks import Ran, run
from lab.grading.results import CheckResult
from lab.machine import cage
from lab.runs.pool import Pool, Threads

_WRITE = "a check with near: answers.NAME, or a function right_NAME in check.py"
MOST = 0.03  # of the pairs of students that may share all numbers

_Job = tuple[Exercise, Student]


@dataclass(frozen=True)
class Shared:
    """An answer, or all of them together: how many pairs of students could take it from each other."""

    answer: str
    lowest: ValueWithUnit
    highest: ValueWithUnit
    pairs: int


@dataclass(frozen=True)
class Copying:
    """What has come of an exercise: each answer that is a number, and all of them together."""

    exercise: Exercise
    students: int
    each: Sequence[Shared]
    all: int
    failing: Mapping[str, Sequence[str]]  # the checks that the reference does not pass for a student, by name

    @property
    def pairs(self) -> int:
        """Return how many pairs of students there are."""
        return self.students * (self.students - 1) // 2

    @property
    def holds(self) -> bool:
        """Return whether the reference is right for all, and few pairs share all numbers."""
        return not self.failing and self.all <= MOST * self.pairs


@dataclass(frozen=True)
class Solved:
    """The exercise as a student would have solved it: the runs of the reference, and the right numbers.

    ``about``: the answer that a check is about, by the check's name; ``right``: the right numbers, by answer.
    """

    student: Student
    about: Mapping[str, str]
    right: Mapping[str, ValueWithUnit]
    judge: Callable[[Mapping[str, ValueWithUnit | str | None]], Sequence[CheckResult]]


def invented(number: int) -> list[Student]:
    """Return students who do not exist."""
    return [Student(f"Student {one}") for one in range(1, number + 1)]


def find(
    exercises: Sequence[Exercise],
    number: int,
    out: Path,
    jobs: int = 1,
    on_done: Callable[[str, int, int], None] = lambda what, done, of: None,
) -> list[Copying]:
    """Run the reference of exercises for invented students, and compare their answers.

    Args:
        exercises: the exercises.
        number: how many students.
        out: an empty directory for the runs.
        jobs: guests in parallel.
        on_done: called with what has ended, the number of those that have, and that of all.

    Raises:
        InputError, InputErrors: If an exercise has mistakes.
        BuildError, HostError: If the machine lacks something, such as a whole cage.
        RunError: If a run failed.
    """
    cage.require()
    for exercise in exercises:
        require_whole(exercise)
    students = invented(number)
    todo = [(exercise, student) for exercise in exercises for student in students]
    found: dict[tuple[str, str], Solved] = {}

    def work(job: _Job, raise_if_cancelled: Callable[[], None]) -> Solved:
        exercise, student = job
        directory = out / exercise.id / student.name.replace(" ", "-").lower()
        with writing(directory):
            directory.mkdir(parents=True)
        checks = exercise.model.checks
        ran = run(exercise, exercise.folder / REFERENCE, student, directory, checks, raise_if_cancelled)
        return _solved(exercise, student, ran)

    def ended(job: _Job, solved: Solved) -> None:
        exercise, student = job
        found[exercise.id, student.name] = solved
        on_done(f"{exercise.id}, {student.name}", len(found), len(todo))

    Pool[_Job, _Job, Solved](todo, begin=lambda job: job, ended=ended, start=lambda: Threads(jobs, work)).run()
    return [compare(exercise, [found[exercise.id, student.name] for student in students]) for exercise in exercises]


def _solved(exercise: Exercise, student: Student, ran: Ran) -> Solved:
    checks = exercise.model.checks
    right = {check.name: ran.right(check) for check in checks}
    about = {check: answer for check, answers in right.items() for answer in answers}
    numbers = {answer: value for answers in right.values() for answer, value in answers.items()}
    return Solved(student, about, numbers, lambda answers: ran.judge(checks, answers))


def compare(exercise: Exercise, solved: Sequence[Solved]) -> Copying:
    """Let each student answer what is right for another one.

    Raises:
        InputError: If an exercise has no number that a check knows the right value of.
    """
    about, first = solved[0].about, solved[0].right
    if not about:
        raise InputError(f"{exercise.id} asks for no number whose right value is known", hint=_WRITE)
    words = submissions.read(exercise, exercise.folder / REFERENCE).answers

    def passed(one: Solved, other: Solved) -> dict[str, bool]:
        """Return which checks pass if one student answers what is right for another one."""
        return {check.name: check.passed for check in one.judge({**words, **other.right})}

    failing = {one.student.name: [name for name, right in passed(one, one).items() if not right] for one in solved}
    shared, all_of_them = dict.fromkeys(first, 0), 0
    for one, other in combinations(solved, 2):
        ways = [passed(one, other), passed(other, one)]
        for check, answer in about.items():
            shared[answer] += any(way[check] for way in ways)
        all_of_them += any(all(way[check] for check in about) for way in ways)
    each = [Shared(answer, *_ends([one.right[answer] for one in solved]), shared[answer]) for answer in first]
    return Copying(exercise, len(solved), each, all_of_them, {name: which for name, which in failing.items() if which})


def _ends(values: Sequence[ValueWithUnit]) -> tuple[ValueWithUnit, ValueWithUnit]:
    ordered = sorted(values, key=lambda value: value.base)
    return ordered[0], ordered[-1]
