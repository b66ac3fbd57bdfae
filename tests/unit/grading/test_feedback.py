# SPDX-License-Identifier: MIT
"""Feedback: what was expected and seen, but not the answers to questions."""

from __future__ import annotations

import json

from lab.grading.feedback import text
from lab.grading.results import CheckResult, Result, from_data


def check(name: str, points: float, most: int, about_answers: bool = False) -> CheckResult:
    seen, where = f"{name} = 5, wanted > 7", f"runs/x/{name}"
    return CheckResult(name, f"It is {name}.", points, most, not about_answers, seen, "Think.", where, about_answers)


def result(*checks: CheckResult, refused: str = "") -> Result:
    return Result("a-test", "A test", "ada", "Ada", refused, checks)


def test_each_check_has_its_points_what_was_seen_and_where_to_look() -> None:
    assert text(result(check("cured", 1, 4), check("fair", 2, 2))).splitlines() == [
        "partly  1 of 4  It is cured.",
        "        cured = 5, wanted > 7",
        "        Think.",
        "        run: runs/x/cured",
        "passed  2 of 2  It is fair.",
        "        fair = 5, wanted > 7",
        "",
        "3 of 6 points",
        "runs: runs/x/cured, runs/x/fair (each with report.html)",
    ]


def test_the_answer_to_a_question_is_not_shown() -> None:
    shown = text(result(check("heard", 0, 2, about_answers=True)))
    assert "wanted" not in shown and shown.startswith("FAILED  0 of 2") and "Think." in shown


def test_a_submission_that_cannot_be_run_says_why() -> None:
    shown = text(result(check("cured", 0, 4), refused="settings.yaml:1  is wrong\n  write it"))
    assert shown.startswith(
        "The submission cannot be run:\n        settings.yaml:1  is wrong\n          write it\n\nnot run  0 of 4  It is"
    )
    assert "run: " not in shown and "runs: " not in shown and "FAILED" not in shown


def test_a_result_can_be_stored() -> None:
    made = result(check("cured", 1, 4), check("heard", 1, 1, about_answers=True))
    data = json.loads(json.dumps(made.data()))
    assert (data["points"], data["most"], made.passed) == (2, 5, False)
    assert from_data(data) == made
