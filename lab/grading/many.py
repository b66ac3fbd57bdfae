# SPDX-License-Identifier: MIT
"""Marks many submissions of one exercise: several at a time, and again only those that are new or have changed."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import traceback
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from lab import library
from lab.errors import InputError, LabError, writing
from lab.grading import student as students
from lab.grading.exercise import CHECK, FOLDER, GIVEN, STARTER, Exercise, Student, require_whole
from lab.grading.marks import mark
from lab.grading.results import Result, from_data
from lab.grading.submission import content
from lab.machine import cage
from lab.runs.pool import Pool, Threads

# "Ada Lovelace_1234567_assignsubmission_file_"; Classroom has "hidden-node-ada-l" for the assignment hidden-node
_MOODLE = re.compile(r"_\d+_assignsubmission_file_?$")
FILE = "result.json"  # in the directory of a submission
OnDone = Callable[[Result, int, int], None]  # result, number of those that are done, number of all


@dataclass(frozen=True)
class _Job:
    number: int
    folder: Path
    directory: Path
    student: Student
    key: str


def grade(
    exercise: Exercise,
    folders: Sequence[Path],
    out: Path,
    jobs: int = 1,
    on_done: OnDone = lambda result, done, of: None,
    student: Student | None = None,
    from_folder: bool = False,
) -> list[Result]:
    """Mark submissions; return their results in the same order.

    Args:
        exercise: what they are for.
        folders: of the submissions; only read.
        out: directory of the results, one folder for each submission. What is there already is not run again, unless
            the submission or the exercise has changed since.
        jobs: guests in parallel.
        on_done: called with each result.
        student: whose they are, whatever they say.
        from_folder: whether the names of their folders are those of the students, whatever they say.

    Raises:
        InputError, InputErrors: If a folder does not exist, two have the same name, or the exercise has mistakes.
        BuildError, HostError: If the machine lacks something, such as a whole cage.
    """
    cage.require()
    require_whole(exercise)
    _check(folders)
    of_exercise = _of_exercise(exercise)
    results: dict[int, Result] = {}

    def begin(number: int) -> _Job | None:
        folder = folders[number]
        whose = student or (folders_student(exercise, folder) if from_folder else student_of(exercise, folder))
        job = _Job(number, folder, out / _name(folder), whose, _key(exercise, of_exercise, folder, whose))
        stored = _stored(job)
        if stored is None:
            return job
        ended(job, stored)
        return None

    def ended(job: _Job, result: Result) -> None:
        results[job.number] = result
        on_done(result, len(results), len(folders))

    def work(job: _Job, raise_if_cancelled: Callable[[], None]) -> Result:
        return _graded(exercise, job, raise_if_cancelled)

    Pool[int, _Job, Result](range(len(folders)), begin=begin, ended=ended, start=lambda: Threads(jobs, work)).run()
    return [results[number] for number in range(len(folders))]


def _check(folders: Sequence[Path]) -> None:
    for folder in folders:
        if not folder.is_dir():
            raise InputError(f"{folder} is not a folder", hint="a submission is a folder with the files handed in")
        _refuse_code(folder)
    twice = [name for name, count in Counter(map(_name, folders)).items() if count > 1]
    if twice:
        raise InputError(f"several submissions are called {twice[0]}", hint="rename their folders")


def _refuse_code(submission: Path) -> None:
    """Refuse a submission that is where the lab searches for code: in the current directory, or around it.

    References and broken twins in an exercise are where nothing is searched for.
    """
    place, here = submission.resolve(), Path.cwd()
    searched = [one.resolve() for one in library.searched_here()]
    exercises = (here / FOLDER).resolve()
    is_exercise = exercises.is_relative_to(place) or place.parent == exercises
    is_code = any(one.is_relative_to(place) or place.is_relative_to(one) for one in searched)
    if here.is_relative_to(place) or is_exercise or is_code:
        raise InputError(
            f"{submission} is where the lab searches for its own files, so a program in it would be executed",
            hint="call lab grade from another directory",
        )


def _name(folder: Path) -> str:
    return folder.resolve().name


def _graded(exercise: Exercise, job: _Job, raise_if_cancelled: Callable[[], None]) -> Result:
    """Mark a submission and store its result."""
    shutil.rmtree(job.directory, ignore_errors=True)
    with writing(job.directory):
        job.directory.mkdir(parents=True)
    try:
        result = mark(exercise, job.folder, job.student, job.directory, between=raise_if_cancelled)
    except LabError:
        raise
    except Exception:  # whatever a submission does to the lab, the others are marked
        (job.directory / "error.txt").write_text(traceback.format_exc())
        why = f"this is a fault of the lab, not of the submission; {job.directory}/error.txt says where"
        return Result(exercise.id, exercise.model.name, _name(job.folder), "", why, ())  # not stored: tried again
    with writing(job.directory):
        (job.directory / FILE).write_text(json.dumps({"key": job.key, "result": result.data()}, indent=2) + "\n")
    return result


def student_of(exercise: Exercise, folder: Path) -> Student:
    """Return whose submission it is: whom its student.yaml names, else the name of its folder."""
    try:
        return students.named(folder, exercise.id)
    except InputError:
        return folders_student(exercise, folder)


def folders_student(exercise: Exercise, folder: Path) -> Student:
    """Return whom a folder is named after: its name without what GitHub Classroom and Moodle add to that."""
    name = _MOODLE.sub("", _name(folder).removeprefix(f"{exercise.id}-"))
    return Student(name.strip() or _name(folder))


def _of_exercise(exercise: Exercise) -> str:
    """Return the hash of what an exercise's marks depend on."""
    digest = hashlib.sha256(repr(exercise.model).encode())
    for part in (GIVEN, STARTER, CHECK):
        place = exercise.folder / part
        for path in [place, *sorted(place.rglob("*"))]:
            if path.is_file():
                digest.update(f"\0{path.relative_to(exercise.folder)}\0".encode() + path.read_bytes())
    return digest.hexdigest()


def _key(exercise: Exercise, of_exercise: str, folder: Path, student: Student) -> str:
    """Return the hash of what the marks of a submission depend on."""
    digest = hashlib.sha256(f"{of_exercise}\0{student.name}".encode())
    for name in exercise.model.hand_in:
        try:
            found = content(folder / name, name)
        except InputError as error:
            found = str(error).encode()
        digest.update(f"\0{name}\0{len(found)}\0".encode() + found)
    return digest.hexdigest()


def _stored(job: _Job) -> Result | None:
    """Return the result of an earlier call; None if the submission has none, or has changed since."""
    try:
        found = json.loads((job.directory / FILE).read_text())
        return from_data(found["result"]) if found["key"] == job.key else None
    except (OSError, ValueError, KeyError, TypeError):
        return None
