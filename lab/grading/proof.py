# SPDX-License-Identifier: MIT
"""Proves that exercises mark right on this machine: each reference gets every point, each broken twin what it is to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from lab.errors import writing
from lab.grading.exercise import BROKEN, REFERENCE, Exercise, Student, require_whole
from lab.grading.marks import mark
from lab.grading.results import Result
from lab.machine import cage
from lab.runs.pool import Pool, Threads

_Job = tuple[Exercise, str, tuple[str, ...]]  # exercise, submission, checks that it is to fail
STUDENT = Student("reference")  # whose numbers the answers in reference/ and broken/ are for


@dataclass(frozen=True)
class Proof:
    """A submission that comes with an exercise: which checks it is to fail, and its marks."""

    exercise: Exercise
    submission: str  # reference, or broken/NAME
    failing: tuple[str, ...]
    result: Result

    @property
    def holds(self) -> bool:
        """Return whether it fails exactly these checks."""
        return not self.wrong()

    def wrong(self) -> str:
        """Return what is not as the exercise says; empty if all is."""
        failed = {check.name for check in self.result.checks if not check.passed}
        if self.result.refused and self.submission == REFERENCE:
            return self.result.refused.partition("\n")[0]
        unexpected = [f"fails {name}" for name in sorted(failed - set(self.failing))]
        missing = [f"passes {name}" for name in sorted(set(self.failing) - failed)]
        return ", ".join([*unexpected, *missing])


def submissions(exercise: Exercise) -> dict[str, tuple[str, ...]]:
    """Return the submissions that come with an exercise, with the checks that each is to fail."""
    broken = {f"{BROKEN}/{name}": tuple(failing) for name, failing in exercise.model.broken.items()}
    return {REFERENCE: (), **broken}


def prove(
    exercises: Sequence[Exercise],
    out: Path,
    jobs: int = 1,
    on_done: Callable[[Proof, int, int], None] = lambda proof, done, of: None,
) -> list[Proof]:
    """Mark what comes with exercises.

    Args:
        exercises: the exercises.
        out: an empty directory for the runs.
        jobs: guests in parallel.
        on_done: called with each proof, the number of those that are done, and that of all.

    Raises:
        InputError, InputErrors: If an exercise has mistakes.
        BuildError, HostError: If the machine lacks something, such as a whole cage.
    """
    cage.require()
    for exercise in exercises:
        require_whole(exercise)
    todo = [(exercise, name, failing) for exercise in exercises for name, failing in submissions(exercise).items()]
    found: dict[tuple[str, str], Proof] = {}

    def work(job: _Job, raise_if_cancelled: Callable[[], None]) -> Proof:
        exercise, name, failing = job
        directory = out / exercise.id / name
        with writing(directory):
            directory.mkdir(parents=True)
        result = mark(exercise, exercise.folder / name, STUDENT, directory, between=raise_if_cancelled)
        return Proof(exercise, name, failing, result)

    def ended(job: _Job, proof: Proof) -> None:
        found[job[0].id, job[1]] = proof
        on_done(proof, len(found), len(todo))

    Pool[_Job, _Job, Proof](todo, begin=lambda job: job, ended=ended, start=lambda: Threads(jobs, work)).run()
    return [found[exercise.id, name] for exercise, name, _ in todo]
