# SPDX-License-Identifier: MIT
"""Shows how far students could copy answers: whether one student's right numbers are right for another one, too.

Some students are invented. The reference is run with the numbers and the seed of each, which also shows that everybody
can reach every point. Then each answers what is right for another one. Only numbers count: words are the same for all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path

from lab.errors import BuildError, HostError, InputError, LabError, writing
from lab.expressions.values import ValueWithUnit
from lab.grading import submission as submissions
from lab.grading.exercise import REFERENCE, Exercise, Student, require_whole
from lab.grading.marks import Ran, run
from lab.grading.results import CheckResult
from lab.machine import cage
from lab.model.exercise_check import EvidenceError
from lab.runs.pool import CancelledError, Pool, Threads

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
class ReferenceFailure:
    """Why the reference does not get every point with a student's numbers: a check, or what kept it from running."""

    student: str  # empty: it is so for all
    reason: str


@dataclass(frozen=True)
class Copying:
    """What has come of an exercise: each answer that is a number, and all of them together."""

    exercise: Exercise
    students: int  # whose answers could be compared
    each: Sequence[Shared]
    all: int
    failures: Sequence[ReferenceFailure]

    @property
    def pairs(self) -> int:
        """Return how many pairs of students there are."""
        return self.students * (self.students - 1) // 2

    @property
    def shares_too_much(self) -> bool:
        """Return whether many pairs share all numbers."""
        return self.all > MOST * self.pairs

    @property
    def holds(self) -> bool:
        """Return whether the reference is right for all, and few pairs share all numbers."""
        return not self.failures and not self.shares_too_much


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

    A run that fails does not keep the others from going on: it is one of the failures of its exercise.

    Args:
        exercises: the exercises.
        number: how many students.
        out: an empty directory for the runs.
        jobs: guests in parallel.
        on_done: called with what has ended, the number of those that have, and that of all.

    Raises:
        InputError: If an exercise is a handout.
        BuildError, HostError: If the machine lacks something, such as a whole cage.
    """
    cage.require()
    for exercise in exercises:
        require_whole(exercise)
    students = invented(number)
    todo = [(exercise, student) for exercise in exercises for student in students]
    found: dict[tuple[str, str], Solved | ReferenceFailure] = {}

    def work(job: _Job, raise_if_cancelled: Callable[[], None]) -> Solved | ReferenceFailure:
        exercise, student = job
        directory = out / exercise.id / student.name.replace(" ", "-").lower()
        with writing(directory):
            directory.mkdir(parents=True)
        checks = exercise.model.checks
        try:
            ran = run(exercise, exercise.folder / REFERENCE, student, directory, checks, raise_if_cancelled)
            return _solved(exercise, student, ran)
        except (BuildError, HostError, CancelledError):  # it would be so for all
            raise
        except (LabError, EvidenceError) as error:
            return ReferenceFailure(student.name, str(error))

    def ended(job: _Job, one: Solved | ReferenceFailure) -> None:
        exercise, student = job
        found[exercise.id, student.name] = one
        on_done(f"{exercise.id}, {student.name}", len(found), len(todo))

    Pool[_Job, _Job, Solved | ReferenceFailure](
        todo, begin=lambda job: job, ended=ended, start=lambda: Threads(jobs, work)
    ).run()
    return [_compared(exercise, [found[exercise.id, student.name] for student in students]) for exercise in exercises]


def _compared(exercise: Exercise, found: Sequence[Solved | ReferenceFailure]) -> Copying:
    failures = [one for one in found if isinstance(one, ReferenceFailure)]
    try:
        copying = compare(exercise, [one for one in found if isinstance(one, Solved)])
    except LabError as error:
        copying = Copying(exercise, 0, (), 0, [ReferenceFailure("", str(error))])
    return replace(copying, failures=[*failures, *copying.failures])


def _solved(exercise: Exercise, student: Student, ran: Ran) -> Solved:
    checks = exercise.model.checks
    right = {check.name: ran.right(check) for check in checks}
    about = {check: answer for check, answers in right.items() for answer in answers}
    numbers = {answer: value for answers in right.values() for answer, value in answers.items()}
    return Solved(student, about, numbers, lambda answers: ran.judge(checks, answers))


def compare(exercise: Exercise, solved: Sequence[Solved]) -> Copying:
    """Let each student answer what is right for another one.

    Raises:
        InputError: If an exercise has no number that a check knows the right value of, or a check has a mistake.
    """
    if not solved:
        return Copying(exercise, 0, (), 0, ())
    about, first = solved[0].about, solved[0].right
    if not about:
        raise InputError(f"{exercise.id} asks for no number whose right value is known", hint=_WRITE)
    words = submissions.read(exercise, exercise.folder / REFERENCE).answers

    def judged(one: Solved, other: Solved) -> Sequence[CheckResult]:
        """Return what checks say if one student answers what is right for another one."""
        return one.judge({**words, **other.right})

    failures = [
        ReferenceFailure(one.student.name, f"fails {check.name}: {check.seen}")
        for one in solved
        for check in judged(one, one)
        if not check.passed
    ]
    shared, all_of_them = dict.fromkeys(first, 0), 0
    for one, other in combinations(solved, 2):
        ways = [{check.name: check.passed for check in judged(*way)} for way in ((one, other), (other, one))]
        for check, answer in about.items():
            shared[answer] += any(way[check] for way in ways)
        all_of_them += any(all(way[check] for check in about) for way in ways)
    each = [Shared(answer, *_ends([one.right[answer] for one in solved]), shared[answer]) for answer in first]
    return Copying(exercise, len(solved), each, all_of_them, failures)


def _ends(values: Sequence[ValueWithUnit]) -> tuple[ValueWithUnit, ValueWithUnit]:
    ordered = sorted(values, key=lambda value: value.base)
    return ordered[0], ordered[-1]
