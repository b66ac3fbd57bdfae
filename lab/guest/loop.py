# SPDX-License-Identifier: MIT
"""One thread, one loop: readers, timers at virtual times, conditions to wait for.

Times are CLOCK_BOOTTIME in ns, the guest's virtual uptime. Computation takes no virtual time, so a callback
that is due at T runs at T (plus the clock's grain, 256 ns), however slow the host is.
"""

from __future__ import annotations

import heapq
import itertools
import select
import selectors
import time
from collections.abc import Callable, Sequence
from typing import IO

from lab.guest.errors import GuestError

_SELECT_DESCRIPTORS = 1024  # FD_SETSIZE
POLL_NS = 5_000_000  # how often a condition that no event reports is checked


def now_ns() -> int:
    """Return the virtual uptime."""
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME)


def readable(descriptor: int, within_s: float = 0.0) -> bool:
    """Wait until a descriptor can be read, at most for that time; return whether it can.

    select() refuses descriptors from 1024 on, which a large network has. Smaller ones keep to it: it reads the clock
    once more than poll() does, so without it, all later times of a run would be others, by 256 ns.
    """
    if descriptor < _SELECT_DESCRIPTORS:
        return bool(select.select([descriptor], [], [], within_s)[0])
    poller = select.poll()
    poller.register(descriptor, select.POLLIN)
    return bool(poller.poll(within_s * 1000))


class Timer:
    """A scheduled call; ``cancel()`` drops it."""

    def __init__(self, callback: Callable[[], None]) -> None:
        self.callback: Callable[[], None] | None = callback

    def cancel(self) -> None:
        """Drop the call."""
        self.callback = None

    @property
    def cancelled(self) -> bool:
        """Whether the call has been dropped."""
        return self.callback is None


class Loop:
    """Runs scheduled calls in order of time; calls with equal times in order of registration."""

    def __init__(self) -> None:
        self._selector = selectors.DefaultSelector()
        self._timers: list[tuple[int, int, Timer]] = []
        self._order = itertools.count()

    def call_at(self, at_ns: int, callback: Callable[[], None]) -> Timer:
        """Call ``callback`` when the uptime reaches ``at_ns``."""
        timer = Timer(callback)
        heapq.heappush(self._timers, (at_ns, next(self._order), timer))
        return timer

    def add_reader(self, source: IO[bytes] | int, callback: Callable[[], None]) -> None:
        """Call ``callback`` whenever ``source`` is readable."""
        self._selector.register(source, selectors.EVENT_READ, callback)

    def remove_reader(self, source: IO[bytes] | int) -> None:
        """Undo ``add_reader``."""
        self._selector.unregister(source)

    def has_due(self, at_ns: int) -> bool:
        """Check whether a call is due at that uptime."""
        return bool(self._timers) and self._timers[0][0] <= at_ns

    def step(self, until_ns: int) -> None:
        """Wait for the next event or timer, at most until ``until_ns``, and run what is due."""
        due = min(self._timers[0][0], until_ns) if self._timers else until_ns
        timeout_s = max(0, due - now_ns()) / 1e9
        ready = self._selector.select(timeout_s)
        # file descriptors are reported in kernel order; sort for a stable order of simultaneous events
        for key, _ in sorted(ready, key=lambda item: item[0].fd):
            key.data()
        while self._timers and self._timers[0][0] <= now_ns():
            timer = heapq.heappop(self._timers)[2]
            if timer.callback is not None:
                timer.callback()

    def run_until(self, at_ns: int, done: Callable[[], bool] = lambda: False) -> None:
        """Run until the uptime is ``at_ns`` or ``done()``."""
        while now_ns() < at_ns and not done():
            self.step(at_ns)

    def wait_for(
        self,
        condition: Callable[[], bool],
        timeout_ns: int,
        what: str,
        state: Callable[[], str] = lambda: "",
        culprit: str | None = None,
        logs: Sequence[str] = (),
        where: str = "",
    ) -> None:
        """Run until ``condition()``; GuestError with the last ``state()`` if it does not become true in time."""
        deadline_ns = now_ns() + timeout_ns
        while not condition():
            if now_ns() >= deadline_ns:
                last = state()
                last_seen = f"; last seen: {last}" if last else ""
                before = f"{where}: " if where else ""
                raise GuestError(f"{before}timeout: waited {timeout_ns / 1e9:g} s for {what}{last_seen}", culprit, logs)
            self.step(min(deadline_ns, now_ns() + POLL_NS))
