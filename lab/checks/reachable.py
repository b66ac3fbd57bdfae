# SPDX-License-Identifier: MIT
"""``reachable:`` whether a ping, or another program that asks for something, was answered."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from pydantic import Field

from lab.errors import unknown
from lab.model.base import Moment, Text
from lab.model.exercise_check import Evidence, ExerciseCheck, Judgement, names_of, processes
from lab.numbers import count, plain
from lab.shared import types


class Reachable(ExerciseCheck):
    """A ping that was answered; or a client, such as curl or nc -z, that has succeeded: its exit status is 0."""

    reachable: Text = Field(description="The process, by its name in the workload; all of them, if several have it.")
    answers: Literal["all", "some", "none"] = Field(
        "some", description="How many requests of a ping are to be answered. none: nothing is to be reachable."
    )
    after: Moment | None = Field(
        None, description="Of a ping: only answers after this moment count, for some and none."
    )

    def judge(self, evidence: Evidence) -> Judgement:
        found = [self._of(evidence, process) for process in processes(evidence.plan, self.reachable)]
        right = all(one for one, _ in found)
        wanted = "" if right else f"; wanted {self.answers}"
        return Judgement(float(right), "; ".join(seen for _, seen in found) + wanted)

    def _of(self, evidence: Evidence, process: types.Process) -> tuple[bool, str]:
        if process.probe != "ping":
            end = evidence.ended(process.id)
            succeeded = end is not None and end["exit"] == 0
            how = "was not started" if end is None else f"ended with {_status(end)}"
            return succeeded != (self.answers == "none"), f"{process.id} {how}"
        source = evidence.source(process.id)
        replies = [t_ns for series in source["series"] if series["name"] == "rtt" for t_ns in series["t_ns"]]
        counted = [t_ns for t_ns in replies if self.after is None or t_ns >= self.after]
        sent = source["values"].get("transmitted", 0)
        since = "" if self.after is None else f" after {plain(self.after / 1e9, 3)} s"
        seen = f"{process.id} got {count(len(counted), 'answer')}{since}"
        if self.answers == "all":
            return 0 < sent <= len(set(replies)), f"{seen} to {count(sent, 'request')}"
        return bool(counted) == (self.answers == "some"), seen

    def mistakes_with(self, plan: types.Plan) -> Iterator[tuple[str, str]]:
        found = processes(plan, self.reachable)
        if not found:
            yield "reachable", unknown("process", self.reachable, names_of(plan))
        if self.after is not None and any(process.probe != "ping" for process in found):
            yield "after", f"only a ping says when it was answered; {self.reachable} is not one"
        if self.after is not None and self.answers == "all":
            yield "after", "does not go with answers: all"


def _status(end: object) -> str:
    assert isinstance(end, dict)
    if end["signal"] is not None:
        return f"signal {end['signal']}"
    return "the run" if end["exit"] is None else f"exit status {end['exit']}"
