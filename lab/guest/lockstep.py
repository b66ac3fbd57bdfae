# SPDX-License-Identifier: MIT
"""A run that a program of the host drives, in lock-step: mode "lockstep" of the agent.

The steps are those of every run of the plan (lab.guest.script). Only its timeline advances as far as the host says, and
between two of its requests virtual time stands still. So a run that the host merely lets continue to its end leaves the
same bytes as one that nobody drives.

Each request is ``{"do": NAME, …}`` with the parameters of a method of lab.guest.calls.Calls. The answer is
``{"at_ns": …, …}``, the time of the timeline and what the method returns; or ``{"at_ns", "refused": MESSAGE}`` if it
could not be done. The first answer comes unasked, when the timeline begins. ``finish`` and ``end`` have no answer other
than the end of the run. The same holds for a request during which the run fails.
"""

from __future__ import annotations

from typing import Any

from lab.guest.calls import Calls
from lab.guest.errors import GuestError
from lab.guest.host import Host, opened
from lab.guest.live import LiveGuest

_END = {"do": "end"}  # the program that drove it has ended


def drive(guest: LiveGuest, duration_ns: int) -> None:
    """Do what the host asks for, until it asks for the end or the run fails."""
    host, calls = Host(opened()), Calls(guest, duration_ns)
    found: dict[str, Any] = {}
    at_ns = 0  # to look at the clock takes some time, too
    while not (calls.over or guest.failure):
        host.send({"at_ns": at_ns, **found})
        try:
            found = calls.do(**(host.ask() or _END))
        except GuestError as error:
            found = {"refused": error.message}
        if not calls.over:
            at_ns = guest.clock.elapsed_ns()
    calls.tidy()
