# SPDX-License-Identifier: MIT
"""Base class of the kinds of checks in exercises: what must hold when a submission has been run."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Protocol

from pydantic import Field

from lab.errors import suggestion
from lab.expressions.values import ValueWithUnit
from lab.model.base import Flag, Integer, Model, Text, refuse
from lab.model.names import Identifier
from lab.model.one_of import OneOf
from lab.registry import Room

if TYPE_CHECKING:
    from lab.shared import types as plan
    from lab.shared.medium_types import OnAir


@dataclass(frozen=True)
class Judgement:
    """What a check has found: the share of its points, from 0 to 1, and what was seen, in words for the student."""

    share: float
    seen: str


class EvidenceError(Exception):
    """What a check looks at is missing or unreadable: the submission is to blame. The message says what."""


class Evidence(Protocol):
    """What checks look at: a run that has ended, and what the student answered."""

    @property
    def plan(self) -> plan.Plan:
        """What ran."""

    @property
    def values(self) -> Mapping[str, Any]:
        """What conditions name: processes, files and metrics, ``answers`` and ``numbers``."""

    @property
    def medium(self) -> OnAir | None:
        """What the medium counted; None: it was perfect.

        Raises:
            RecordError: If the guest has damaged it.
        """

    @property
    def directory(self) -> Path:
        """The directory of the run. Open files in there with lab.left only: a guest has written them."""

    @property
    def exercise(self) -> Path:
        """The folder of the exercise."""

    def fill(self, text: str) -> str:
        """Return a text with values for references: ``{numbers.NAME}``, ``{sta1.mac}``, ``{server.ip}``."""

    def ended(self, process: str) -> Mapping[str, Any] | None:
        """Return how a process ended, by its id: ``exit`` and ``signal``; both None: the lab ended it.

        None: it has not been started.
        """

    def source(self, process: str) -> Mapping[str, Any]:
        """Return what the probe of a process found, by its id: series, occurrences, values (see lab.record.Record)."""

    def output(self, process: str, stream: str = "out") -> str:
        """Return what a process printed, by its id: to its standard output (out) or standard error (err).

        Raises:
            EvidenceError: If there is none, or too much.
        """

    def captures(self, of: str) -> Sequence[Path]:
        """Return the captures of the air (``air``), or those of the probes of that name."""

    def associations(self) -> Mapping[str, str]:
        """Return the BSSIDs of stations when the run began."""


class ExerciseCheck(Model):
    """Something that must hold. The key that names the kind has what it is about."""

    name: Identifier = Field(description="Its name in results.")
    about: Text = Field(description="What must hold, in a sentence for the student.")
    points: Annotated[Integer, Field(ge=0)] = Field(description="What it is worth.")
    run: Text | None = Field(None, description="The run that it is about. Default: the only one.")
    public: Flag = Field(True, description="Whether students see it before they hand in.")
    advice: Text | None = Field(None, alias="hint", description="Shown to students whose submission does not pass it.")
    hint_after: Annotated[Integer, Field(ge=1)] = Field(
        1, description="With which of the tries that do not pass it a student sees the hint. Graders always see it."
    )

    show_values: Flag | None = Field(
        None, description="Whether students see the values that it compares. Default: unless it is about an answer."
    )
    hand_out: Flag | None = Field(
        None,
        description="Whether it is part of what lab exercise handout writes. Default: if it is public. false for a "
        "public check whose function in check.py is a solution.",
    )

    @abstractmethod
    def judge(self, evidence: Evidence) -> Judgement:
        """Look at a run, and judge.

        Raises:
            EvidenceError: If what it looks at is missing or unreadable.
            InputError: If the exercise has a mistake that only shows now.
        """

    def reveals(self) -> bool:
        """Return whether what was seen gives the right answer away, unless the file says so itself."""
        return False

    def hides(self) -> bool:
        """Return whether students do not see what was seen."""
        return self.reveals() if self.show_values is None else not self.show_values

    def right(self, evidence: Evidence) -> Mapping[str, ValueWithUnit]:
        """Return the numbers that are right answers, by name, as far as it knows any.

        Raises:
            EvidenceError, InputError: As of judge.
        """
        return {}

    def needs_air(self) -> bool:
        """Return whether it needs a capture of the air."""
        return False

    def require(self) -> None:
        """Check that this machine has what it needs; raise HostError if not."""

    def mistakes(self, exercise: Path) -> Iterator[tuple[str, str]]:
        """Yield the mistakes that can be seen in the file, and in the exercise's folder: a key, and what is wrong."""
        yield from ()

    def mistakes_with(self, plan: plan.Plan) -> Iterator[tuple[str, str]]:
        """Yield the mistakes that can be seen once it is known what runs: a key, and what is wrong."""
        yield from ()


CHECKS = Room("checks", ExerciseCheck)


def _by_key(room: Room[Any], value: Any) -> str:
    """Return the kind of a check, which is a key of it."""
    known = room.known()
    if not isinstance(value, dict):
        refuse("a check must look like {name: fast, about: …, points: 2, that: goodput.sum > 4 Mbit/s}")
    given = [key for key in value if key in known]
    if len(given) > 1:
        refuse(f"a check has one kind, but this one has {' and '.join(given)}; write {len(given)} checks", key=given[1])
    if not given:
        others = [str(key) for key in value if key not in ExerciseCheck.described()]
        alike = next((key for key in others if suggestion(key, known)), ", ".join(others))
        found = f'unknown {room.noun} "{alike}"{suggestion(alike, known)}; ' if others else ""
        refuse(f"{found}a check needs one of these keys: {', '.join(known)}")
    return str(given[0])


AnyCheck = Annotated[ExerciseCheck, OneOf(CHECKS, _by_key)]


def processes(plan: plan.Plan, name: str) -> list[plan.Process]:
    """Return the processes of that name, or the one of that id."""
    return [process for process in plan.processes if name in (process.name, process.id)]


def names_of(plan: plan.Plan) -> list[str]:
    """Return the names of the processes of a plan."""
    return list(dict.fromkeys(process.name for process in plan.processes))
