# SPDX-License-Identifier: MIT
"""Runs a command in a node and waits for it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from lab.guest.kinds import EventSteps
from lab.guest.steps import RunCommand, Step
from lab.shared import types


class Exec(EventSteps):
    """The event ``exec``."""

    keeps_output: ClassVar[bool] = True

    def steps(self, plan: types.Plan, event: types.Event) -> Iterator[Step]:
        """Run the command; its output is stored with the event."""
        yield RunCommand(event.params["argv"], event.target, of_user=True)
