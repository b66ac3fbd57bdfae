# SPDX-License-Identifier: MIT
"""What a teacher does: write an exercise, prove that it marks right, and hand it to a platform."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import zipfile
from pathlib import Path

import jsonschema
import pytest

from lab.grading.exercise import load
from tests.system.test_cli import LAB, lab
from tests.system.waiting import until
from tests.unit.grading.test_published_forms import GRADESCOPE

pytestmark = pytest.mark.guest
FOLDER = Path("grading", "exercises", "slow-link")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A directory with a new exercise."""
    made = lab("exercise", "new", "slow-link", cwd=tmp_path)
    assert made.stdout == (
        f"{FOLDER}: an exercise to change; then: lab check {FOLDER}/exercise.yaml; lab doctor --grade slow-link\n"
    )
    return tmp_path


def test_a_new_exercise_is_valid_and_marks_right(place: Path) -> None:
    checked = lab("check", f"{FOLDER}/exercise.yaml", cwd=place)
    assert checked.stdout == f"{FOLDER}/exercise.yaml: a valid exercise\n"
    proofs = json.loads(lab("doctor", "--grade", "slow-link", "--json", cwd=place).stdout)
    assert [(one["submission"], one["points"], one["holds"]) for one in proofs] == [
        ("reference", 5, True),
        ("broken/unchanged", 1, True),
    ]


def test_an_exercise_that_marks_wrong_is_found(place: Path) -> None:
    path = place / FOLDER / "exercise.yaml"
    path.write_text(
        path.read_text()
        .replace("unchanged: [fast, ways]", "unchanged: [fast, answered]")
        .replace("ways == 2", "ways == 3")
    )
    shown = lab("doctor", "--grade", "slow-link", cwd=place, status=1).stdout
    rows = [line.split(maxsplit=5) for line in shown.splitlines()[1:]]
    assert [[row[0], row[2], row[-1]] for row in rows] == [
        ["WRONG", "reference", "fails ways"],
        ["WRONG", "broken/unchanged", "fails ways, passes answered"],
    ]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("reachable: pinged", "reachable: ping", 'checks.1.reachable: unknown process "ping" (did you mean pinged?)'),
        ("network.yaml", "netwrok.yaml", "netwrok.yaml does not exist"),
    ],
)
def test_a_mistake_is_found_before_anything_runs(place: Path, old: str, new: str, message: str) -> None:
    path = place / FOLDER / "exercise.yaml"
    path.write_text(path.read_text().replace(old, new))
    assert message in lab("check", f"{FOLDER}/exercise.yaml", cwd=place, status=2).stderr


def test_an_exercise_is_made_once(place: Path) -> None:
    assert f"{FOLDER} exists already" in lab("exercise", "new", "slow-link", cwd=place, status=2).stderr
    assert '"../x" cannot be the id of an exercise' in lab("exercise", "new", "../x", cwd=place, status=2).stderr


def test_an_autograder_marks_as_its_platform_asks(place: Path) -> None:
    """All but setup.sh, which installs the lab from a wheel; the name is the platform's, not the submission's."""
    wheel = place / "hwsim_lab-0-py3-none-any.whl"
    wheel.write_bytes(b"not needed here")
    lab("exercise", "autograder", "slow-link", "--wheel", str(wheel), cwd=place)
    grader = place / "autograder"
    with zipfile.ZipFile(place / "slow-link.zip") as file:
        assert {"setup.sh", "run_autograder", wheel.name} <= set(file.namelist())
        assert all(file.getinfo(name).external_attr >> 16 & 0o111 for name in ("setup.sh", "run_autograder"))
        file.extractall(grader / "source")
    shutil.copy(grader / "source" / "run_autograder", grader)
    for name in ("setup.sh", "run_autograder"):
        subprocess.run(["bash", "-n", grader / "source" / name], check=True)
    exercise = load(str(place / FOLDER))
    shutil.copytree(exercise.folder / "reference", grader / "submission")
    (grader / "submission" / "student.yaml").write_text("exercise: slow-link\nstudent: Eve\n")
    (grader / "submission" / "results.json").write_text('{"score": 99}\n')
    (grader / "submission_metadata.json").write_text(json.dumps({"users": [{"name": "Ada Lovelace"}]}))
    (grader / "results").mkdir()
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    cache = os.environ.get("XDG_CACHE_HOME", str(Path.home() / ".cache"))
    environment = {**os.environ, "AUTOGRADER": str(grader), "PATH": path, "XDG_CACHE_HOME": cache}
    subprocess.run(["bash", grader / "run_autograder"], cwd=grader, env=environment, check=True)
    results = json.loads((grader / "results" / "results.json").read_text())
    jsonschema.validate(results, GRADESCOPE)
    assert sum(test["score"] for test in results["tests"]) == exercise.points
    assert [test["visibility"] for test in results["tests"]] == ["visible", "visible", "after_published"]


def test_students_work_with_a_handout(place: Path) -> None:
    said = lab("exercise", "handout", "slow-link", cwd=place).stdout
    assert said == "slow-link-handout.zip: for students; without the checks ways\n"
    theirs = place / "theirs"
    with zipfile.ZipFile(place / "slow-link-handout.zip") as file:
        file.extractall(theirs)
    lab("exercise", "start", "slow-link", "--student", "Ada", cwd=theirs)
    tried = lab("exercise", "run", "slow-link", cwd=theirs, status=1).stdout
    assert "1 of 4 points" in tried
    refused = lab("exercise", "grade", "slow-link", cwd=theirs, status=2).stderr
    assert "slow-link is a handout: it has neither hidden checks nor a reference" in refused


def test_only_proofs_are_about_exercises(tmp_path: Path) -> None:
    refused = lab("doctor", "hidden-node", cwd=tmp_path, status=2)
    assert refused.stderr == "lab: hidden-node: names of exercises go with --grade\n  lab doctor --grade hidden-node\n"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_marking_goes_on_where_it_was_ended(place: Path, number: signal.Signals) -> None:
    """By Ctrl-C, or by a crash: what has been marked is not run again."""
    names = [f"student-{one}" for one in range(6)]
    for name in names:
        shutil.copytree(place / FOLDER / "reference", place / "handed-in" / name)
    argv = ["grade", "slow-link", *(f"handed-in/{name}" for name in names), "--out", "marks", "--format", "json"]
    grading = subprocess.Popen([str(LAB), *argv], cwd=place, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    results = [place / "marks" / name / "result.json" for name in names]
    until(results[0].exists)
    grading.send_signal(number)
    grading.wait()
    before = {path: path.stat().st_mtime_ns for path in results if path.exists()}
    assert grading.returncode != 0 and 0 < len(before) < len(names)
    marked = json.loads(lab(*argv, cwd=place).stdout)
    assert [(one["submission"], one["points"]) for one in marked] == [(name, 5) for name in names]
    assert before == {path: path.stat().st_mtime_ns for path in before}
