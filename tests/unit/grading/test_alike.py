# SPDX-License-Identifier: MIT
"""Nearly equal submissions are found, and those that only began with the same starter are not."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.grading import alike
from lab.grading.exercise import Exercise, Student, load

TEXT = """\
name: A test
about: A test.
minutes: 1
goals: [none]
numbers: {far: {from: 1, to: 9}}
hand_in:
  a.py: {program: true}
  answers.yaml: {answers: {one: {about: How many?, unit: ms}, two: {about: How many?}}}
runs: {only: {topology: one-ap, workload: idle}}
checks: [{name: x, about: x, points: 1, that: answers.one == 1 ms}]
broken: {none: [x]}
"""
STARTER = "def main(argv):\n" + "".join(f"    print('step {number} of the starter', argv)\n" for number in range(9))
OWN = "".join(f"    total = total + measured({number}) * weight\n" for number in range(9))
OTHER = "".join(f"    for packet in received[{number}:]:\n        yield packet.length / 8\n" for number in range(9))


@pytest.fixture
def exercise(tmp_path: Path) -> Exercise:
    folder = tmp_path / "a-test"
    for part in ("given", "starter", "reference", "broken/none"):
        (folder / part).mkdir(parents=True)
    (folder / "task.md").write_text("{numbers.far}\n")
    (folder / "starter" / "a.py").write_text(STARTER)
    (folder / "exercise.yaml").write_text(TEXT)
    return load(str(folder))


def found(exercise: Exercise, tmp_path: Path, **handed_in: tuple[str, str]) -> list[alike.Alike]:
    folders = []
    for name, (program, answers) in handed_in.items():
        folder = tmp_path / name
        folder.mkdir()
        (folder / "a.py").write_text(program)
        (folder / "answers.yaml").write_text(answers)
        folders.append(folder)
    return alike.find(exercise, folders, [Student(name) for name in handed_in])


def test_a_copied_program_is_found_whatever_its_blanks_and_comments(exercise: Exercise, tmp_path: Path) -> None:
    copied = OWN.replace(" + ", "+").replace("\n", "  # mine\n\n")
    pairs = found(exercise, tmp_path, ada=(STARTER + OWN, ""), bob=(STARTER + OTHER, ""), eve=(STARTER + copied, ""))
    assert pairs == [alike.Alike("ada", "eve", 1.0, "a.py")]


def test_the_starter_is_nobodys(exercise: Exercise, tmp_path: Path) -> None:
    assert found(exercise, tmp_path, ada=(STARTER, ""), bob=(STARTER, ""), eve=(STARTER + "x = 1\n", "")) == []


def test_equal_numbers_are_found_if_they_should_differ(exercise: Exercise, tmp_path: Path) -> None:
    same, other = "one: 12.3 ms\ntwo: 4\n", "one: 12.4 ms\ntwo: 4\n"
    pairs = found(exercise, tmp_path, ada=("", same), bob=("", same), eve=("", other))
    assert pairs == [alike.Alike("ada", "bob", 1.0, "1 answer: one")]  # two is short: many find it


def test_students_with_equal_numbers_may_find_the_same(exercise: Exercise, tmp_path: Path) -> None:
    folders = []
    for name in ("1", "2"):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "a.py").touch()
        (folder / "answers.yaml").write_text("one: 12.3 ms\n")
        folders.append(folder)
    assert alike.find(exercise, folders, [Student("Ada"), Student("ada")]) == []


def test_a_submission_that_cannot_be_read_is_like_none(exercise: Exercise, tmp_path: Path) -> None:
    folder = tmp_path / "empty"
    folder.mkdir()
    assert alike.find(exercise, [folder, folder], [Student("a"), Student("b")]) == []
