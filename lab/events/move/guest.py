# SPDX-License-Identifier: MIT
"""Moves a node; the plan's updates of the medium take effect by themselves."""

from __future__ import annotations

from collections.abc import Iterator

from lab.guest.kinds import EventSteps
from lab.guest.steps import Step, note
from lab.shared import types


class Move(EventSteps):
    """The event ``move``."""

    def steps(self, plan: types.Plan, event: types.Event) -> Iterator[Step]:
        speed = f" at {event.params['speed_m_s']} m/s" if "speed_m_s" in event.params else ""
        yield note(f"{event.target} moves to {event.params['position_m']} m{speed}")
