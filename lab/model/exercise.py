# SPDX-License-Identifier: MIT
"""Exercises: what students hand in, the runs that are made of it, and what must hold (lab.grading marks them)."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, model_validator

from lab.model.base import Flag, Integer, Model, Overrides, Text, Texts, refuse
from lab.model.exercise_check import AnyCheck
from lab.model.names import Identifier


class DrawnNumber(Model):
    """A number of the task that differs between students."""

    from_: Integer | None = Field(None, alias="from", description="The lowest one.")
    to: Integer | None = Field(None, description="The highest one.")
    step: Annotated[Integer, Field(ge=1)] = Field(1, description="Distance between two possible ones.")
    one_of: list[Text] | None = Field(None, min_length=2, description="The possible ones, instead of from and to.")
    unit: Text = Field("", description="What follows the number in the text and in values: m, dB, Mbit/s.")

    @model_validator(mode="after")
    def _one_way(self) -> DrawnNumber:
        if self.one_of is None and (self.from_ is None or self.to is None):
            refuse("needs from and to (whole numbers), or one_of (a list)")
        if self.one_of is not None and (self.from_ is not None or self.to is not None):
            refuse("has both one_of and a range; keep one of them")
        if self.from_ is not None and self.to is not None and self.to < self.from_:
            refuse("is lower than from", "to")
        return self

    def values(self) -> list[str]:
        """Return the possible ones as text, with their unit."""
        if self.one_of is not None:
            bare = self.one_of
        else:
            assert self.from_ is not None and self.to is not None  # validated
            bare = [str(number) for number in range(self.from_, self.to + 1, self.step)]
        return [f"{one} {self.unit}".strip() for one in bare]


class Answer(Model):
    """A question that the student answers in a file: with a number, or with one of several words."""

    about: Text = Field(description="The question.")
    unit: Text | None = Field(None, description="Unit of the number. Without it and one_of, the answer is a number.")
    one_of: list[Text] | None = Field(None, min_length=2, description="The words to choose from.")

    @model_validator(mode="after")
    def _one_way(self) -> Answer:
        if self.one_of is not None and self.unit is not None:
            refuse("has a unit, so one_of cannot list its answers; remove one of them")
        return self


class HandedIn(Model):
    """A file that the student hands in; exactly one of its three forms."""

    settings: Texts | None = Field(
        None,
        min_length=1,
        description="It is YAML with values for these keys of topology and workload, as for --set. A * stands for any "
        "name: nodes.*.rts_threshold.",
    )
    answers: dict[Identifier, Answer] | None = Field(
        None, min_length=1, description="It is YAML with answers to these questions."
    )
    program: Flag = Field(
        False, description="It is a program or another text that the workload names in files:, by from:."
    )

    @model_validator(mode="after")
    def _one_form(self) -> HandedIn:
        if [self.settings is not None, self.answers is not None, self.program].count(True) != 1:
            refuse("needs one of settings, answers and program: true")
        return self


class ExerciseRun(Model):
    """A run that the checks look at."""

    topology: Text = Field(description="Its topology: a file in given/, or a name.")
    workload: Text = Field(description="Its workload: a file in given/, or a name.")
    set: Overrides = Field({}, description="Keys that have other values than in these files, as for --set.")
    as_given: Flag = Field(False, description="Whether it runs without the settings that the student hands in.")
    timeout: Text = Field("5 min", description="The wall time after which it is ended; a busy machine needs more.")


class ExerciseFile(Model):
    """The file exercise.yaml of an exercise."""

    name: Text = Field(description="Its title.")
    about: Text = Field(description="What it is about, in one sentence.")
    minutes: Annotated[Integer, Field(ge=1)] = Field(description="How long students need.")
    goals: list[Text] = Field(min_length=1, description="What students can do afterwards.")
    references: list[Text] = Field([], description="Papers and clauses of standards.")
    numbers: dict[Identifier, DrawnNumber] = Field({}, description="Numbers that differ between students.")
    hand_in: dict[Text, HandedIn] = Field(min_length=1, description="The files that students hand in, by name.")
    runs: dict[Identifier, ExerciseRun] = Field(min_length=1, description="The runs that the checks look at, by name.")
    checks: list[AnyCheck] = Field(min_length=1, description="What must hold.")
    broken: dict[Text, list[Identifier]] = Field(
        {}, description="The twins in broken/: wrong submissions, each with the checks that it does not pass in full."
    )
    handout: Flag = Field(
        False,
        description="Whether it is what lab exercise handout has written, without hidden checks, reference and broken.",
    )

    @model_validator(mode="after")
    def _proved(self) -> ExerciseFile:
        if not self.broken and not self.handout:
            refuse("needs at least one twin: a check that nothing fails proves nothing", "broken")
        return self
