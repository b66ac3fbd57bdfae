# SPDX-License-Identifier: MIT
"""The timeline's clock: virtual uptime, counted from a full second."""

from __future__ import annotations

import time

from lab.guest.loop import Loop, now_ns
from lab.shared.paths import RUN

GRAIN_NS = 1_000_000_000  # the timeline starts at a full second of uptime


class Clock:
    """``start_ns`` is the uptime when the timeline starts, ``epoch_ns`` CLOCK_REALTIME then; both 0 before."""

    def __init__(self) -> None:
        self.start_ns = 0
        self.epoch_ns = 0

    def start(self, loop: Loop) -> None:
        """Wait for the next full second."""
        self.start_ns = (now_ns() // GRAIN_NS + 1) * GRAIN_NS
        loop.run_until(self.start_ns)
        # both clocks are read at one virtual moment, apart from the cost of reading
        self.epoch_ns = time.clock_gettime_ns(time.CLOCK_REALTIME) - (now_ns() - self.start_ns)
        (RUN / "started").write_text(f"{self.start_ns}\n")

    def since_start_ns(self, uptime_ns: int) -> int:
        """Convert an uptime to a time of the timeline."""
        return uptime_ns - self.start_ns

    def elapsed_ns(self) -> int:
        """Return the virtual time since the timeline's start."""
        return self.since_start_ns(now_ns())
