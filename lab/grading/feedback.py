# SPDX-License-Identifier: MIT
"""What a student reads about a submission, and the same as JSON."""

from __future__ import annotations

from typing import Any

from lab.expressions import expression
from lab.grading.marks import Mark, Marks
from lab.numbers import plain


def text(marks: Marks) -> str:
    """Return the feedback, a few lines for each check."""
    lines = []
    if marks.refused:
        lines += ["The submission cannot be run:", *_indented(marks.refused), ""]
    for mark in marks.marks:
        lines.append(f"{_verdict(mark):6}  {_points(mark.points)} of {mark.check.points}  {mark.check.about}")
        if not marks.refused:
            lines += _details(mark)
    most = sum(mark.check.points for mark in marks.marks)
    lines += ["", f"{_points(marks.points)} of {most} points"]
    return "\n".join(lines)


def as_json(marks: Marks) -> dict[str, Any]:
    """Return it for programs, with what students do not see."""
    return {
        "exercise": marks.exercise.id,
        "student": marks.student.name,
        "points": marks.points,
        "most": sum(mark.check.points for mark in marks.marks),
        "refused": marks.refused or None,
        "checks": [
            {
                "name": mark.check.name,
                "about": mark.check.about,
                "points": mark.points,
                "most": mark.check.points,
                "public": mark.check.public,
                "seen": mark.seen,
            }
            for mark in marks.marks
        ],
        "runs": {name: str(directory) for name, directory in marks.runs.items()},
    }


def _details(mark: Mark) -> list[str]:
    """Return what a student reads below a check: values, and what to think about if it has not passed."""
    lines = [] if _gives_answers_away(mark) else [mark.seen]
    if mark.share < 1:
        lines += [mark.check.advice] if mark.check.advice else []
        lines += [f"run: {mark.where}"] if mark.where else []
    return _indented("\n".join(lines)) if lines else []


def _gives_answers_away(mark: Mark) -> bool:
    """Return whether the values that a check compares show the right answer to a question."""
    return any(path[0] == "answers" for path in expression.names(mark.check.that))


def _indented(message: str) -> list[str]:
    return [f"        {line}" for line in message.splitlines()]


def _verdict(mark: Mark) -> str:
    return "passed" if mark.share == 1 else "partly" if mark.share else "FAILED"


def _points(points: float) -> str:
    return plain(points, 3)
