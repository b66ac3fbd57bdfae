# SPDX-License-Identifier: MIT
"""``alive:`` a process that still runs at the end."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import Field

from lab.errors import unknown
from lab.model.base import Text
from lab.model.exercise_check import Evidence, ExerciseCheck, Judgement, names_of, processes
from lab.shared import types


class Alive(ExerciseCheck):
    """A process that runs until the lab ends it, such as a server that nothing has crashed.

    With required: false in the workload, since the run fails without a server that is required.
    """

    alive: Text = Field(description="The process, by its name in the workload; all of them, if several have it.")

    def judge(self, evidence: Evidence) -> Judgement:
        found = [(process.id, evidence.ended(process.id)) for process in processes(evidence.plan, self.alive)]
        gone = [f"{name} {_how(end)}" for name, end in found if end is None or not _runs(end)]
        return Judgement(float(not gone), "; ".join(gone) or f"{self.alive} ran until the end")

    def mistakes_with(self, plan: types.Plan) -> Iterator[tuple[str, str]]:
        if not processes(plan, self.alive):
            yield "alive", unknown("process", self.alive, names_of(plan))


def _runs(end: object) -> bool:
    assert isinstance(end, dict)
    return end["exit"] is None and end["signal"] is None


def _how(end: object) -> str:
    if end is None:
        return "was not started"
    assert isinstance(end, dict)
    how = f"signal {end['signal']}" if end["signal"] is not None else f"exit status {end['exit']}"
    return f"ended before the end of the run, with {how}"
