# SPDX-License-Identifier: MIT
"""From a submission to its marks: assemble, run, look at the records, judge."""

from __future__ import annotations

import dataclasses
import shutil
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from lab.errors import InputError, RunError, writing
from lab.expressions import expression
from lab.expressions.values import ValueWithUnit
from lab.grading import submission as submissions
from lab.grading.exercise import GIVEN, STARTER, Exercise, Student, with_numbers
from lab.grading.results import CheckResult, Result
from lab.grading.submission import Submission
from lab.grading.values import values
from lab.model.exercise import ExerciseCheck, ExerciseRun
from lab.plan.load import load
from lab.record import Record
from lab.runs import machine_for, run_plan
from lab.runs.limits import wall_s
from lab.shared.types import Plan
from lab.terminal import reporter

FILES = "files"  # below the directory of the results: what the runs are made of


@dataclass(frozen=True)
class _Planned:
    """A run before it begins."""

    plan: Plan
    workload: str


@dataclass(frozen=True)
class _Ended:
    """A run: its directory, and its record or why it failed."""

    directory: Path
    record: Record | None
    failure: str = ""


class _Assembled:
    """What the runs of a student are made of: the exercise's files, and in their midst those handed in."""

    def __init__(self, exercise: Exercise, student: Student, out: Path, names: Collection[str]) -> None:
        """Copy the exercise's files; ``names``: the runs that are needed."""
        self._exercise, self._student, self._files = exercise, student, out / FILES
        self._runs = {name: run for name, run in exercise.model.runs.items() if name in names}
        with writing(self._files):
            shutil.copytree(exercise.folder / GIVEN, self._files)
            for name, handed_in in exercise.model.hand_in.items():
                if handed_in.program:
                    shutil.copyfile(exercise.folder / STARTER / name, self._files / name)

    def plans(self, handed_in: Submission) -> dict[str, _Planned]:
        """Return the runs by name, before they begin.

        Raises:
            InputError, InputErrors: If something is not valid.
        """
        with writing(self._files):
            for name, content in handed_in.programs.items():
                (self._files / name).write_bytes(content)
        return {name: self._plan(run, handed_in) for name, run in self._runs.items()}

    def _plan(self, run: ExerciseRun, handed_in: Submission) -> _Planned:
        numbers = self._student.numbers(self._exercise)
        settings = {key: with_numbers(str(value), numbers) for key, value in run.set.items()}
        settings |= {} if run.as_given else handed_in.settings
        overrides = [f"{key}={value}" for key, value in settings.items()]
        locations = {key: where for key, where in handed_in.locations.items() if key in settings}
        topology, workload = (_place(self._files, one) for one in (run.topology, run.workload))
        seed = self._student.seed(self._exercise)
        return _Planned(load(topology, workload, seed, overrides, locations=locations), workload)


def mark(
    exercise: Exercise,
    folder: Path,
    student: Student,
    out: Path,
    *,
    hidden: bool = True,
) -> Result:
    """Run a submission and judge it.

    Args:
        exercise: what it is for.
        folder: the submission; only read.
        student: whose numbers and seed the runs have.
        out: an empty directory for the runs.
        hidden: whether checks count that students do not see.

    Raises:
        InputError, InputErrors: If the exercise has mistakes.
        BuildError, HostError: If the machine lacks something.
    """
    checks = [check for check in exercise.model.checks if hidden or check.public]
    assembled = _Assembled(exercise, student, out, {_run_of(exercise, check) for check in checks})
    assembled.plans(Submission())  # a mistake in it is the exercise's
    result = partial(Result, exercise.id, exercise.model.name, folder.name, student.name)
    try:
        handed_in = submissions.read(exercise, folder)
        plans = assembled.plans(handed_in)
    except InputError as error:
        return result(str(error), tuple(_result(check, 0, "not run") for check in checks))
    ended = {name: _run(name, exercise.model.runs[name], plan, out) for name, plan in plans.items()}
    context = {"answers": handed_in.answers, "numbers": _quantities(student.numbers(exercise))}
    return result("", tuple(_judged(check, ended[_run_of(exercise, check)], context) for check in checks))


def _run_of(exercise: Exercise, check: ExerciseCheck) -> str:
    return check.run or next(iter(exercise.model.runs))


def _place(files: Path, name: str) -> str:
    """Return the path of a file of the exercise, or the name of one of the lab."""
    return str(files / name) if (files / name).is_file() else name


def _run(name: str, run: ExerciseRun, planned: _Planned, out: Path) -> _Ended:
    directory = out / name
    with writing(directory):
        directory.mkdir()
    with reporter() as report:
        machine = machine_for(planned.plan, planned.workload, report)
    try:
        record = run_plan(_without_checks(planned.plan), machine, directory, timeout_s=wall_s("timeout", run.timeout))
    except RunError as error:
        return _Ended(directory, None, error.message)
    failure = record.data["error"]
    return _Ended(directory, record, failure["message"] if failure is not None else "")


def _without_checks(plan: Plan) -> Plan:
    """Return the plan of a run without what the guest does not need: a submission could read what it must reach."""
    return dataclasses.replace(plan, checks=[])


def _judged(check: ExerciseCheck, ended: _Ended, context: Mapping[str, Any]) -> CheckResult:
    where = str(ended.directory)
    if ended.record is None or ended.failure:
        return _result(check, 0, f"the run failed: {ended.failure}", where)
    everything = {**values(ended.record), **context}
    seen = ""
    for that, share in ((check.that, 1.0), *check.partly.items()):
        outcome = expression.evaluate(that, everything)
        seen = seen or outcome.explanation
        if outcome.passed:
            return _result(check, float(share), seen, where)
    return _result(check, 0, seen, where)


def _result(check: ExerciseCheck, share: float, seen: str, where: str = "") -> CheckResult:
    return CheckResult(
        name=check.name,
        about=check.about,
        points=share * check.points,
        most=check.points,
        public=check.public,
        seen=seen,
        hint=check.advice,
        where=where,
        about_answers=any(path[0] == "answers" for path in expression.names(check.that)),
    )


def _quantities(numbers: Mapping[str, str]) -> dict[str, ValueWithUnit | str]:
    """Return a student's numbers as values of checks."""
    found: dict[str, ValueWithUnit | str] = {}
    for name, text in numbers.items():
        number, _, unit = text.partition(" ")
        try:
            found[name] = ValueWithUnit(float(number), unit)
        except ValueError:
            found[name] = text
    return found
