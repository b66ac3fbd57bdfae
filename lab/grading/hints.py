# SPDX-License-Identifier: MIT
"""Hints that come late: a student has to try a few times first."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

from lab import left
from lab.errors import LabError, writing
from lab.grading.exercise import Exercise
from lab.grading.results import Result
from lab.numbers import count

FILE = ".tries.json"  # in the student's folder: how often each check has not been passed, by name


def late(exercise: Exercise, folder: Path, result: Result) -> Result:
    """Return the result of a try with the hints whose time has come, and remember the try.

    Raises:
        HostError: If the folder cannot be written.
    """
    tries = _read(folder / FILE)
    checks = []
    after = {check.name: check.hint_after for check in exercise.model.checks}
    for check in result.checks:
        if check.passed or check.hint is None:
            checks.append(check)
            continue
        tries[check.name] = tries.get(check.name, 0) + 1
        more = after[check.name] - tries[check.name]
        hint = check.hint if more <= 0 else f"There is a hint after {count(more, 'more try').replace('trys', 'tries')}."
        checks.append(dataclasses.replace(check, hint=hint))
    with writing(folder / FILE):
        (folder / FILE).write_text(json.dumps(tries) + "\n")
    return dataclasses.replace(result, checks=tuple(checks))


def _read(path: Path) -> dict[str, int]:
    """Return what is remembered; nothing of a damaged file."""
    try:
        found = json.loads(left.text(path))
        return {str(name): number for name, number in found.items() if isinstance(number, int)}
    except (OSError, LabError, ValueError, AttributeError):
        return {}
