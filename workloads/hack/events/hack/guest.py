# SPDX-License-Identifier: MIT
"""Switch whether TCP ACKs go with link-layer ACKs."""

from __future__ import annotations

from collections.abc import Iterator

from lab.guest.kinds import EventSteps
from lab.guest.medium_steps import change
from lab.guest.steps import Step
from lab.shared import types


class Hack(EventSteps):
    """The event ``hack``."""

    def steps(self, plan: types.Plan, event: types.Event) -> Iterator[Step]:
        mode, *others = (event.params[key] for key in ("mode", "turnaround_us", "timer_us", "in_clear"))
        names = ("hack_turnaround_us", "hack_timer_us", "hack_in_clear")
        yield change(plan, event.target, {"more_data": 1, "hack": mode, **dict(zip(names, others, strict=True))})
