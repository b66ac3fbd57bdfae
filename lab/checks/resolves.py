# SPDX-License-Identifier: MIT
"""``resolves:`` the address that a name has on a node, as getent says, which asks as programs do: files, then DNS."""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import Field, model_validator

from lab.checks import _addresses
from lab.errors import unknown
from lab.model.base import Flag, Text, refuse
from lab.model.exercise_check import Evidence, ExerciseCheck, Judgement, names_of, processes
from lab.shared import types


class Resolves(ExerciseCheck):
    """The address of a name."""

    resolves: Text = Field(
        description="The process that asks, at the moment that counts: run: [getent, hosts, NAME], with "
        "required: false if the name may be unknown."
    )
    to: Text | None = Field(None, description="A node or role, one of whose addresses it is to be; or an address.")
    unknown: Flag = Field(False, description="Whether the name is to have no address, instead of to:.")

    @model_validator(mode="after")
    def _one(self) -> Resolves:
        if (self.to is None) != self.unknown:
            refuse("needs either to: (a node or an address) or unknown: true")
        return self

    def judge(self, evidence: Evidence) -> Judgement:
        found = [self._of(evidence, process) for process in processes(evidence.plan, self.resolves)]
        return Judgement(float(all(one for one, _ in found)), "; ".join(seen for _, seen in found))

    def _of(self, evidence: Evidence, process: types.Process) -> tuple[bool, str]:
        words = [line.split()[0] for line in evidence.output(process.id).splitlines() if line.strip()]
        addresses = {found for word in words if (found := _addresses.address(word)) is not None}
        wanted = set() if self.to is None else _addresses.of(evidence.plan, self.to)
        right = not addresses if self.to is None else bool(addresses) and addresses <= wanted
        seen = ", ".join(sorted(map(str, addresses))) or "no address"
        return right, f"{process.id} got {seen}" + ("" if right else f", wanted {self.to or 'none'}")

    def mistakes_with(self, plan: types.Plan) -> Iterator[tuple[str, str]]:
        found = processes(plan, self.resolves)
        if not found:
            yield "resolves", unknown("process", self.resolves, names_of(plan))
        if any(process.argv[:1] != ["getent"] for process in found):
            yield "resolves", f"{self.resolves} must run [getent, hosts, NAME]"
        if self.to is not None and not _addresses.of(plan, self.to):
            yield "to", unknown("node", self.to, _addresses.names(plan))
