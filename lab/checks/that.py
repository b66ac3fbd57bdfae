# SPDX-License-Identifier: MIT
"""``that:`` a condition, in the language of checks of workloads."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pydantic import Field, model_validator

from lab.checks import _conditions
from lab.errors import InputError
from lab.expressions import expression
from lab.model.base import Number, Text, refuse
from lab.model.exercise_check import Evidence, ExerciseCheck, Judgement


class Condition(ExerciseCheck):
    """A condition on values of the run, and on answers."""

    that: Text = Field(
        description="The condition, as in checks: of a workload. It may also name answers.NAME and numbers.NAME."
    )
    partly: dict[Text, Number] = Field(
        {}, description="Weaker conditions, and the share of the points for the first that holds: {CONDITION: 0.5}."
    )

    @model_validator(mode="after")
    def _shares(self) -> Condition:
        if any(not 0 < share < 1 for share in self.partly.values()):
            refuse("a share is a number between 0 and 1, such as 0.5", "partly")
        return self

    def judge(self, evidence: Evidence) -> Judgement:
        return _conditions.first_that_holds({self.that: 1.0} | self.partly, evidence.values)

    def reveals(self) -> bool:
        return any(path[0] == "answers" for path in expression.names(self.that))

    def mistakes(self, exercise: Path) -> Iterator[tuple[str, str]]:
        for key, that in [("that", self.that), *(("partly", one) for one in self.partly)]:
            try:
                expression.names(that)
            except InputError as error:
                yield key, f"{that}: {error.message}"
