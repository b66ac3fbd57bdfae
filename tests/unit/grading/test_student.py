# SPDX-License-Identifier: MIT
"""A student's folder: made once, with the student's numbers, and read back."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.errors import InputError
from lab.grading.exercise import Student, load
from lab.grading.student import of, start, user


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "mine"


@pytest.mark.parametrize("name", ["Ada Lovelace", "Conan O'Brien", "# 1: {x}", "null", "Zoë"])
def test_a_folder_belongs_to_whoever_it_was_made_for(folder: Path, name: str) -> None:
    exercise = load("hidden-node")
    start(exercise, folder, Student(name))
    found, student = of(folder)
    assert (found.id, student) == ("hidden-node", Student(name))
    numbers = student.numbers(exercise)
    assert numbers["strength"] in (task := (folder / "task.md").read_text()) and "{numbers" not in task
    given = {path.name for path in (exercise.folder / "given").iterdir()}
    assert {path.name for path in folder.iterdir()} == {*given, *exercise.model.hand_in, "task.md", "student.yaml"}


@pytest.mark.parametrize("name", ["", "  ", "a\nb", "a\x1b[31m"])
def test_a_name_can_be_printed(folder: Path, name: str) -> None:
    with pytest.raises(InputError, match="is not a name\n  write --student NAME"):
        start(load("hidden-node"), folder, Student(name))
    assert not folder.exists()


def test_a_user_without_a_name_has_to_say_one(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LOGNAME", "USER", "LNAME", "USERNAME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("os.getuid", lambda: 987654321)  # as in a container that runs as another user than its own
    with pytest.raises(InputError, match="has no name here\n  write --student NAME"):
        user()


def test_an_exercise_of_a_teacher_is_known_where_it_is(folder: Path) -> None:
    folder.mkdir()
    (folder / "student.yaml").write_text("exercise: own\nstudent: Ada\n")
    with pytest.raises(InputError, match="looked for in grading/exercises of the current directory"):
        of(folder)


def test_what_a_student_has_written_is_not_overwritten(folder: Path) -> None:
    folder.mkdir()
    (folder / "settings.yaml").write_text("mine\n")
    with pytest.raises(InputError, match="mine exists already"):
        start(load("hidden-node"), folder, Student("Ada"))
    assert (folder / "settings.yaml").read_text() == "mine\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "has no student.yaml\n  lab exercise start ID makes a folder with one"),
        ("exercise: hidden-node\n", "student.yaml:1  student: is missing (the name of the student"),
        ("exercise: ../../x\nstudent: Ada\n", "student.yaml  exercise: needs the id of an exercise"),
        ("exercise: hidden-mode\nstudent: Ada\n", r'unknown exercise "hidden-mode" (did you mean hidden-node?)'),
    ],
)
def test_another_folder_is_refused(folder: Path, text: str | None, message: str) -> None:
    folder.mkdir()
    if text is not None:
        (folder / "student.yaml").write_text(text)
    with pytest.raises(InputError) as caught:
        of(folder)
    assert message in str(caught.value)


def test_what_is_not_a_folder_is_refused(folder: Path) -> None:
    with pytest.raises(InputError, match="is not a folder\n  lab exercise start ID makes one"):
        of(folder)


def test_whoever_names_the_folder_that_they_are_in_is_told_so(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    start(load("hidden-node"), folder, Student("Ada"))
    monkeypatch.chdir(folder)
    with pytest.raises(InputError, match="hidden-node is not a folder\n  you are in a student's folder; leave"):
        of(Path("hidden-node"))
