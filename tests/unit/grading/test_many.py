# SPDX-License-Identifier: MIT
"""Many submissions: each once, again only if something has changed, and none keeps the others from being marked."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from lab.errors import HostError, InputError
from lab.grading import many
from lab.grading.exercise import Exercise, Student, load
from lab.grading.results import CheckResult, Result
from lab.machine import cage


@pytest.fixture
def exercise(tmp_path: Path) -> Exercise:
    copy = tmp_path / "hidden-node"
    shutil.copytree(load("hidden-node").folder, copy)
    return load(str(copy))


@pytest.fixture
def marked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """What is marked, as (submission, student); no guest runs, and the points are the number of the call."""
    found: list[tuple[str, str]] = []

    def mark(exercise: Exercise, folder: Path, student: Student, out: Path, *, between: Callable[[], None]) -> Result:
        between()
        if (folder / "answers.yaml").read_text() == "crash\n":
            raise ValueError("a fault of the lab")
        found.append((folder.name, student.name))
        check = CheckResult("cured", "It is cured.", len(found), 9, True, "", None, str(out), False)
        return Result(exercise.id, exercise.model.name, folder.name, student.name, "", (check,))

    monkeypatch.setattr(many, "mark", mark)
    monkeypatch.setattr(cage, "require", lambda: None)
    return found


@pytest.fixture
def folders(exercise: Exercise, tmp_path: Path) -> list[Path]:
    made = [tmp_path / name for name in ("ada", "bob")]
    for folder in made:
        shutil.copytree(exercise.folder / "reference", folder)
    (made[0] / "student.yaml").write_text("exercise: hidden-node\nstudent: Ada Lovelace\n")
    return made


def test_each_is_marked_with_the_name_that_it_gives_or_that_of_its_folder(
    exercise: Exercise, marked: list[tuple[str, str]], folders: list[Path], tmp_path: Path
) -> None:
    done: list[tuple[str, int, int]] = []
    results = many.grade(
        exercise,
        folders,
        tmp_path / "out",
        on_done=lambda result, number, of: done.append((result.submission, number, of)),
    )
    assert marked == [("ada", "Ada Lovelace"), ("bob", "bob")]
    assert [result.submission for result in results] == ["ada", "bob"]
    assert done == [("ada", 1, 2), ("bob", 2, 2)]


def test_a_platform_knows_better_who_it_is(
    exercise: Exercise, marked: list[tuple[str, str]], folders: list[Path], tmp_path: Path
) -> None:
    many.grade(exercise, folders[:1], tmp_path / "out")
    many.grade(exercise, folders[:1], tmp_path / "out", student=Student("Eve"))
    assert marked == [("ada", "Ada Lovelace"), ("ada", "Eve")]


def test_folders_say_who_it_is_whatever_is_in_them(
    exercise: Exercise, marked: list[tuple[str, str]], folders: list[Path], tmp_path: Path
) -> None:
    many.grade(exercise, folders, tmp_path / "out", from_folder=True)
    assert marked == [("ada", "ada"), ("bob", "bob")]


@pytest.mark.parametrize(
    ("folder", "student"),
    [
        ("hidden-node-ada-l", "ada-l"),  # GitHub Classroom: the assignment, then the user
        ("Ada Lovelace_1234567_assignsubmission_file_", "Ada Lovelace"),  # Moodle
        ("Ada Lovelace_1234567_assignsubmission_file", "Ada Lovelace"),
        ("hidden-node-", "hidden-node-"),
        ("ada_2", "ada_2"),
    ],
)
def test_what_platforms_add_to_names_of_folders_does_not_count(exercise: Exercise, folder: str, student: str) -> None:
    assert many.folders_student(exercise, Path(folder)) == Student(student)


@pytest.mark.parametrize(
    "text", ["exercise: other\nstudent: Eve\n", "student: Eve\n", "[", "exercise: hidden-node\nstudent: ' '\n"]
)
def test_a_file_that_names_nobody_is_ignored(
    exercise: Exercise, marked: list[tuple[str, str]], folders: list[Path], tmp_path: Path, text: str
) -> None:
    (folders[0] / "student.yaml").write_text(text)
    many.grade(exercise, folders[:1], tmp_path / "out")
    assert marked == [("ada", "ada")]


def test_only_what_has_changed_is_marked_again(
    exercise: Exercise, marked: list[tuple[str, str]], folders: list[Path], tmp_path: Path
) -> None:
    first = many.grade(exercise, folders, tmp_path / "out")
    assert many.grade(exercise, folders, tmp_path / "out") == first and len(marked) == 2
    (folders[1] / "notes.txt").write_text("is not handed in\n")
    (folders[1] / "settings.yaml").write_text("# nothing\n")
    many.grade(exercise, folders, tmp_path / "out")
    assert marked[2:] == [("bob", "bob")]
    (folders[0] / "student.yaml").write_text("exercise: hidden-node\nstudent: Augusta\n")
    many.grade(exercise, folders, tmp_path / "out")
    assert marked[3:] == [("ada", "Augusta")]
    with (exercise.folder / "given" / "uploads.yaml").open("a") as file:
        file.write("# changed\n")
    many.grade(exercise, folders, tmp_path / "out")
    assert len(marked) == 6


def test_a_damaged_result_is_not_taken(
    exercise: Exercise, marked: list[tuple[str, str]], folders: list[Path], tmp_path: Path
) -> None:
    many.grade(exercise, folders, tmp_path / "out")
    (tmp_path / "out" / "ada" / "result.json").write_text('{"key": 1}\n')
    many.grade(exercise, folders, tmp_path / "out")
    assert marked[2:] == [("ada", "Ada Lovelace")]


def test_a_fault_of_the_lab_costs_only_the_mark_of_that_submission(
    exercise: Exercise, marked: list[tuple[str, str]], folders: list[Path], tmp_path: Path
) -> None:
    (folders[0] / "answers.yaml").write_text("crash\n")
    results = many.grade(exercise, folders, tmp_path / "out")
    assert "a fault of the lab, not of the submission" in results[0].refused and results[1].points == 1
    assert [result.is_unmarked for result in results] == [True, False]
    assert "ValueError: a fault of the lab" in (tmp_path / "out" / "ada" / "error.txt").read_text()
    shutil.copy(folders[1] / "answers.yaml", folders[0])
    assert many.grade(exercise, folders, tmp_path / "out")[0].refused == ""


def test_an_interrupt_ends_those_that_run_and_the_rest_is_marked_later(
    exercise: Exercise,
    marked: list[tuple[str, str]],
    folders: list[Path],
    tmp_path: Path,
) -> None:
    def interrupt(result: Result, number: int, of: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        many.grade(exercise, folders, tmp_path / "out", on_done=interrupt)
    assert marked == [("ada", "Ada Lovelace")]
    assert [result.points for result in many.grade(exercise, folders, tmp_path / "out")] == [1, 2]


def test_folders_have_names_of_their_own(
    exercise: Exercise, marked: list[tuple[str, str]], folders: list[Path], tmp_path: Path
) -> None:
    other = tmp_path / "second" / "ada"
    shutil.copytree(folders[0], other)
    with pytest.raises(InputError, match="several submissions are called ada\n  rename their folders"):
        many.grade(exercise, [*folders, other], tmp_path / "out")
    with pytest.raises(InputError, match="nobody is not a folder"):
        many.grade(exercise, [tmp_path / "nobody"], tmp_path / "out")


def test_what_comes_with_an_exercise_is_not_where_code_is_searched_for(
    exercise: Exercise,
    marked: list[tuple[str, str]],
    folders: list[Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    place = tmp_path / "grading" / "exercises"
    shutil.copytree(exercise.folder, place / "hidden-node")
    many.grade(exercise, [place / "hidden-node" / "reference"], tmp_path / "out")
    assert marked == [("reference", "reference")]
    for hostile in (place, place.parent, place / "hidden-node", tmp_path / "workloads" / "one"):
        hostile.mkdir(parents=True, exist_ok=True)
        with pytest.raises(InputError, match="is where the lab searches for its own files"):
            many.grade(exercise, [hostile], tmp_path / "out")


def test_a_host_without_a_whole_cage_is_refused(
    exercise: Exercise, folders: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cage, "gaps", lambda: ["read your files"])
    with pytest.raises(HostError, match="could read your files"):
        many.grade(exercise, folders, tmp_path / "out")
