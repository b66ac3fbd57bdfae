# SPDX-License-Identifier: MIT
"""A hint comes with the try that the exercise names, and not before."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from lab.grading import hints
from lab.grading.exercise import Exercise, load
from lab.grading.results import CheckResult, Result


@pytest.fixture
def exercise(tmp_path: Path) -> Exercise:
    folder = tmp_path / "hidden-node"
    shutil.copytree(load("hidden-node").folder, folder)
    text = (folder / "exercise.yaml").read_text()
    (folder / "exercise.yaml").write_text(text.replace("    hint: Carrier", "    hint_after: 3\n    hint: Carrier", 1))
    return load(str(folder))


def tried(exercise: Exercise, folder: Path, points: float = 0) -> list[str | None]:
    checks = [CheckResult(name, "x", points, 4, True, "", "Think.", "", False) for name in ("cured", "fair")]
    result = hints.late(exercise, folder, Result("hidden-node", "x", "x", "x", "", tuple(checks)))
    return [check.hint for check in result.checks]


def test_a_hint_comes_late(exercise: Exercise, tmp_path: Path) -> None:
    assert tried(exercise, tmp_path) == ["There is a hint after 2 more tries.", "Think."]
    assert tried(exercise, tmp_path) == ["There is a hint after 1 more try.", "Think."]
    assert tried(exercise, tmp_path) == tried(exercise, tmp_path) == ["Think.", "Think."]


def test_a_try_that_passes_does_not_count(exercise: Exercise, tmp_path: Path) -> None:
    tried(exercise, tmp_path, points=4)
    assert tried(exercise, tmp_path)[0] == "There is a hint after 2 more tries."


@pytest.mark.parametrize("text", ["", "[]", '{"cured": "many"}', "{"])
def test_damaged_memory_is_none(exercise: Exercise, tmp_path: Path, text: str) -> None:
    (tmp_path / hints.FILE).write_text(text)
    assert tried(exercise, tmp_path)[0] == "There is a hint after 2 more tries."
