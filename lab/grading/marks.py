# SPDX-License-Identifier: MIT
"""From a submission to its marks: assemble, run, look at the records, judge."""

from __future__ import annotations

import dataclasses
import shutil
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from lab.errors import InputError, RecordError, RunError, writing
from lab.expressions.values import ValueWithUnit
from lab.grading import submission as submissions
from lab.grading.evidence import AnswerError, Answers, RunEvidence
from lab.grading.exercise import GIVEN, STARTER, Exercise, Student, checks_of, run_of, with_numbers
from lab.grading.results import CheckResult, Result
from lab.grading.submission import Submission
from lab.model.exercise import ExerciseRun
from lab.model.exercise_check import Evidence, EvidenceError, ExerciseCheck
from lab.plan.load import load
from lab.plan.problems import Problems, ValidatedFile
from lab.record import Record
from lab.runs import machine_for, run_plan
from lab.runs.limits import wall_s
from lab.shared.types import MAX_OUTPUT_OF_ALL_BYTES, Plan
from lab.terminal import reporter

_MOST_BYTES = 256 << 20  # of the files of a run
FILES = "files"  # below the directory of the results: what the runs are made of


@dataclass(frozen=True)
class _Planned:
    """A run before it begins."""

    plan: Plan
    workload: str


@dataclass(frozen=True)
class _Ended:
    """A run: its plan and directory, and its record or why it failed."""

    plan: Plan
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
        return {name: self._plan(name, run, handed_in) for name, run in self._runs.items()}

    def _plan(self, name: str, run: ExerciseRun, handed_in: Submission) -> _Planned:
        numbers = self._student.numbers(self._exercise)
        settings = {key: with_numbers(str(value), numbers) for key, value in run.set.items()}
        settings |= {} if run.as_given else handed_in.settings
        overrides = [f"{key}={value}" for key, value in settings.items()]
        locations = {key: where for key, where in handed_in.locations.items() if key in settings}
        topology, workload = (_place(self._files, one) for one in (run.topology, run.workload))
        seed = self._student.seed(self._exercise)
        pcap = "air" if any(check.needs_air() for check in checks_of(self._exercise, name)) else None
        return _Planned(load(topology, workload, seed, overrides, pcap=pcap, locations=locations), workload)


def mark(
    exercise: Exercise,
    folder: Path,
    student: Student,
    out: Path,
    *,
    hidden: bool = True,
    between: Callable[[], None] = lambda: None,
) -> Result:
    """Run a submission and judge it.

    Args:
        exercise: what it is for.
        folder: the submission; only read.
        student: whose numbers and seed the runs have.
        out: an empty directory for the runs.
        hidden: whether checks count that students do not see.
        between: called repeatedly while guests run; an exception of it ends them.

    Raises:
        InputError, InputErrors: If the exercise has mistakes.
        BuildError, HostError: If the machine lacks something.
    """
    checks = [check for check in exercise.model.checks if hidden or check.public]
    assembled = _assembled(exercise, student, out, checks)
    result = partial(Result, exercise.id, exercise.model.name, folder.name, student.name)
    try:
        handed_in = submissions.read(exercise, folder)
        plans = assembled.plans(handed_in)
    except InputError as error:
        return result(str(error), tuple(_result(check, 0, "not run") for check in checks))
    ran = Ran(exercise, student, _ended(exercise, plans, out, between))
    judged = ran.judge(checks, Answers(handed_in.answers, handed_in.invalid))
    return result("", judged, tuple(dict.fromkeys(handed_in.invalid.values())))


def run(
    exercise: Exercise,
    folder: Path,
    student: Student,
    out: Path,
    checks: Sequence[ExerciseCheck],
    between: Callable[[], None] = lambda: None,
) -> Ran:
    """Run a submission of the teacher's; what it answers does not matter.

    Args:
        exercise: what it is for.
        folder: the submission; only read.
        student: whose numbers and seed the runs have.
        out: an empty directory for the runs.
        checks: those that look at the runs; others are not made.
        between: called repeatedly while guests run; an exception of it ends them.

    Raises:
        InputError, InputErrors: If the exercise or the submission has mistakes.
        BuildError, HostError: If the machine lacks something.
    """
    plans = _assembled(exercise, student, out, checks).plans(submissions.read(exercise, folder))
    return Ran(exercise, student, _ended(exercise, plans, out, between))


class Ran:
    """The runs of a submission, which have ended, for checks to look at."""

    def __init__(self, exercise: Exercise, student: Student, ended: Mapping[str, _Ended]) -> None:
        """Take the runs by name."""
        self._exercise, self._ended, self._numbers = exercise, ended, student.numbers(exercise)

    def judge(
        self, checks: Sequence[ExerciseCheck], answers: Mapping[str, ValueWithUnit | str | None]
    ) -> tuple[CheckResult, ...]:
        """Return what checks say of the runs and of these answers."""
        exercise = self._exercise

        def evidence(record: Record, plan: Plan) -> Evidence:
            return RunEvidence(record, plan, exercise.folder, self._numbers, answers)

        return tuple(_judged(exercise, check, self._ended[run_of(exercise, check)], evidence) for check in checks)

    def right(self, check: ExerciseCheck) -> Mapping[str, ValueWithUnit]:
        """Return the right answers that a check knows, by name.

        Raises:
            RunError: If the run failed.
        """
        name = run_of(self._exercise, check)
        ended = self._ended[name]
        if ended.record is None or ended.failure:
            raise RunError(f"the run {name} failed: {ended.failure}")
        return check.right(RunEvidence(ended.record, ended.plan, self._exercise.folder, self._numbers, {}))


def _assembled(exercise: Exercise, student: Student, out: Path, checks: Sequence[ExerciseCheck]) -> _Assembled:
    for check in checks:
        check.require()
    assembled = _Assembled(exercise, student, out, {run_of(exercise, check) for check in checks})
    _check_checks(exercise, assembled.plans(Submission()))  # a mistake in it is the exercise's
    return assembled


def _ended(
    exercise: Exercise, plans: Mapping[str, _Planned], out: Path, between: Callable[[], None]
) -> dict[str, _Ended]:
    return {name: _run(name, exercise.model.runs[name], plan, out, between) for name, plan in plans.items()}


def check_plans(exercise: Exercise, student: Student, out: Path) -> None:
    """Check that the runs of an exercise can be planned, and that its checks name what there is.

    Args:
        exercise: the exercise.
        student: whose numbers the runs have.
        out: an empty directory.

    Raises:
        InputError, InputErrors: If not; with file and line.
    """
    _check_checks(exercise, _Assembled(exercise, student, out, exercise.model.runs).plans(Submission()))


def _check_checks(exercise: Exercise, plans: Mapping[str, _Planned]) -> None:
    """Check what checks say about the runs."""
    problems, source = Problems(), ValidatedFile(exercise.document, exercise.model)
    for index, check in enumerate(exercise.model.checks):
        planned = plans.get(run_of(exercise, check))
        for key, mistake in check.mistakes_with(planned.plan) if planned else ():
            problems.add(source, ("checks", index, key), mistake)
    problems.raise_all()


def _place(files: Path, name: str) -> str:
    """Return the path of a file of the exercise, or the name of one of the lab."""
    return str(files / name) if (files / name).is_file() else name


def _run(name: str, run: ExerciseRun, planned: _Planned, out: Path, between: Callable[[], None]) -> _Ended:
    directory = out / name
    with writing(directory):
        directory.mkdir()
    with reporter() as report:
        machine = machine_for(planned.plan, planned.workload, report)
    try:
        record = run_plan(
            _for_guest(planned.plan),
            machine,
            directory,
            lambda progress: between(),
            timeout_s=wall_s("timeout", run.timeout),
        )
    except (RunError, RecordError) as error:  # what a guest has left may be damaged
        return _Ended(planned.plan, directory, None, error.message.removeprefix("--"))  # timeout: is the exercise's
    failure = record.data["error"]
    return _Ended(planned.plan, directory, record, failure["message"] if failure is not None else "")


def _for_guest(plan: Plan) -> Plan:
    """Return the plan of a run without what the guest does not need: a submission could read what it must reach.

    Unless the workload says so, its files may not be as large as those of a run whose author pays for the disk.
    """
    most_bytes = _MOST_BYTES if plan.max_output_bytes == MAX_OUTPUT_OF_ALL_BYTES else plan.max_output_bytes
    return dataclasses.replace(plan, checks=[], max_output_bytes=most_bytes)


def _judged(
    exercise: Exercise, check: ExerciseCheck, ended: _Ended, evidence: Callable[[Record, Plan], Evidence]
) -> CheckResult:
    where = str(ended.directory)
    if ended.record is None or ended.failure:
        failed = _result(check, 0, f"the run failed: {ended.failure}", where)
        return dataclasses.replace(failed, about_answers=False, hint="")  # neither answer nor hint has to do with it
    try:
        judged = check.judge(evidence(ended.record, ended.plan))
    except AnswerError as error:
        return dataclasses.replace(_result(check, 0, str(error), where), about_answers=False)
    except (EvidenceError, RunError, RecordError) as error:
        return _result(check, 0, str(error), where)
    except InputError as error:  # a mistake of the exercise that shows only now
        if error.where is not None:
            raise
        keys = ("checks", exercise.model.checks.index(check))
        raise exercise.document.error(keys, error.message, error.hint) from None
    return _result(check, judged.share, judged.seen, where)


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
        about_answers=check.hides(),
    )
