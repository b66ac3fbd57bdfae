# SPDX-License-Identifier: MIT
"""Plays the timeline and the movements of a session: at a pace, or not at all.

Its time is that of the timeline. It follows the guest's clock, which no pace changes: at pace 10, ten seconds of the
timeline pass in a second of the network. All calls come from the thread of the loop.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from typing import NamedTuple

from lab.guest.errors import GuestError
from lab.guest.loop import Loop, Timer, now_ns


class DueAction(NamedTuple):
    """What happens at a time of the timeline."""

    at_ns: int
    action: Callable[[], object]


class Player:
    """``pace``: seconds of the timeline in a second; ``playing``: whether its time passes."""

    def __init__(self, loop: Loop, start_ns: int, report: Callable[[GuestError], None]) -> None:
        """Play from an uptime on. ``report`` gets what failed."""
        self.pace = 1.0
        self.playing = True
        self._loop = loop
        self._report = report
        self._base_ns, self._since_ns = 0, start_ns  # a time of the timeline, and the uptime that it belongs to
        self._events: deque[DueAction] = deque()
        self._levels: deque[DueAction] = deque()
        self._timer: Timer | None = None
        self._end: DueAction | None = None  # of a step

    def now_ns(self) -> int:
        """Return the time of the timeline."""
        if not self.playing:
            return self._base_ns
        passed_ns = now_ns() - self._since_ns
        now = self._base_ns + (passed_ns if self.pace == 1 else int(passed_ns * self.pace))
        return now if self._end is None else min(now, self._end.at_ns)

    def add_events(self, moments: Iterable[DueAction]) -> None:
        """Take the events of a timeline, in order."""
        self._events.extend(moments)
        self._arm()

    def set_levels(self, moments: Iterable[DueAction]) -> None:
        """Take changes of levels, in order, in place of those that are still to come."""
        self._levels = deque(moments)
        self._arm()

    def to_come(self) -> int:
        """Return how many events are to come."""
        return len(self._events)

    def play(self, pace: float | None = None) -> None:
        """Go on, at another pace if one is given."""
        self._set(self.pace if pace is None else pace, playing=True)

    def pause(self) -> None:
        """Let no time pass."""
        self._set(self.pace, playing=False)

    def step(self, duration_ns: int, done: Callable[[], object]) -> None:
        """Go on for that long, then pause and call ``done``."""
        end = DueAction(self.now_ns() + duration_ns, done)
        self._set(self.pace, playing=True, end=end)

    def _set(self, pace: float, *, playing: bool, end: DueAction | None = None) -> None:
        self._base_ns, self._since_ns = self.now_ns(), now_ns()
        self.pace, self.playing, self._end = pace, playing, end
        self._arm()

    def _next(self) -> deque[DueAction] | None:
        """Return the queue with what is due next: an event before a change of levels at the same time."""
        queues = [queue for queue in (self._events, self._levels) if queue]
        return min(queues, key=lambda queue: queue[0].at_ns) if queues else None

    def _arm(self) -> None:
        """Have the loop come back at the next time that matters."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if not self.playing:
            return
        queue = self._next()
        times = [queue[0].at_ns] if queue else []
        times += [self._end.at_ns] if self._end else []
        if times:
            ahead_ns = min(times) - self._base_ns
            due_ns = self._since_ns + (ahead_ns if self.pace == 1 else -int(-ahead_ns // self.pace))
            self._timer = self._loop.call_at(due_ns, self._due)

    def _due(self) -> None:
        """Do what is due. Each may run the loop, and so come here again, or pause."""
        while (queue := self._next()) is not None and queue[0].at_ns <= self.now_ns():
            moment = queue.popleft()
            self._arm()
            try:
                moment.action()
            except GuestError as error:
                self._report(error)
        end = self._end
        if end is not None and self.now_ns() >= end.at_ns:
            self.pause()
            end.action()
        else:
            self._arm()
