# SPDX-License-Identifier: MIT
"""``capture:`` frames that match a display filter of Wireshark are in a capture, or are not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from pydantic import Field, model_validator

from lab.checks import _tshark
from lab.errors import unknown
from lab.model.base import Integer, Text, refuse
from lab.model.exercise_check import Evidence, ExerciseCheck, Judgement, processes
from lab.numbers import count
from lab.shared import types

AIR = "air"


class CaptureCheck(ExerciseCheck):
    """Frames in a capture, chosen by a display filter. tshark, which reads it, is in a cage: students make frames.

    With a capture of the air, a run has one program more, so its values may differ a little from those without one.
    """

    capture: Text = Field(
        description="air: all that is on the medium; or a probe tcpdump, by its name in the workload."
    )
    contains: Text | None = Field(
        None,
        description="A display filter of Wireshark. References such as {sta1.mac}, {server.ip} and {numbers.port} are "
        "replaced.",
    )
    lacks: Text | None = Field(None, description="A filter that no frame is to match, instead of contains:.")
    at_least: Annotated[Integer, Field(ge=1)] = Field(1, description="How many frames contains: needs.")

    @model_validator(mode="after")
    def _one(self) -> CaptureCheck:
        if (self.contains is None) == (self.lacks is None):
            refuse("needs either contains: or lacks:, with a display filter of Wireshark")
        return self

    def judge(self, evidence: Evidence) -> Judgement:
        wanted = evidence.fill(self.contains or self.lacks or "")
        number = sum(_tshark.count(path, wanted) for path in evidence.captures(self.capture))
        right = number == 0 if self.contains is None else number >= self.at_least
        limit = "none" if self.contains is None else f"at least {self.at_least}"
        return Judgement(float(right), f"{count(number, 'frame')} of {wanted}" + ("" if right else f", wanted {limit}"))

    def needs_air(self) -> bool:
        return self.capture == AIR

    def require(self) -> None:
        _tshark.require()

    def mistakes_with(self, plan: types.Plan) -> Iterator[tuple[str, str]]:
        captures = [process.name for process in plan.processes if process.probe == "tcpdump"]
        named = processes(plan, self.capture)
        if self.capture != AIR and not (named and all(process.probe == "tcpdump" for process in named)):
            yield "capture", unknown("probe tcpdump", self.capture, [AIR, *captures])
