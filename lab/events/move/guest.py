# SPDX-License-Identifier: MIT
"""A node changes its position: the medium follows by itself, by the updates that the plan has of it."""

from __future__ import annotations

from collections.abc import Iterator

from lab.guest.steps import Note, Step
from lab.shared import types


def steps(plan: types.Plan, event: types.Event) -> Iterator[Step]:
    """Nothing is done here."""
    speed = f" at {event.params['speed_m_s']} m/s" if "speed_m_s" in event.params else ""
    yield Note(f"{event.target} moves to {event.params['position_m']} m{speed}")
