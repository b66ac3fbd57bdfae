# SPDX-License-Identifier: MIT
"""``near:`` a number that is to be close to another one, with points for how close it is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated

from pydantic import Field, model_validator

from lab.checks import _conditions
from lab.errors import InputError
from lab.expressions import expression
from lab.expressions.grammar import parse
from lab.expressions.values import ValueWithUnit
from lab.model.base import Number, Text, refuse
from lab.model.exercise_check import Evidence, ExerciseCheck, Judgement


class Near(ExerciseCheck):
    """A number, as a rule an answer, that is to be near another one, as a rule a value of the run."""

    near: Text = Field(description="The number, in the language of checks: answers.repeated.")
    to: Text = Field(description="What it is to be near: repeated.mean, or 2 * numbers.far.")
    within: Annotated[dict[Text, Number], Field(min_length=1)] = Field(
        description="How far it may be off, and the share of the points for that: {5%: 1, 20%: 0.5} of the other "
        "number, or in its unit: {0.5 ms: 1}. The narrowest comes first, and its share is 1.",
    )

    @model_validator(mode="after")
    def _bands(self) -> Near:
        shares = list(self.within.values())
        if any(not 0 < share <= 1 for share in shares) or shares[0] != 1 or sorted(shares, reverse=True) != shares:
            refuse("the first band has the share 1, each further one less than the one before it", "within")
        return self

    def judge(self, evidence: Evidence) -> Judgement:
        return _conditions.first_that_holds(self._conditions(), evidence.values)

    def _conditions(self) -> dict[str, float]:
        return {self._condition(band): share for band, share in self.within.items()}

    def _condition(self, band: str) -> str:
        """Return a condition that explains itself: both numbers are in it."""
        limit = f"{float(band.strip()[:-1]) / 100} * abs({self.to})" if band.strip().endswith("%") else band
        return f"abs({self.near} - ({self.to})) <= {limit}"

    def reveals(self) -> bool:
        return any(path[0] == "answers" for path in expression.names(self._condition(next(iter(self.within)))))

    def right(self, evidence: Evidence) -> Mapping[str, ValueWithUnit]:
        first, _, name = self.near.partition(".")
        found = expression.Evaluator(evidence.values).value(parse(self.to)) if first == "answers" else None
        return {name: found} if isinstance(found, ValueWithUnit) else {}

    def mistakes(self, exercise: Path) -> Iterator[tuple[str, str]]:
        for band in self.within:
            try:
                expression.names(self._condition(band))
            except (InputError, ValueError) as error:
                yield "within", f"{band}: {error.message if isinstance(error, InputError) else 'is not a number'}"
