# SPDX-License-Identifier: MIT
"""Waiting for other processes of the host, whatever they do."""

from __future__ import annotations

import select
import time
from collections.abc import Callable

DEADLINE_S = 60.0
_POLL_S = 0.005  # without a pause, the waiting would take a core from the guests that are waited for


def until(condition: Callable[[], object], seconds: float = DEADLINE_S) -> None:
    """Return as soon as a condition holds; fail the test after that time."""
    deadline_s = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline_s, "timeout"
        select.select([], [], [], _POLL_S)
