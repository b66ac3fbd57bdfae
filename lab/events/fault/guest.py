# SPDX-License-Identifier: MIT
"""Loses or damages frames on purpose."""

from __future__ import annotations

from collections.abc import Iterator

from lab.guest.kinds import EventSteps
from lab.guest.medium import requests
from lab.guest.medium_steps import medium_of, netlink
from lab.guest.steps import Step
from lab.shared import types


class Fault(EventSteps):
    """The event ``fault``."""

    def steps(self, plan: types.Plan, event: types.Event) -> Iterator[Step]:
        medium = medium_of(plan)
        yield netlink(medium, [requests.fault(event.target, event.params, medium.names())])
