# SPDX-License-Identifier: MIT
"""Switches reception of damaged frames on or off."""

from __future__ import annotations

from collections.abc import Iterator

from lab.guest.kinds import EventSteps
from lab.guest.medium_steps import change
from lab.guest.steps import Step
from lab.shared import types


class Approximate(EventSteps):
    """The event ``approximate``."""

    def steps(self, plan: types.Plan, event: types.Event) -> Iterator[Step]:
        yield change(plan, event.target, {"approx": int(event.params["enabled"])})
