# SPDX-License-Identifier: MIT
"""A process of the workload is ended, which is then expected."""

from __future__ import annotations

import signal
from collections.abc import Iterator

from lab.guest.steps import Signal, Step
from lab.shared import types


def steps(plan: types.Plan, event: types.Event) -> Iterator[Step]:
    """SIGTERM."""
    yield Signal(event.target, signal.SIGTERM)
