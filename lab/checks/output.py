# SPDX-License-Identifier: MIT
"""``output:`` what a process prints matches a regular expression, or has nothing that matches one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from pydantic import Field, model_validator

from lab.errors import unknown
from lab.model.base import Text, refuse
from lab.model.exercise_check import Evidence, EvidenceError, ExerciseCheck, Judgement, names_of, processes
from lab.numbers import count
from lab.record import matching
from lab.shared import types

_CPU_S = 5  # for a search


class Output(ExerciseCheck):
    """What a process prints, line by line."""

    output: Text = Field(description="The process, by its name in the workload; all of them, if several have it.")
    matches: Text | None = Field(
        None,
        description="A regular expression that is to be found in a line. References such as {numbers.far} and "
        "{server.ip} are replaced, as texts.",
    )
    lacks: Text | None = Field(None, description="One that is to be found in no line, instead of matches:.")
    stream: Literal["out", "err"] = Field("out", description="Standard output, or standard error.")

    @model_validator(mode="after")
    def _one(self) -> Output:
        if (self.matches is None) == (self.lacks is None):
            refuse("needs either matches: or lacks:, with a regular expression")
        return self

    def judge(self, evidence: Evidence) -> Judgement:
        found = [self._of(evidence, process) for process in processes(evidence.plan, self.output)]
        return Judgement(float(all(one for one, _ in found)), "; ".join(seen for _, seen in found))

    def _of(self, evidence: Evidence, process: types.Process) -> tuple[bool, str]:
        lines = evidence.output(process.id, self.stream).splitlines()
        pattern = _filled(self.matches or self.lacks or "", evidence)
        try:
            searched = matching.groups([_named(pattern)], lines, _CPU_S)
        except matching.SlowMatchError:
            raise EvidenceError(f"the search in the output of {process.id} takes too long") from None
        number = sum(map(bool, searched))
        right = bool(number) == (self.matches is not None)
        wanted = "" if right else ", wanted some" if self.matches is not None else ", wanted none"
        return right, f"{count(number, 'line')} of {process.id} of {len(lines)} match {pattern}{wanted}"

    def mistakes(self, exercise: Path) -> Iterator[tuple[str, str]]:
        for key in ("matches", "lacks"):
            pattern = getattr(self, key)
            try:
                re.compile(_named(pattern or ""))
            except (re.error, OverflowError) as error:
                yield key, f'"{pattern}" is not a valid regular expression: {error}'

    def mistakes_with(self, plan: types.Plan) -> Iterator[tuple[str, str]]:
        if not processes(plan, self.output):
            yield "output", unknown("process", self.output, names_of(plan))


def _named(pattern: str) -> str:
    """Return the expression as a group with a name, by which matching tells that it was found."""
    return f"(?P<all_of_it>{pattern})"


_REFERENCE = re.compile(r"\{[A-Za-z_][A-Za-z0-9_-]*(?:\[\d+\])?\.[A-Za-z_][A-Za-z0-9_-]*\}")


def _filled(pattern: str, evidence: Evidence) -> str:
    """Replace references; what they stand for has no special characters: 10.0.0.1 does not match 10x0x0x1."""
    return _REFERENCE.sub(lambda found: re.escape(evidence.fill(found[0])), pattern)
