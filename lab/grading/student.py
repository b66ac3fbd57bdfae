# SPDX-License-Identifier: MIT
"""The folder of a student: the task with the student's numbers, the files given, and the files to hand in."""

from __future__ import annotations

import getpass
import shutil
from pathlib import Path

from pydantic import Field

from lab.errors import InputError, writing
from lab.grading.exercise import GIVEN, STARTER, TASK, Exercise, Student, load, with_numbers
from lab.grading.submission import document
from lab.model.base import Model, Text
from lab.model.build import build

FILE = "student.yaml"
_LONGEST = 200  # characters of a name


class StudentFile(Model):
    """The file that says whose folder it is."""

    exercise: Text = Field(description="The id of the exercise.")
    student: Text = Field(description="The name of the student, from which the numbers of the task come.")


def start(exercise: Exercise, folder: Path, student: Student) -> None:
    """Make a student's folder.

    Raises:
        InputError: If it exists and is not empty; or the name of the student is empty.
        HostError: If it cannot be written.
    """
    checked(student.name)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InputError(f"{folder} exists already", hint="name another folder: lab exercise start ID FOLDER")
    numbers = student.numbers(exercise)
    with writing(folder):
        for part in (GIVEN, STARTER):
            shutil.copytree(exercise.folder / part, folder, dirs_exist_ok=True)
        task = (exercise.folder / TASK).read_text(encoding="utf-8")
        (folder / TASK).write_text(with_numbers(task, numbers), encoding="utf-8")
        quoted = student.name.replace("'", "''")
        (folder / FILE).write_text(f"exercise: {exercise.id}\nstudent: '{quoted}'\n", encoding="utf-8")


def user() -> Student:
    """Return a student named after the current user.

    Raises:
        InputError: If the user has no name, as in a container.
    """
    try:
        return Student(getpass.getuser())
    except (KeyError, OSError) as error:  # OSError: from Python 3.13
        raise InputError("the user has no name here", hint="write --student NAME") from error


def of(folder: Path) -> tuple[Exercise, Student]:
    """Return the exercise that a student's folder is for, and the student.

    Raises:
        InputError, InputErrors: If it is not such a folder.
    """
    if not folder.is_dir():
        here = (Path.cwd() / FILE).is_file()
        hint = "you are in a student's folder; leave the name out" if here else "lab exercise start ID makes one"
        raise InputError(f"{folder} is not a folder", hint=hint)
    if not (folder / FILE).exists():
        raise InputError(f"{folder} has no {FILE}", hint="lab exercise start ID makes a folder with one")
    found = _read(folder)
    if "/" in found.exercise:  # not a folder that came with the submission
        raise InputError("exercise: needs the id of an exercise", where=str(folder / FILE))
    return load(found.exercise), checked(found.student)


def named(folder: Path, exercise: str) -> Student:
    """Return the student whom a submission of an exercise names.

    Raises:
        InputError, InputErrors: If it names none, or is for another exercise.
    """
    found = _read(folder)
    if found.exercise != exercise:
        raise InputError(f"{folder} is for the exercise {found.exercise}, not {exercise}")
    return checked(found.student)


def _read(folder: Path) -> StudentFile:
    return build(StudentFile, document(folder / FILE, str(folder / FILE)))


def checked(name: str) -> Student:
    """Return the student of that name.

    Raises:
        InputError: If it is no name.
    """
    if not name.strip() or not name.isprintable() or len(name) > _LONGEST:
        raise InputError(f"{name[:_LONGEST]!a} is not a name", hint="write --student NAME")
    return Student(name)
