# SPDX-License-Identifier: MIT
"""Changes flow rules by ovs-ofctl."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from lab.guest import openflow
from lab.guest.kinds import EventSteps
from lab.guest.steps import RunCommand, Step
from lab.shared import types


class OpenFlowRules(EventSteps):
    """The event ``openflow``."""

    keeps_output: ClassVar[bool] = True

    def steps(self, plan: types.Plan, event: types.Event) -> Iterator[Step]:
        """Delete rules, then add others, each in one command."""
        for command in ("delete", "add"):
            if rules := event.params[command]:
                yield RunCommand(openflow.flows(event.target, command), event.target, rules)
