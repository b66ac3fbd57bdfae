# SPDX-License-Identifier: MIT
"""What a student reads about a submission."""

from __future__ import annotations

from pathlib import PurePath

from lab.grading.results import CheckResult, Result
from lab.numbers import plain


def text(result: Result) -> str:
    """Return the feedback, a few lines for each check."""
    lines = []
    if result.refused:
        lines += ["The submission cannot be run:", *_indented(result.refused), ""]
    for check in result.checks:
        word = "not run" if result.refused else verdict(check)
        lines.append(f"{word:6}  {plain(check.points, 3)} of {check.most}  {check.about}")
        if not result.refused:
            lines += _indented(details(check))
    lines += ["", f"{plain(result.points, 3)} of {result.most} points"]
    if places := list(dict.fromkeys(check.where for check in result.checks if check.where and not result.refused)):
        several = len(places) > 1
        with_report = f"({'each ' if several else ''}with report.html)"
        lines.append(f"{'runs' if several else 'run'}: {', '.join(places)} {with_report}")
    return "\n".join(lines)


def details(check: CheckResult, with_paths: bool = True) -> str:
    """Return what a student reads below a check: values, and what to think about if it has not passed.

    Args:
        check: the check.
        with_paths: whether the student has the directory of the run. Otherwise the run is named.
    """
    lines = [] if check.about_answers else [check.seen]
    if not check.passed:
        lines += [check.hint] if check.hint else []
        lines += [f"run: {check.where}"] if check.where else []
    text = "\n".join(lines)
    if with_paths or not check.where:
        return text
    run = PurePath(check.where)
    return text.replace(str(run), run.name).replace(f"{run.parent}/", "")


def verdict(check: CheckResult) -> str:
    """Return a word for how much of a check holds."""
    return "passed" if check.passed else "partly" if check.points else "FAILED"


def _indented(message: str) -> list[str]:
    return [f"        {line}" for line in message.splitlines()]
