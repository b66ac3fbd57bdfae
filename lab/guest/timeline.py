# SPDX-License-Identifier: MIT
"""The timeline: steps that have a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from lab.guest.errors import GuestError
from lab.guest.kinds import keeps_output
from lab.guest.loop import now_ns
from lab.guest.steps import Step, lines
from lab.shared import types

if TYPE_CHECKING:
    from lab.guest.live import LiveGuest


class TimelineMoment(NamedTuple):
    """The steps at a time of the timeline."""

    at_ns: int
    steps: Callable[[], Iterable[Step]]
    event: types.Event | None = None  # the event that these steps belong to
    changes_levels: bool = False  # since nodes move: an event may let them go elsewhere

    def execute(self, guest: LiveGuest) -> None:
        """Execute them; the result of an event goes into its entry in guest.json."""
        if self.event is None:
            self._execute_steps(guest)
            return
        event = self.event
        try:
            guest.happened(event, True, self._execute_steps(guest), keeps_output(event.kind))
        except GuestError as error:
            log = guest.happened(event, False, error.output, keeps_output(event.kind))
            message = f"{event.source}: {event.kind} {event.target}: {error.message}"
            raise GuestError(message, error.culprit, error.logs or log) from None

    def _execute_steps(self, guest: LiveGuest) -> bytes:
        return b"".join(step.execute(guest) or b"" for step in self.steps())


class Timeline(NamedTuple):
    """Run the timeline to its end, or until a failure. ``moments`` are in the order in which they are due."""

    moments: tuple[TimelineMoment, ...]
    duration_ns: int

    def describe(self) -> Iterator[str]:
        """Yield the lines of all moments, below their times."""
        at_ns = None
        for moment in self.moments:
            if moment.at_ns != at_ns:
                yield f"# at {moment.at_ns / 1e9:g} s"
            at_ns = moment.at_ns
            yield from lines(moment.steps())
        yield f"# at {self.duration_ns / 1e9:g} s, the end"

    def execute(self, guest: LiveGuest) -> None:
        """Execute each moment at its time; raise a failure after the steps that follow the timeline."""
        for moment in self.moments:
            guest.call_at(moment.at_ns, partial(moment.execute, guest), moment.changes_levels)
        guest.daemons_are_needed = True
        if guest.air:
            guest.daemon_ended(guest.air.task)
        for (node, _), task in guest.daemons.items():
            guest.daemon_ended(task, node)
        end_ns = guest.clock.start_ns + self.duration_ns
        if guest.drive is None:
            guest.loop.run_until(end_ns, lambda: guest.failure is not None)
            return
        # the same looks at the clock as without a driver, since each takes some time; what is due begins before it asks
        if guest.loop.has_due(guest.clock.start_ns) and now_ns() < end_ns:
            guest.loop.step(guest.clock.start_ns)
        guest.drive(guest, self.duration_ns)
