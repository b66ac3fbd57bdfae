# SPDX-License-Identifier: MIT
"""Feedback: what was expected and seen, but not the answers to questions."""

from __future__ import annotations

from pathlib import Path

from lab.grading.exercise import Student, load
from lab.grading.feedback import as_json, text
from lab.grading.marks import Mark, Marks


def marks(refused: str = "", **shares: float) -> Marks:
    exercise = load("hidden-node")
    made = [
        Mark(check, shares[check.name], f"{check.name} = 5, wanted > 7", f"runs/x/{check.name}")
        for check in exercise.model.checks
        if check.name in shares
    ]
    return Marks(exercise, Student("Ada"), made, refused, {"after": Path("runs/x/after")})


def test_each_check_has_its_points_what_was_seen_and_where_to_look() -> None:
    assert text(marks(cured=0.25, fair=1)).splitlines() == [
        "partly  1 of 4  Both stations together get at least 4 Mbit/s.",
        "        cured = 5, wanted > 7",
        "        Carrier sensing cannot work here. What else reserves the channel?",
        "        run: runs/x/cured",
        "passed  2 of 2  Neither station gets less than a third of it.",
        "        fair = 5, wanted > 7",
        "",
        "3 of 6 points",
    ]


def test_the_answer_to_a_question_is_not_shown() -> None:
    shown = text(marks(repeated=0, heard=0))
    assert "wanted" not in shown and "FAILED  0 of 2" in shown


def test_a_submission_that_cannot_be_run_says_why() -> None:
    shown = text(marks("settings.yaml:1  is wrong\n  write it", cured=0))
    assert shown.startswith(
        "The submission cannot be run:\n        settings.yaml:1  is wrong\n          write it\n\nFAILED  0 of 4  Both"
    )
    assert "run: " not in shown


def test_json_has_all_of_it() -> None:
    found = as_json(marks(cured=0.25, heard=1))
    assert (found["exercise"], found["student"], found["points"], found["most"]) == ("hidden-node", "Ada", 2, 5)
    assert found["refused"] is None and found["runs"] == {"after": "runs/x/after"}
    assert [(one["name"], one["points"], one["most"], one["public"], one["seen"]) for one in found["checks"]] == [
        ("cured", 1, 4, True, "cured = 5, wanted > 7"),
        ("heard", 1, 1, False, "heard = 5, wanted > 7"),
    ]
