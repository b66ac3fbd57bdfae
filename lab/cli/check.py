# SPDX-License-Identifier: MIT
"""``lab check``: find out what type of file it is, and check it."""

from __future__ import annotations

import tempfile
from pathlib import Path

from lab import library, registry
from lab.errors import InputError
from lab.model.include import read
from lab.plan.load import check_document

_OF_EXPERIMENTS = ("grid", "workload", "topology", "repetitions", "claims")  # keys that only experiments have


def check(path: Path) -> str:
    """Check one file on its own and return its type: topology, workload, experiment or exercise.

    Raises:
        InputError, InputErrors: If the file is not valid.
    """
    document = read(path if path.exists() else library.of_any_type(str(path)))
    if isinstance(document.data, dict) and any(key in document.data for key in _OF_EXPERIMENTS):
        from lab.experiments.file import resolve
        from lab.experiments.variations import uncertain

        uncertain.check(resolve.check(document))
        return "experiment"
    if isinstance(document.data, dict) and "hand_in" in document.data:
        return _check_exercise(path)
    with registry.settled():  # or it is looked up anew for each node and event
        return check_document(document)


def _check_exercise(path: Path) -> str:
    """Check an exercise, what it runs, and whether its reference can be read."""
    from lab.grading.exercise import FILE, REFERENCE, load
    from lab.grading.marks import check_plans
    from lab.grading.proof import STUDENT
    from lab.grading.submission import read as read_submission

    if path.name != FILE:
        raise InputError(f"{path} is an exercise, whose file is called {FILE}", hint="rename it")
    exercise = load(f"{path.resolve().parent}/")
    with tempfile.TemporaryDirectory(prefix="check-") as place:
        check_plans(exercise, STUDENT, Path(place))
    read_submission(exercise, exercise.folder / REFERENCE)
    return "exercise"
