# SPDX-License-Identifier: MIT
"""What a teacher reads about many submissions."""

from __future__ import annotations

from dataclasses import replace

import pytest
from rich.console import Console

from lab.grading.results import CheckResult, Result
from lab.grading.summary import tables

CURED = CheckResult("cured", "It is cured.", 4, 4, True, "", None, "", False)


def printed(*submissions: tuple[str, str]) -> list[str]:
    results = [Result("a-test", "A test", name, student, "", (CURED,)) for name, student in submissions]
    console = Console(width=80)
    with console.capture() as capture:
        console.print(tables(results))
    return [" ".join(line.split()) for line in capture.get().splitlines()]


def test_submissions_of_one_student_are_listed() -> None:
    lines = printed(("a", "Ada Lovelace"), ("b", "Bob"), ("c", "ada  lovelace"))
    assert lines[-2:] == ["student submissions with that name", "Ada Lovelace a, c"]


@pytest.mark.parametrize("names", [["Ada"], ["Ada", "Bob"]])
def test_nothing_is_said_about_students_of_one_submission(names: list[str]) -> None:
    assert not any("with that name" in line for line in printed(*((name, name) for name in names)))


def test_why_answers_were_not_read_is_in_the_table() -> None:
    failed = replace(CURED, points=0)
    result = Result("a-test", "A test", "ada", "Ada", "", (failed,), ("answers.yaml:1  is not YAML",))
    console = Console(width=80)
    with console.capture() as capture:
        console.print(tables([result]))
    lines = capture.get().splitlines()
    assert "cured" in lines[1] and "answers.yaml:1  is not YAML" in lines[2]
