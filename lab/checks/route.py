# SPDX-License-Identifier: MIT
"""``route:`` the way that a node has for packets, as ip route get says."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from pydantic import Field, model_validator

from lab.checks import _addresses
from lab.errors import unknown
from lab.model.base import Flag, Text, refuse
from lab.model.exercise_check import Evidence, EvidenceError, ExerciseCheck, Judgement, names_of, processes
from lab.shared import types

_ARGV = ["ip", "-j", "route", "get"]


class RouteTaken(ExerciseCheck):
    """The next hop of a node's packets."""

    route: Text = Field(
        description='The process that asks: run: [ip, -j, route, get, "{server.ip}"], at the moment that counts.'
    )
    via: Text | None = Field(None, description="The next hop: a node or role, or an address.")
    direct: Flag = Field(False, description="Whether there is to be no next hop, instead of via:.")
    dev: Text | None = Field(None, description="The interface, too.")

    @model_validator(mode="after")
    def _one(self) -> RouteTaken:
        if (self.via is None) != self.direct:
            refuse("needs either via: (a node or an address) or direct: true")
        return self

    def judge(self, evidence: Evidence) -> Judgement:
        found = [self._of(evidence, process) for process in processes(evidence.plan, self.route)]
        return Judgement(float(all(one for one, _ in found)), "; ".join(seen for _, seen in found))

    def _of(self, evidence: Evidence, process: types.Process) -> tuple[bool, str]:
        route = _read(evidence.output(process.id))
        if route is None:
            return False, f"{process.id} has no route: {evidence.output(process.id, 'err').strip() or 'no answer'}"
        gateway, device = route.get("gateway"), route.get("dev")
        hop = _addresses.address(str(gateway)) if gateway is not None else None
        right = hop is None if self.via is None else hop in _addresses.of(evidence.plan, self.via)
        right = right and self.dev in (None, device)
        wanted = "" if right else f", wanted {self.via or 'none'}{f' by {self.dev}' if self.dev else ''}"
        return right, f"the next hop of {process.id} is {gateway or 'none'}, by {device}{wanted}"

    def mistakes_with(self, plan: types.Plan) -> Iterator[tuple[str, str]]:
        found = processes(plan, self.route)
        if not found:
            yield "route", unknown("process", self.route, names_of(plan))
        if any(process.argv[: len(_ARGV)] != _ARGV for process in found):
            yield "route", f"{self.route} must run [{', '.join(_ARGV)}, ADDRESS]"
        if self.via is not None and not _addresses.of(plan, self.via):
            yield "via", unknown("node", self.via, _addresses.names(plan))


def _read(text: str) -> dict[str, Any] | None:
    """Return the only route that ip prints; None if it prints none."""
    if not text.strip():
        return None
    try:
        routes = json.loads(text)
    except (ValueError, RecursionError):
        raise EvidenceError("what ip printed is no JSON") from None
    route = routes[0] if isinstance(routes, list) and len(routes) == 1 else None
    if not isinstance(route, dict):
        raise EvidenceError("what ip printed is not one route")
    return route
