# SPDX-License-Identifier: MIT
"""``python:`` a function of the exercise's own file check.py, for what the other kinds cannot say.

It runs on the host, as the teacher's code, and gets what the run has left. It must not execute anything of that.
"""

from __future__ import annotations

import ast
import math
import runpy
import traceback
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import Field

from lab import library
from lab.errors import InputError, unknown
from lab.model.base import Text
from lab.model.exercise_check import Evidence, EvidenceError, ExerciseCheck, Judgement

FILE = "check.py"


class Python(ExerciseCheck):
    """A function in check.py, next to exercise.yaml: def NAME(evidence), with lab.model.exercise_check.Evidence.

    It returns the share of the points (True, False or a number from 0 to 1), and a text about what was seen.
    """

    python: Text = Field(description="The name of the function.")

    def judge(self, evidence: Evidence) -> Judgement:
        path = evidence.exercise / FILE
        try:
            found: Any = _functions(path, path.stat().st_mtime_ns)[self.python](evidence)
            share, seen = found
            judged = Judgement(float(share), str(seen))
        except (InputError, EvidenceError):
            raise
        except Exception as raised:
            where = next(
                (at for at in reversed(traceback.extract_tb(raised.__traceback__)) if at.filename == str(path)), None
            )
            line = f":{where.lineno}" if where else ""
            said = f"{type(raised).__name__}: {raised}".partition("\n")[0]
            raise InputError(
                f"{self.python} failed: {said}", where=f"{library.shown(path)}{line}", hint=_RETURN
            ) from raised
        if not (math.isfinite(judged.share) and 0 <= judged.share <= 1):
            raise InputError(f"{self.python} returned the share {share!r}", where=library.shown(path), hint=_RETURN)
        return judged

    def mistakes(self, exercise: Path) -> Iterator[tuple[str, str]]:
        path = exercise / FILE
        if not path.is_file():
            yield "python", f"needs {FILE} next to exercise.yaml"
            return
        try:
            tree = ast.parse(path.read_bytes())
        except (SyntaxError, ValueError) as error:
            yield "python", f"{FILE} is not valid Python: {error}"
            return
        names = [one.name for one in tree.body if isinstance(one, ast.FunctionDef)]
        if self.python not in names:
            yield "python", unknown(f"function of {FILE}", self.python, names)


_RETURN = "a function returns two things: a share from 0 to 1, or True or False, and a text about what was seen"


@cache
def _functions(path: Path, changed_ns: int) -> dict[str, Any]:
    """Return what a file of an exercise defines."""
    return runpy.run_path(str(path))
