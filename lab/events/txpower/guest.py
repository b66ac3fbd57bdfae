# SPDX-License-Identifier: MIT
"""Changes a radio's transmission power."""

from __future__ import annotations

from collections.abc import Iterator

from lab.guest.kinds import EventSteps
from lab.guest.medium_steps import change
from lab.guest.steps import Step
from lab.shared import types


class Txpower(EventSteps):
    """The event ``txpower``."""

    def steps(self, plan: types.Plan, event: types.Event) -> Iterator[Step]:
        yield change(plan, event.target, {"power_mbm": round(event.params["dbm"] * 100)})
