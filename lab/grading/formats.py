# SPDX-License-Identifier: MIT
"""Files of results: for people, spreadsheets, CI servers, and the platforms of courses.

* ``gradescope``: results.json of an autograder (Gradescope's "Autograder Specifications"), for one submission
* ``classroom``: version 1 of what GitHub Classroom's graders hand to its reporter, before Base64, for one submission
* ``junit``: a suite for each submission
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from lab import junit
from lab.errors import InputError
from lab.grading import feedback
from lab.grading.results import CheckResult, Result
from lab.numbers import plain
from lab.printable import printable
from lab.tables import csv_text

_VISIBLE, _HIDDEN = "visible", "after_published"


def _json(results: Sequence[Result]) -> str:
    return json.dumps([result.data() for result in results], indent=2) + "\n"


def _csv(results: Sequence[Result]) -> str:
    """Return a table with a row for each submission, and a column for each check."""
    checks = list(dict.fromkeys(check.name for result in results for check in result.checks))
    lines: list[list[Any]] = [["exercise", "submission", "student", "points", "most", *checks, "refused", "not read"]]
    for result in results:
        points = {check.name: check.points for check in result.checks}
        each = [points.get(name) for name in checks]
        first = [result.exercise, result.submission, result.student, result.points, result.most]
        lines.append([*first, *each, result.refused, "\n".join(result.invalid)])
    return csv_text(lines)


def _junit(results: Sequence[Result]) -> str:
    return junit.document("lab grade", [_suite(result) for result in results])


def _suite(result: Result) -> junit.Suite:
    group = f"{result.exercise}.{result.submission}"
    first = junit.Case(
        group,
        "the submission can be run",
        junit.ERROR if result.refused else None,
        result.refused.partition("\n")[0],
        "submission",
        result.refused,
    )
    cases = [
        junit.Case(
            group,
            check.about,
            None if check.passed else junit.FAILURE,
            _points(check),
            "check",
            feedback.details(check),
        )
        for check in result.checks
    ]
    return junit.Suite(group, [first, *cases])


def _points(check: CheckResult) -> str:
    return f"{plain(check.points, 3)} of {check.most} points"


def _gradescope(results: Sequence[Result]) -> str:
    result = _only(results, "gradescope")
    tests = [
        {
            "name": check.about,
            "number": str(number),
            "score": check.points,
            "max_score": check.most,
            "status": "passed" if check.passed else "failed",
            "output": _elsewhere(check),
            "output_format": "text",
            "tags": [check.name],
            "visibility": _VISIBLE if check.public else _HIDDEN,
        }
        for number, check in enumerate(result.checks, 1)
    ]
    whole: dict[str, Any] = {"tests": tests, "stdout_visibility": "hidden"}
    if result.refused:
        whole["output"] = _shown(_refused(result))
    whole["leaderboard"] = [{"name": "points", "value": result.points}]
    return json.dumps(whole, indent=2) + "\n"


def _classroom(results: Sequence[Result]) -> str:
    result = _only(results, "classroom")
    status = "error" if result.refused else "pass" if result.passed else "fail"
    tests = [
        {
            "name": check.about,
            "status": "error" if result.refused else "pass" if check.passed else "fail",
            "score": check.points,
            "message": None if check.passed else _shown(_refused(result)) if result.refused else _elsewhere(check),
            "test_code": check.name,
            "filename": "",
            "line_no": 0,
            "duration": 0,
        }
        for check in result.checks
    ]
    return json.dumps({"version": 1, "status": status, "max_score": result.most, "tests": tests}, indent=2) + "\n"


def _refused(result: Result) -> str:
    """Return why it got nothing; of a fault of the lab, students cannot use the details."""
    if result.is_unmarked:
        return "The submission could not be marked, which is a fault of the lab. Ask your teacher."
    return f"The submission cannot be run: {result.refused}"


def _elsewhere(check: CheckResult) -> str:
    """Return the feedback for somebody who does not have the directories of the machine that marked it."""
    return _shown(feedback.details(check, with_paths=False))


def _only(results: Sequence[Result], name: str) -> Result:
    if len(results) != 1:
        raise InputError(f"--format {name} is for one submission, not for {len(results)}", hint="use json or csv")
    return results[0]


def _shown(text: str) -> str:
    """Return a text without what a page or a terminal would not show as it is."""
    return printable(text)


FORMATS: dict[str, Callable[[Sequence[Result]], str]] = {
    "classroom": _classroom,
    "csv": _csv,
    "gradescope": _gradescope,
    "json": _json,
    "junit": _junit,
}
