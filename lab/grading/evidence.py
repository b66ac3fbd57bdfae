# SPDX-License-Identifier: MIT
"""What the checks of an exercise look at: a run that has ended, and what the student answered."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from lab import captures, left
from lab.errors import InputError
from lab.expressions.values import ValueWithUnit
from lab.grading.exercise import with_numbers
from lab.model.exercise_check import EvidenceError, processes
from lab.plan.workload.placeholders import Names
from lab.record import Record, metrics
from lab.shared.medium_types import OnAir
from lab.shared.outcome import Outcome
from lab.shared.types import Node, Plan

_MOST_BYTES = 16 << 20  # of what a process prints: checks read it as a whole


class AnswerError(EvidenceError):
    """A check is about an answer that is not valid. The message says why, and gives nothing away."""


class Answers(Mapping[str, ValueWithUnit | str | None]):
    """The student's answers: one that is not valid raises AnswerError as soon as a check looks at it."""

    def __init__(self, answers: Mapping[str, ValueWithUnit | str | None], invalid: Mapping[str, str]) -> None:
        """Take answers by name, and why some are not valid, by name."""
        self._answers, self._invalid = answers, invalid

    def __getitem__(self, name: str) -> ValueWithUnit | str | None:
        if name in self._invalid:
            raise AnswerError(self._invalid[name])
        return self._answers[name]

    def __contains__(self, name: object) -> bool:
        return name in self._answers

    def __iter__(self) -> Iterator[str]:
        return iter(self._answers)

    def __len__(self) -> int:
        return len(self._answers)


@dataclass(frozen=True)
class RunEvidence:
    """A run; see lab.model.exercise_check.Evidence."""

    record: Record
    plan: Plan  # of the host: the guest could have written to that of the record
    exercise: Path
    numbers: Mapping[str, str]  # the student's
    answers: Mapping[str, ValueWithUnit | str | None]

    @property
    def medium(self) -> OnAir | None:
        """What the medium counted."""
        return self.record.medium

    @property
    def directory(self) -> Path:
        """The directory of the run."""
        return self.record.directory

    @cached_property
    def values(self) -> Mapping[str, Any]:
        """What conditions name."""
        exits = {process["id"]: process["exit"] for process in self.record.data["processes"]}
        found = {identifier: source["values"] for identifier, source in self.record.data["sources"].items()}
        measured = metrics.values(self.plan, exits, found, self.record.data["metrics"])
        return {**measured, "answers": self.answers, "numbers": quantities(self.numbers)}

    def fill(self, text: str) -> str:
        """Return a text with values for references.

        Raises:
            InputError: If a reference is to nothing.
        """
        return filled(with_numbers(text, self.numbers), self.plan)

    def ended(self, process: str) -> Mapping[str, Any] | None:
        """Return how a process ended, by its id; None: it has not been started."""
        return next((one for one in self.record.data["processes"] if one["id"] == process), None)

    def source(self, process: str) -> Mapping[str, Any]:
        """Return what the probe of a process found, by its id."""
        found: Mapping[str, Any] | None = self.record.data["sources"].get(process)
        if found is None:
            raise EvidenceError(f"the record has nothing of {process}")
        if found["error"]:
            raise EvidenceError(f"the output of {process} cannot be read: {found['error']}")
        return found

    def output(self, process: str, stream: str = "out") -> str:
        """Return what a process printed, by its id."""
        try:
            with left.opened(self.directory / "raw" / f"{process}.{stream}") as file:
                found = file.read(_MOST_BYTES + 1)
        except FileNotFoundError:
            raise EvidenceError(f"{process} has not been started") from None
        if len(found) > _MOST_BYTES:
            raise EvidenceError(f"{process} printed more than {_MOST_BYTES >> 20} MiB")
        return found.decode("utf-8", errors="replace")

    def captures(self, of: str) -> Sequence[Path]:
        """Return the captures of the air (``air``), or those of the probes of that name."""
        raw = self.directory / "raw"
        if of == "air":
            return sorted(raw.glob(captures.FILES))
        return [raw / f"{process.id}.pcap" for process in processes(self.plan, of)]

    def associations(self) -> Mapping[str, str]:
        """Return the BSSIDs of stations when the run began."""
        try:
            return Outcome.from_json(left.document(self.directory / "guest.json").decode()).associations
        except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            raise EvidenceError(f"guest.json cannot be read: {error}") from None


def filled(text: str, plan: Plan) -> str:
    """Return a text with values for references to nodes and roles of a plan.

    Raises:
        InputError: If a reference is to nothing.
    """
    roles: dict[str, list[Node]] = {}
    for node in plan.nodes:
        for role in node.roles:
            roles.setdefault(role, []).append(node)

    def refuse(message: str) -> None:
        raise InputError(message)

    return Names(roles, {node.name: node for node in plan.nodes}).fill(text, plan.nodes[0], refuse)


def quantities(numbers: Mapping[str, str]) -> dict[str, ValueWithUnit | str]:
    """Return a student's numbers as values of checks."""
    found: dict[str, ValueWithUnit | str] = {}
    for name, text in numbers.items():
        number, _, unit = text.partition(" ")
        try:
            found[name] = ValueWithUnit(float(number), unit)
        except ValueError:
            found[name] = text
    return found
