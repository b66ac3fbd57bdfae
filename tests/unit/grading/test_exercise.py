# SPDX-License-Identifier: MIT
"""Files of exercises: what is wrong with them is said with its line; numbers come from the student's name."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from lab.checkout import CHECKOUT
from lab.errors import InputError
from lab.grading.exercise import Exercise, Student, find, known, load, with_numbers

TEXT = """\
name: A test
about: A test.
minutes: 1
goals: [none]
numbers:
  far: {from: 10, to: 40, step: 10, unit: m}
  word: {one_of: [red, green]}
hand_in:
  answers.yaml:
    answers: {time: {about: How long?, unit: ms}}
runs:
  only: {topology: one-ap, workload: idle, set: {"nodes.sta1.txpower": 10 dBm}}
checks:
  - {name: time, about: It is right., points: 2, that: answers.time == 3 ms}
broken:
  late: [time]
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of an exercise, which is the one in the current directory."""
    monkeypatch.chdir(tmp_path)
    made = tmp_path / "grading" / "exercises" / "a-test"
    for part in ("given", "starter", "reference", "broken/late"):
        (made / part).mkdir(parents=True)
    (made / "task.md").write_text("It is {numbers.far} away; the seed is {numbers.seed}.\n")
    (made / "exercise.yaml").write_text(TEXT)
    return made


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ("points: 2", "points: -1", 14, "checks.0.points"),
        ("name: time, about", "name: time, run: other, about", 14, 'unknown run "other"; known: only'),
        ("late: [time]", "late: [tine]", 16, 'unknown check "tine" (did you mean time?); known: time'),
        ("late: [time]", "late: []", 16, "is wrong in no way: name the checks that it does not pass"),
        ("late: [time]", "early: [time]", 1, "needs broken/early next to it"),
        ("broken:\n  late: [time]\n", "", 1, "broken: needs at least one twin"),
        ("to: 40", "to: 4", 6, "numbers.far.to: is lower than from"),
        ("from: 10, to: 40, step: 10, ", "", 6, "needs from and to (whole numbers), or one_of (a list)"),
        ("to: 40", "to: 40, one_of: [a, b]", 6, "has both one_of and a range; keep one of them"),
        ("unit: ms}}", "unit: ms}}\n    program: true", 9, "needs one of settings, answers and program: true"),
        ("unit: ms}", "unit: ms, one_of: [a, b]}", 10, "has a unit, so one_of cannot list its answers"),
        ("that: answers.time == 3 ms", "that: answers.time ==", 14, "answers.time ==: "),
        ("  far: {", "  near: {", 1, 'task.md: unknown number "far"; known: seed, near, word'),
        ("  far: {", "  seed: {from: 1, to: 2}\n  far: {", 6, "is the seed of the student's runs; choose another name"),
        ("10 dBm", '"{numbers.power}"', 1, 'runs.only: unknown number "power"'),
        ("  answers.yaml:", "  ../answers.yaml:", 9, "must be the name of a file, and none of given/"),
        ("points: 2", "points: 2, partly: {answers.time < 4 ms: 1.0}", 14, "a share is a number between 0 and 1"),
        ("minutes: 1", "minutes: 1\nminuts: 1", 4, 'unknown key "minuts" (did you mean minutes?)'),
    ],
)
def test_a_mistake_is_reported_with_its_line(folder: Path, old: str, new: str, line: int, message: str) -> None:
    assert old in TEXT
    (folder / "exercise.yaml").write_text(TEXT.replace(old, new, 1))
    with pytest.raises(InputError) as caught:
        load("a-test")
    lines = str(caught.value).splitlines()
    assert any(f"exercise.yaml:{line}  " in one and message in one for one in lines), lines


def test_two_checks_have_different_names_and_name_their_run_if_there_are_several(folder: Path) -> None:
    check = TEXT[TEXT.index("  - {name") : TEXT.index("broken:")]
    (folder / "exercise.yaml").write_text(TEXT.replace(check, check + check))
    with pytest.raises(InputError, match='exercise.yaml:15  checks.1.name: another check is called "time"'):
        load("a-test")
    (folder / "exercise.yaml").write_text(
        TEXT.replace("checks:", "  other: {topology: one-ap, workload: idle}\nchecks:")
    )
    with pytest.raises(InputError, match="exercise.yaml:15  checks.0: needs run:, one of only, other"):
        load("a-test")


def test_it_is_found_by_its_id_or_as_a_folder(folder: Path) -> None:
    assert next(iter(known())) == "a-test" and len(known()) > 1
    assert load("a-test").model == load(str(folder)).model
    with pytest.raises(InputError, match=r'unknown exercise "a-tset" \(did you mean a-test\?\); known: a-test, '):
        find("a-tset")
    with pytest.raises(InputError, match=r"is not an exercise: it has no exercise.yaml"):
        find("./grading")


def test_a_stack_may_have_exercises(folder: Path) -> None:
    of_stack = Path("workloads", "a-stack", "exercises", "more")
    shutil.copytree(folder, of_stack)
    assert known()["more"] == of_stack.resolve() and known()["a-test"] == folder
    assert load("more").id == "more"


@pytest.fixture
def exercise(folder: Path) -> Exercise:
    return load("a-test")


def test_numbers_come_from_the_name_however_it_is_written(exercise: Exercise) -> None:
    numbers = Student("Ada Lovelace").numbers(exercise)
    assert numbers == Student("  ada  LOVELACE ").numbers(exercise)
    assert numbers == {"seed": "18128", "far": "40 m", "word": "red"}  # on every machine
    assert with_numbers("{numbers.far} {other}", numbers) == "40 m {other}"


def test_students_have_different_numbers(exercise: Exercise) -> None:
    found = [Student(f"student {number}").numbers(exercise) for number in range(200)]
    assert {one["far"] for one in found} == {"10 m", "20 m", "30 m", "40 m"}
    assert {one["word"] for one in found} == {"red", "green"}
    assert len({one["seed"] for one in found}) == 200
    together = {(one["far"], one["word"]) for one in found}
    assert len(together) == 8  # one number says nothing about another


def test_another_exercise_has_other_numbers(exercise: Exercise, folder: Path) -> None:
    other = folder.parent / "another"
    shutil.copytree(folder, other)
    seeds = {Student("Ada").seed(load(name)) for name in ("a-test", "another")}
    assert len(seeds) == 2


def own() -> Iterator[str]:
    yield from known()


@pytest.mark.parametrize("name", own())
def test_exercises_of_the_lab_are_valid(name: str) -> None:
    assert load(name).points > 0


@pytest.mark.parametrize("name", own())
def test_an_exercise_of_the_lab_is_whole(name: str) -> None:
    """What each has to have: half an hour to one and a half, goals, sources, numbers, hints, twins for every check."""
    model = load(name).model
    assert 30 <= model.minutes <= 90 and len(model.goals) >= 3 and len(model.references) >= 2 and model.numbers
    assert [check.name for check in model.checks if not check.advice] == []
    assert {check.name for check in model.checks} == {failed for twin in model.broken.values() for failed in twin}
    assert {check.public for check in model.checks} == {True, False}


@pytest.mark.parametrize("name", own())
def test_the_page_on_teaching_lists_each_exercise_of_the_lab(name: str) -> None:
    exercise = load(name)
    link = f"[{name}](../{exercise.folder.relative_to(CHECKOUT)}/exercise.yaml)"
    row = f"| {link} | {exercise.model.minutes} | {exercise.model.about} |"
    assert row in (CHECKOUT / "docs" / "teaching.md").read_text().splitlines()
