# SPDX-License-Identifier: MIT
"""What students may have of an exercise: neither solutions nor what hidden checks want, wherever that is written."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from lab.errors import InputError
from lab.grading import autograder, handout, many, proof
from lab.grading.exercise import Exercise, Student, known, load
from tests.unit.grading.test_exercise import TEXT, folder

__all__ = ["folder"]

CHECKS = """\
  # 42 m, says the teacher
  - {name: far, about: Far., points: 1, python: far, run: only}
  - {name: deep, about: Deep., points: 1, python: deep, public: false, run: secret}
  - {name: model, about: It is right., points: 1, python: model, hand_out: false, run: only}
broken:
"""
CHECK = '''\
"""What is right is 42."""
import math
FAR, DEEP = 1, 2
SECRET = 42  # m

def far(evidence):
    return _close(evidence, "far"), "seen"

def deep(evidence):
    return _close(evidence, SECRET), "seen"

def model(evidence):
    return math.pi == SECRET, "seen"

def _close(evidence, what):
    # not 42
    return what == FAR
'''


@pytest.fixture
def exercise(folder: Path) -> Exercise:
    """An exercise with a hidden check, a run for that, and a public check that is not handed out."""
    runs = '  secret: {topology: one-ap, workload: idle, set: {"nodes.sta1.txpower": 42 dBm}}\nchecks:\n'
    text = TEXT.replace("broken:\n", CHECKS).replace("points: 2,", "points: 2, run: only,").replace("checks:\n", runs)
    (folder / "exercise.yaml").write_text(text)
    (folder / "check.py").write_text(CHECK)
    (folder / "starter" / "answers.yaml").write_text("# time: 5 ms\n")
    (folder / "reference" / "answers.yaml").write_text("time: 42 ms\n")
    return load("a-test")


def test_it_has_no_solution_and_nothing_of_hidden_checks(exercise: Exercise, tmp_path: Path) -> None:
    assert handout.make(exercise, tmp_path / "out") == ["deep", "model"]
    texts = {path.relative_to(tmp_path / "out").as_posix(): path.read_text() for path in files(tmp_path / "out")}
    below = "grading/exercises/a-test"
    assert set(texts) == {
        "README.md",
        *(f"{below}/{name}" for name in ("exercise.yaml", "check.py", "task.md", "starter/answers.yaml")),
    }
    assert not [name for name, text in texts.items() if "42" in text or "deep" in text or "secret" in text]
    assert "def _close" in texts[f"{below}/check.py"] and "FAR" in texts[f"{below}/check.py"]


def files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def test_it_is_an_exercise_with_the_same_numbers(
    exercise: Exercise, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    handout.make(exercise, tmp_path / "out")
    monkeypatch.chdir(tmp_path / "out")
    found = load("a-test")
    assert [check.name for check in found.model.checks] == ["time", "far"] and list(found.model.runs) == ["only"]
    assert Student("Ada").numbers(found) == Student("Ada").numbers(exercise)


def test_a_zip_has_the_same_files_and_the_same_bytes_each_time(exercise: Exercise, tmp_path: Path) -> None:
    handout.make(exercise, tmp_path / "out")
    for name in ("one.zip", "two.zip"):
        handout.make(exercise, tmp_path / name)
    assert (tmp_path / "one.zip").read_bytes() == (tmp_path / "two.zip").read_bytes()
    with zipfile.ZipFile(tmp_path / "one.zip") as file:
        assert {Path(name) for name in file.namelist()} == {
            path.relative_to(tmp_path / "out") for path in files(tmp_path / "out")
        }


def test_a_handout_does_not_mark(exercise: Exercise, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lab.machine.cage.require", lambda: None)
    handout.make(exercise, tmp_path / "out")
    found = load(str(tmp_path / "out" / "grading" / "exercises" / "a-test"))
    for refuses in (
        lambda: many.grade(found, [], tmp_path / "marks"),
        lambda: proof.prove([found], tmp_path / "proofs"),
        lambda: autograder.make(found, tmp_path / "a.zip"),
        lambda: handout.make(found, tmp_path / "b.zip"),
    ):
        with pytest.raises(InputError, match="a-test is a handout: it has neither hidden checks nor a reference"):
            refuses()


def test_without_public_checks_there_is_nothing_to_hand_out(folder: Path, tmp_path: Path) -> None:
    (folder / "exercise.yaml").write_text(TEXT.replace("points: 2", "points: 2, public: false"))
    with pytest.raises(InputError, match="a-test has no public check to hand out"):
        handout.make(load("a-test"), tmp_path / "out")


def test_a_folder_that_exists_is_left_alone(exercise: Exercise, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    with pytest.raises(InputError, match="out exists already"):
        handout.make(exercise, tmp_path / "out")


@pytest.mark.parametrize("name", known())
def test_each_exercise_of_the_lab_can_be_handed_out(name: str, tmp_path: Path) -> None:
    handout.make(load(name), tmp_path / "out")
    found = load(str(tmp_path / "out" / "grading" / "exercises" / name))
    assert found.model.handout and all(check.public for check in found.model.checks)
