# SPDX-License-Identifier: MIT
"""``python:`` a function of the exercise's own file check.py, for what the other kinds cannot say.

It runs on the host, as the teacher's code, and gets what the run has left. It must not execute anything of that.
"""

from __future__ import annotations

import ast
import math
import runpy
import traceback
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from pydantic import Field

from lab import library
from lab.errors import InputError, unknown
from lab.expressions.values import ValueWithUnit
from lab.model.base import Text
from lab.model.exercise_check import Evidence, EvidenceError, ExerciseCheck, Judgement

FILE = "check.py"
RIGHT = "right_"  # function right_NAME returns the right answer NAME of check NAME, if that is a number
_Form = TypeVar("_Form")


class Python(ExerciseCheck):
    """A function in check.py, next to exercise.yaml: def NAME(evidence), with lab.model.exercise_check.Evidence.

    It returns the share of the points (True, False or a number from 0 to 1), and a text about what was seen. If it is
    about an answer of the same name, right_NAME(evidence) may return the right one: lab doctor --grade --students.
    """

    python: Text = Field(description="The name of the function.")

    def judge(self, evidence: Evidence) -> Judgement:
        def judged(found: Any) -> Judgement:
            share, seen = found
            return Judgement(float(share), str(seen))

        path = evidence.exercise / FILE
        judgement = self._called(self.python, evidence, judged, _RETURN)
        if not (math.isfinite(judgement.share) and 0 <= judgement.share <= 1):
            said = f"{self.python} returned the share {judgement.share!r}"
            raise InputError(said, where=library.shown(path), hint=_RETURN)
        return judgement

    def right(self, evidence: Evidence) -> Mapping[str, ValueWithUnit]:
        function = f"{RIGHT}{self.python}"
        if function not in _defined(evidence.exercise / FILE):
            return {}

        def number(found: Any) -> ValueWithUnit:
            return found if isinstance(found, ValueWithUnit) else ValueWithUnit(float(found))

        return {self.python: self._called(function, evidence, number, "it returns the right answer, a number")}

    def _called(self, function: str, evidence: Evidence, form: Callable[[Any], _Form], hint: str) -> _Form:
        """Return what a function returns, in the form that it is to have; a fault of it is the exercise's."""
        path = evidence.exercise / FILE
        try:
            return form(_defined(path)[function](evidence))
        except (InputError, EvidenceError):
            raise
        except Exception as raised:
            where = next(
                (at for at in reversed(traceback.extract_tb(raised.__traceback__)) if at.filename == str(path)), None
            )
            line = f":{where.lineno}" if where else ""
            said = f"{type(raised).__name__}: {raised}".partition("\n")[0]
            raise InputError(f"{function} failed: {said}", where=f"{library.shown(path)}{line}", hint=hint) from raised

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


def _defined(path: Path) -> dict[str, Any]:
    return _functions(path, path.stat().st_mtime_ns)


@cache
def _functions(path: Path, changed_ns: int) -> dict[str, Any]:
    """Return what a file of an exercise defines."""
    return runpy.run_path(str(path))
