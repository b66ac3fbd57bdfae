# SPDX-License-Identifier: MIT
"""Exercises of the lab: the reference gets every point, and each broken twin fails the checks that it is to fail.

Of the twins, those that together fail every check; `lab doctor --grade` marks all of them (`make nightly`).
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from lab.errors import InputError
from lab.grading.exercise import BROKEN, REFERENCE, Exercise, Student, known, load
from lab.grading.marks import mark
from lab.grading.results import Result
from lab.record import Record
from lab.record import load as load_record
from lab.runs import Machine
from lab.shared.types import Plan
from tests import stored
from tests.system.test_cli import lab

pytestmark = pytest.mark.guest
THEIRS = Student("reference")  # whose numbers the answers in reference/ and broken/ are for


def failing(result: Result) -> set[str]:
    return {check.name for check in result.checks if not check.passed}


class SharedRuns:
    """Runs plans, each once: twins that differ in answers only have the same runs, and equal plans equal records."""

    def __init__(self) -> None:
        self._known: dict[str, Path] = {}

    def run_plan(
        self, plan: Plan, machine: Machine, directory: Path, on_progress: Any, timeout_s: float | None = None
    ) -> Record:
        key = re.sub(r'"source":\s*"[^"]*"', "", plan.to_json())  # where the twin's copies of the files are
        if key not in self._known:
            record = stored.run_plan(plan, machine, directory)
            self._known[key] = directory
            return record
        shutil.copytree(self._known[key], directory, dirs_exist_ok=True)
        return load_record(directory)


def few(broken: Mapping[str, list[str]]) -> list[str]:
    """Return twins that together fail all that any twin fails: again and again the one that fails most of the rest."""
    rest, chosen = {check for checks in broken.values() for check in checks}, []
    while rest:
        chosen.append(max(broken, key=lambda twin: len(rest.intersection(broken[twin]))))
        rest -= set(broken[chosen[-1]])
    return chosen


def test_few_twins_fail_all_checks() -> None:
    assert few({"a": ["x"], "b": ["x", "y"], "c": ["z"], "d": []}) == ["b", "c"]


@pytest.mark.parametrize("name", known())
def test_the_reference_gets_every_point_and_a_broken_twin_fails_what_it_is_to_fail(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lab.grading.marks.run_plan", SharedRuns().run_plan)
    exercise = load(name)
    marks = mark(exercise, exercise.folder / REFERENCE, THEIRS, tmp_path / REFERENCE)
    assert not marks.refused and failing(marks) == set() and marks.points == exercise.points
    for directory in {check.where for check in marks.checks}:
        assert json.loads(Path(directory, "plan.json").read_text())["checks"] == []  # nothing to read in the guest
    for twin in few(exercise.model.broken):
        marks = mark(exercise, exercise.folder / BROKEN / twin, THEIRS, tmp_path / twin)
        assert (twin, marks.refused, failing(marks)) == (twin, "", set(exercise.model.broken[twin]))


def submission(exercise: Exercise, tmp_path: Path, **changed: str) -> Path:
    """The reference with other contents of files; ``_`` in their names stands for a dot."""
    folder = tmp_path / "submission"
    shutil.copytree(exercise.folder / REFERENCE, folder)
    for name, text in changed.items():
        (folder / name.replace("_", ".")).write_text(text)
    return folder


def test_a_submission_with_a_mistake_gets_nothing_and_the_reason(tmp_path: Path) -> None:
    exercise = load("hidden-node")
    folder = submission(exercise, tmp_path, settings_yaml="nodes.sta9.rts_threshold: 1 kB\n")
    marks = mark(exercise, folder, THEIRS, tmp_path / "out")
    assert marks.points == 0 and not any(check.where for check in marks.checks)
    assert marks.refused.startswith('settings.yaml:1  nodes.sta9.rts_threshold: nodes has no "sta9"')


def test_a_mistake_of_the_exercise_is_not_the_students(tmp_path: Path) -> None:
    exercise = load("hidden-node")
    copy = tmp_path / "hidden-node"
    shutil.copytree(exercise.folder, copy)
    cell = copy / "given" / "cell.yaml"
    cell.write_text(cell.read_text().replace("kind: host", "kind: hoost"))
    with pytest.raises(InputError, match="hoost"):
        mark(load(str(copy)), copy / REFERENCE, THEIRS, tmp_path / "out")


def test_a_student_starts_runs_and_is_marked(tmp_path: Path) -> None:
    started = lab("exercise", "start", "hidden-node", "--student", "Ada Lovelace", cwd=tmp_path)
    assert started.stdout.startswith("hidden-node/task.md: the task; edit settings.yaml, answers.yaml, then: ")
    tried = lab("exercise", "run", "hidden-node", cwd=tmp_path, status=1)
    points, places = tried.stdout.splitlines()[-2:]
    assert points == "0 of 8 points" and "The cause is right." not in tried.stdout
    assert re.fullmatch(r"runs: (runs/\S+)/before, \1/after \(each with report.html\)", places)
    for path in (load("hidden-node").folder / REFERENCE).iterdir():
        shutil.copy(path, tmp_path / "hidden-node")
    copied = json.loads(lab("exercise", "grade", "hidden-node", "--json", cwd=tmp_path, status=1).stdout)
    assert [check["name"] for check in copied["checks"] if check["points"] == 0] == ["repeated", "frame"]
    own = "repeated: 63.9 %\nframe: 1536 us\ncause: hidden terminals\nheard: CTS\n"
    (tmp_path / "hidden-node" / "answers.yaml").write_text(own)
    first, second = (
        json.loads(lab("exercise", "grade", "hidden-node", "--json", "--out", out, cwd=tmp_path).stdout)
        for out in ("first", "second")
    )
    assert (first["points"], first["most"], first["student"]) == (11, 11, "Ada Lovelace")
    checks = [[{**check, "where": ""} for check in result["checks"]] for result in (first, second)]
    assert checks[0] == checks[1]  # the same seed, the same mark
