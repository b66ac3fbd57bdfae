# SPDX-License-Identifier: MIT
"""Ends a process of the workload; its end then counts as expected."""

from __future__ import annotations

import signal
from collections.abc import Iterator

from lab.guest.kinds import EventSteps
from lab.guest.steps import Step, send_signal
from lab.shared import types


class Stop(EventSteps):
    """The event ``stop``."""

    def steps(self, plan: types.Plan, event: types.Event) -> Iterator[Step]:
        yield send_signal(event.target, signal.SIGTERM)
